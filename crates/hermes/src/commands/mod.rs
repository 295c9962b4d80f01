//! The commands, one file each. A file holds what can be typed (a clap type), what
//! that means (a checked type) and the doing.

mod auth;
mod completion;
mod config;
mod doctor;
mod login;
mod logout;
mod profile;

use clap::Subcommand;

use crate::context::Context;
use crate::exit::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Doctor(doctor::Typed),
    Config(config::Typed),
    Auth(auth::Typed),
    Profile(profile::Typed),
    Completion(completion::Typed),
    Login(login::Typed),
    Logout(logout::Typed),
}

impl Command {
    pub(crate) fn run(self, context: &mut Context) -> Result<(), Failure> {
        match self {
            Self::Doctor(typed) => doctor::run(typed, context),
            Self::Config(typed) => config::run(typed, context),
            Self::Auth(typed) => auth::run(typed, context),
            Self::Profile(typed) => profile::run(typed, context),
            Self::Completion(typed) => completion::run(&typed, context),
            Self::Login(typed) => login::run(typed, context),
            Self::Logout(typed) => logout::run(typed, context),
        }
    }
}
