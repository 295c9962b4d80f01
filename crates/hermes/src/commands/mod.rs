//! The commands, one file each. A file holds what can be typed (a clap type), what
//! that means (a checked type) and the doing.

mod approvals;
mod audit;
mod auth;
pub(crate) mod chat;
mod completion;
mod compose;
mod config;
mod container;
mod dashboard;
mod doctor;
mod env;
mod exec;
pub(crate) mod executor;
mod gateway;
mod local;
mod login;
mod logout;
mod model;
mod pairing;
mod profile;
mod sandbox;
mod sessions;
mod status;
mod store;
mod visible;

use clap::Subcommand;

use crate::context::Context;
use crate::exit::Failure;

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    Chat(chat::Typed),
    Gateway(gateway::Typed),
    Pairing(pairing::Typed),
    Doctor(doctor::Typed),
    Config(config::Typed),
    Approvals(approvals::Typed),
    Audit(audit::Typed),
    Sessions(sessions::Typed),
    Auth(auth::Typed),
    Model(model::Typed),
    Profile(profile::Typed),
    Exec(exec::Typed),
    Env(env::Typed),
    Sandbox(sandbox::Typed),
    Status(status::Typed),
    Dashboard(dashboard::Typed),
    Completion(completion::Typed),
    Login(login::Typed),
    Logout(logout::Typed),
    #[command(hide = true)]
    Executor(executor::Typed),
    #[command(hide = true)]
    Container(container::Typed),
}

impl Command {
    pub(crate) fn run(self, context: &mut Context) -> Result<(), Failure> {
        match self {
            Self::Chat(typed) => chat::run(typed, context),
            Self::Gateway(typed) => gateway::run(typed, context),
            Self::Pairing(typed) => pairing::run(typed, context),
            Self::Doctor(typed) => doctor::run(typed, context),
            Self::Config(typed) => config::run(typed, context),
            Self::Approvals(typed) => approvals::run(typed, context),
            Self::Audit(typed) => audit::run(&typed, context),
            Self::Sessions(typed) => sessions::run(&typed, context),
            Self::Auth(typed) => auth::run(typed, context),
            Self::Model(typed) => model::run(&typed, context),
            Self::Profile(typed) => profile::run(typed, context),
            Self::Exec(typed) => exec::run(typed, context),
            Self::Env(typed) => env::run(&typed, context),
            Self::Sandbox(typed) => sandbox::run(&typed, context),
            Self::Status(typed) => status::run(&typed, context),
            Self::Dashboard(typed) => dashboard::run(&typed, context),
            Self::Completion(typed) => completion::run(&typed, context),
            Self::Login(typed) => login::run(typed, context),
            Self::Logout(typed) => logout::run(typed, context),
            Self::Executor(typed) => executor::run(typed, context),
            Self::Container(typed) => container::run(typed, context),
        }
    }
}
