//! The agent's tools where they are meant to work: with the program's own executor, in the sandbox that is shipped,
//! behind a real guard.

mod execute_code;
mod files;
mod ground;
mod jobs;
mod people;
mod terminal;
