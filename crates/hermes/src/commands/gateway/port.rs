//! The port of a home's API: what is configured, else one of its own.

use hermes_home::Home;
use hermes_home::config::{self, Config, Overrides};
use hermes_proto::HostEnvironment;
use hermes_supervise::{ManagerKind, ports, slot};

use super::runner::Runner;
use crate::context::Context;
use crate::exit::Failure;

/// The port on which a gateway with this configuration serves the API. The default home's number in the
/// configuration of a profile is what is there when nothing is configured.
pub(super) fn api_port(home: &Home, config: &Config, context: &Context) -> Result<u16, Failure> {
    match config.gateway.api_server.port {
        ports::OF_DEFAULT => Ok(ports::api_port(&context.root()?, home.name())?),
        configured => Ok(configured),
    }
}

/// The same for a gateway that somebody else runs, with the environment that it has there.
pub(super) fn api_port_elsewhere(home: &Home, runner: &Runner, context: &Context) -> Result<u16, Failure> {
    let theirs: HostEnvironment;
    let environment = match runner.kind() {
        ManagerKind::S6 => {
            theirs = slot::of_home(home.name(), &context.environment);
            &theirs
        }
        ManagerKind::SystemdUser | ManagerKind::None => &context.environment,
    };
    let config = config::load(home, environment, &Overrides::default())?.config;
    api_port(home, &config, context)
}
