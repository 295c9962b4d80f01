//! `hermes config` as a person or a script uses it.

mod check;
mod edit;
mod get_and_set;
mod secrets;
mod writers;
