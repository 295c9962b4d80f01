//! The chat on a full screen: transcript, running tools, jobs, questions, input, status.
//!
//! What is shown is a value, [`state::State`]; [`update`] changes it by one event and says what is to be done; [`draw`] paints it. Neither
//! touches the terminal, so both are tested without one. [`run`] is the only place where events come in and effects go out.

mod draw;
mod run;
mod state;
mod transcript;
mod update;

#[cfg(test)]
mod tests;

pub use run::full_screen;
