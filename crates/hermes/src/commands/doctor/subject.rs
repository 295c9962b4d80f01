//! What the checks look at, gathered once.

use std::path::PathBuf;
use std::sync::OnceLock;

use hermes_home::Home;
use hermes_proto::Fault;
use hermes_proto::HostEnvironment;
use hermes_sandbox::kernel::KernelFeatures;

use super::finding::Finding;
use crate::context::Context;
use crate::exit::Failure;

/// This machine and this home, as they are found.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) environment: HostEnvironment,
    home: Result<Home, Finding>,
    kernel: OnceLock<KernelFeatures>,
}

impl Subject {
    /// A home that cannot be used is something to report; a profile that cannot have
    /// been meant is an error of the command line.
    pub(super) fn of(context: &Context) -> Result<Self, Failure> {
        let home = match context.home() {
            Ok(home) => Ok(home),
            Err(Failure::Told { fault: Fault::Configuration, message, hint }) => Err(Finding::failure(
                message,
                hint.unwrap_or_else(|| "set HERMES_HOME to a folder of yours".to_owned()),
            )),
            Err(other) => return Err(other),
        };
        Ok(Self { environment: context.environment.clone(), home, kernel: OnceLock::new() })
    }

    /// The home, or what is to be reported in its place.
    pub(super) fn home(&self) -> Result<&Home, &Finding> {
        self.home.as_ref()
    }

    /// For checks that need a home: what they report when there is none.
    pub(super) fn with_home(&self, look: impl FnOnce(&Home) -> Finding) -> Finding {
        match &self.home {
            Ok(home) => look(home),
            Err(_) => Finding::warning("not looked at: there is no usable home", "mend the home first"),
        }
    }

    /// What the kernel gives; tried by whoever asks first.
    pub(super) fn kernel(&self) -> &KernelFeatures {
        self.kernel.get_or_init(KernelFeatures::probe)
    }

    /// The user's own home directory, which paths are shown relative to.
    pub(super) fn user_home(&self) -> Option<PathBuf> {
        self.environment.path("HOME")
    }
}
