//! Skills: folders with a SKILL.md, instructions that an agent loads when it needs them.
//!
//! They come from strangers as often as from the operator. A broken one must not hide the others, a link must
//! not lead a reader out of its folder, and nothing in them is ever run from here.

mod find;
mod front_matter;
mod view;

pub use find::{Skill, find};
pub use view::{SkillError, SkillFile, view};
