//! `hermes exec`: runs one command exactly as an agent would.

mod once;
mod signals;

use std::time::Duration;

use clap::{Args, ValueEnum};
use hermes_environment::CommandText;
use hermes_proto::Fault;
use hermes_proto::executor::Stdin;

use crate::context::{Context, usage};
use crate::exit::Failure;

/// Run one command the way an agent's would run
///
/// The command runs confined, with the environment, limits and working directory that an
/// agent's command has. Its output is printed as it comes, and its exit code is this program's.
#[derive(Debug, Args)]
#[command(override_usage = "hermes exec [OPTIONS] -- COMMAND...\n       hermes exec [OPTIONS] -c 'SHELL TEXT'")]
pub(crate) struct Typed {
    /// Shell text to run
    #[arg(short = 'c', value_name = "TEXT", conflicts_with = "words")]
    text: Option<String>,
    /// The session the command belongs to
    #[arg(long, value_name = "KEY")]
    session: Option<String>,
    /// Where to run it
    #[arg(long, value_enum, default_value = "local")]
    backend: Backend,
    /// Seconds it may take [default: terminal.timeout]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// Print one JSON object at the end instead of the output as it comes
    #[arg(long)]
    json: bool,
    /// Give it this program's standard input
    #[arg(long)]
    stdin: bool,
    /// A program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    words: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Backend {
    Local,
}

/// What was meant.
#[derive(Debug)]
struct Exec {
    text: String,
    session: Option<String>,
    timeout: Option<Duration>,
    stdin: Stdin,
    answer: Answer,
}

/// How the outcome is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Output,
    Json,
}

impl Exec {
    fn of(typed: Typed) -> Result<Self, Failure> {
        let Backend::Local = typed.backend;
        let text = match (typed.text, typed.words.as_slice()) {
            (Some(text), _) => text,
            (None, []) => {
                return Err(usage("no command to run").hint("give one as -- COMMAND..., or shell text with -c"));
            }
            (None, words) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        };
        let timeout = typed.timeout.map(seconds).transpose()?;
        let stdin = if typed.stdin { Stdin::Streamed } else { Stdin::Closed };
        let answer = if typed.json { Answer::Json } else { Answer::Output };
        Ok(Self { text, session: typed.session, timeout, stdin, answer })
    }

    fn command(&self, default_timeout: Duration) -> CommandText {
        CommandText { timeout: Some(self.timeout.unwrap_or(default_timeout)), ..CommandText::new(&self.text) }
    }
}

fn seconds(typed: f64) -> Result<Duration, Failure> {
    match Duration::try_from_secs_f64(typed) {
        Ok(timeout) if !timeout.is_zero() => Ok(timeout),
        _ => Err(usage(format_args!("--timeout {typed} is not a number of seconds above 0"))),
    }
}

/// A word as the shell reads it back.
fn quoted(word: &str) -> String {
    hermes_home::files::quoted(std::path::Path::new(word))
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    let exec = Exec::of(typed)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Fault::Failed, format_args!("no runtime: {error}")))?;
    let outcome = runtime.block_on(once::run(&exec, context));
    // A read of standard input that nobody needs any more must not keep the program.
    runtime.shutdown_background();
    outcome
}
