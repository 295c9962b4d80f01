//! What a command has to work with: where its home is and where its answer goes.
//!
//! Nothing here happens before a command asks for it: `hermes --version` must not
//! touch the disk.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use hermes_home::{Asked, Home, HomeRoot};
use hermes_proto::Fault;
use hermes_proto::HostEnvironment;

use crate::exit::Failure;
use crate::logging;
use crate::typed::Global;

pub(crate) struct Context {
    pub(crate) environment: HostEnvironment,
    profile: Option<String>,
    verbose: u8,
    /// Not locked: a chat writes to the terminal from another thread.
    out: BufWriter<Stdout>,
}

impl Context {
    pub(crate) fn new(environment: HostEnvironment, global: Global) -> Self {
        let out = BufWriter::new(io::stdout());
        Self { environment, profile: global.profile, verbose: global.verbose, out }
    }

    /// The root that holds the default home and all profiles.
    pub(crate) fn root(&self) -> Result<HomeRoot, Failure> {
        Ok(HomeRoot::find(&self.environment)?)
    }

    /// The home this command is about: `-p`, the sticky profile, or the default.
    /// Logging starts here, because the log belongs to a home.
    pub(crate) fn home(&self) -> Result<Home, Failure> {
        let home = self.root()?.select(&self.asked()?)?;
        logging::start(&home, &self.environment, self.verbose);
        Ok(home)
    }

    /// What `-p` says: a profile, `default`, or nothing.
    pub(crate) fn asked(&self) -> Result<Asked, Failure> {
        match self.profile.as_deref() {
            None => Ok(Asked::Nothing),
            Some(name) => Ok(Asked::For(name.parse()?)),
        }
    }

    /// Prints a piece of the answer to standard output.
    pub(crate) fn print(&mut self, text: impl std::fmt::Display) -> Result<(), Failure> {
        write!(self.out, "{text}").map_err(|error| Failure::output(&error))
    }

    /// Prints one line of the answer to standard output.
    pub(crate) fn line(&mut self, text: impl std::fmt::Display) -> Result<(), Failure> {
        writeln!(self.out, "{text}").map_err(|error| Failure::output(&error))
    }

    /// Standard output itself, for an answer that is not text.
    pub(crate) fn output(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// Tells the person something that is not the answer, on standard error.
    pub(crate) fn note(&self, text: impl std::fmt::Display) {
        // Nobody can be told that standard error is gone.
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Asks a question on standard error, with the cursor left behind it.
    pub(crate) fn prompt(&self, question: impl std::fmt::Display) {
        let _ = write!(io::stderr(), "{question}");
    }

    /// Whether a question asked on the terminal can be answered there.
    pub(crate) fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Flushes the answer; a failed flush is the command's failure.
    pub(crate) fn finish(mut self, outcome: Result<(), Failure>) -> Result<(), Failure> {
        let flushed = self.out.flush().map_err(|error| Failure::output(&error));
        outcome.and(flushed)
    }
}

/// A usage error: what was typed cannot be meant.
pub(crate) fn usage(message: impl std::fmt::Display) -> Failure {
    Failure::new(Fault::Usage, message)
}
