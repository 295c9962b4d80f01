//! A command that prints a key: a password manager, a vault.
//!
//! It is run when the key is first needed and not before, because it may ask somebody to touch something. It is the
//! operator's own command, so it sees the operator's environment; what it prints is never shown.

use std::ffi::OsString;
use std::fmt;
use std::time::Duration;

use hermes_home::credentials::ApiKey;
use hermes_proto::{HostEnvironment, Secret};
use hermes_sandbox::process::{Helper, HelperError};

use crate::ModelError;
use crate::keys::Pick;
use crate::server::Server;

/// How long it may take: somebody may have to touch something.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A shell command and the environment it is run in.
#[derive(Clone)]
pub struct KeyCommand {
    command: String,
    environment: Vec<(OsString, OsString)>,
}

impl KeyCommand {
    pub fn new(command: impl Into<String>, environment: &HostEnvironment) -> Self {
        let environment = environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { command: command.into(), environment }
    }

    fn run(&self) -> Result<Secret, String> {
        let helper = Helper::new("/bin/sh").args(["-c", &self.command]).environment(self.environment.clone());
        let printed = helper.time_limit(TIME_LIMIT).output_limit(64 * 1024).run().map_err(|error| match error {
            // What it wrote may hold the key; how it ended is enough.
            HelperError::Failed { ending, .. } => format!("{ending}"),
            error => error.to_string(),
        })?;
        let text = printed.standard_output.text();
        let key = ApiKey::parse(&text).map_err(|error| error.to_string())?;
        Ok(key.secret().clone())
    }
}

/// The command only: the environment holds secrets.
impl fmt::Debug for KeyCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("KeyCommand").field(&self.command).finish()
    }
}

/// Gets a server its key, if it has none and there is a command for it.
pub(crate) async fn fill(server: &Server) -> Result<(), ModelError> {
    let Some(command) = server.endpoint.key_command.clone() else { return Ok(()) };
    if server.keys.pick(std::time::Instant::now()) != Pick::Nothing {
        return Ok(());
    }
    let failed = |what: String| ModelError::KeyCommand { provider: server.provider(), what };
    let ran = tokio::task::spawn_blocking(move || command.run()).await;
    let key = ran.map_err(|error| failed(error.to_string()))?.map_err(failed)?;
    server.keys.add(key);
    Ok(())
}
