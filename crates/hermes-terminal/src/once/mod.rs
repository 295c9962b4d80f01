//! One answer for a script or a pipe: the answer alone on standard output, everything else on standard error or nowhere.

mod answer;
mod error;
mod input;
mod usage;

pub use answer::{Narration, answer_once};
pub use error::OnceError;
pub use input::{combined_prompt, read_piped_input};
pub use usage::write_usage_file;
