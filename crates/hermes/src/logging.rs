//! Where events go: bounded logs in the home, and standard error when asked.
//!
//! Logs are read by other people and attached to bug reports, so no entry reaches a
//! file or a terminal before secrets are taken out: known values and known shapes. What
//! that needs is read when the first entry is written; a quiet command pays nothing.

use std::io::{self, Write};
use std::sync::{Arc, OnceLock};

use hermes_home::log::LogFile;
use hermes_home::redact::Redactor;
use hermes_home::{Home, credentials};
use hermes_proto::HostEnvironment;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::format::DefaultFields;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// Starts logging for this home: everything to `logs/agent.log`, warnings and errors
/// to `logs/errors.log` too. A second call changes nothing.
pub(crate) fn start(home: &Home, environment: &HostEnvironment, verbose: u8) {
    let secrets = Secrets::of(home, environment);
    let file =
        |name| Destination { secrets: secrets.clone(), sink: Sink::File(LogFile::new(home.path(), name).into()) };
    let terminal = Destination { secrets: secrets.clone(), sink: Sink::Terminal };
    let detail = if verbose > 1 { LevelFilter::DEBUG } else { LevelFilter::INFO };
    let shown = if verbose == 0 { LevelFilter::OFF } else { detail };
    // Logging that is already there stays: the first home named is the program's.
    let _ = tracing_subscriber::registry()
        .with(entries(file("agent.log")).with_filter(detail))
        .with(entries(file("errors.log")).with_filter(LevelFilter::WARN))
        .with(entries(terminal).without_time().with_target(false).with_filter(shown))
        .try_init();
}

/// One line of plain text each. A log that cannot be written is told by `hermes doctor`, not
/// between the lines of an answer.
fn entries<S>(destination: Destination) -> fmt::Layer<S, DefaultFields, fmt::format::Format, Destination> {
    fmt::Layer::default().with_ansi(false).log_internal_errors(false).with_writer(destination)
}

/// What must not appear in an entry. Looked up by the first one.
#[derive(Clone)]
struct Secrets {
    home: Home,
    environment: HostEnvironment,
    redactor: Arc<OnceLock<Redactor>>,
}

impl Secrets {
    fn of(home: &Home, environment: &HostEnvironment) -> Self {
        Self { home: home.clone(), environment: environment.clone(), redactor: Arc::default() }
    }

    fn redactor(&self) -> &Redactor {
        self.redactor.get_or_init(|| credentials::redactor(&self.home, &self.environment, None))
    }
}

/// Writes entries to one place, without secrets.
#[derive(Clone)]
struct Destination {
    secrets: Secrets,
    sink: Sink,
}

#[derive(Clone)]
enum Sink {
    File(Arc<LogFile>),
    Terminal,
}

impl<'a> MakeWriter<'a> for Destination {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

impl Write for &Destination {
    /// Takes one whole entry: the formatter hands each over in a single call.
    fn write(&mut self, entry: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(entry);
        let clean = self.secrets.redactor().redact(&text);
        match &self.sink {
            Sink::File(log) => log.append(clean.as_bytes())?,
            Sink::Terminal => io::stderr().write_all(clean.as_bytes())?,
        }
        Ok(entry.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
