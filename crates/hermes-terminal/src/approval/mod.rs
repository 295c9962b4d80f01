//! Questions to the person at the terminal: from any number of places at once, answered one after another with one key.

mod approver;
mod attention;
mod desk;
mod question;

pub use approver::{TerminalApprover, TerminalPerson, approvals};
pub use desk::Desk;

pub(crate) use attention::{Attention, Keyed};
pub(crate) use desk::{Asked, Given, QuestionView};
pub(crate) use question::{Extent, answer_line, keys_line, question_lines};
