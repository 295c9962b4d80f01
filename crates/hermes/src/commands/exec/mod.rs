//! `hermes exec`: runs one command exactly as an agent would, or holds sessions for such commands.

mod isolation;
mod place;
mod print;
mod run;
mod serve;
mod signals;

use std::time::Duration;

use clap::{Args, ValueEnum};
use hermes_environment::CommandText;
use hermes_home::config::{self, Terminal};
use hermes_proto::Fault;
use hermes_proto::executor::Stdin;
use hermes_proto::session::SessionKey;

use crate::commands::local::Local;
use crate::context::{Context, usage};
use crate::exit::Failure;

const USAGE: &str = "hermes exec [OPTIONS] -- COMMAND...
       hermes exec [OPTIONS] -c 'SHELL TEXT'
       hermes exec --serve";

const AFTER_HELP: &str = "\
The exit code is the command's: 124 after a timeout, 130 after Ctrl-C, 128 + N after signal N.

State between commands (working directory, exported variables, functions, aliases) is kept per --session while
`hermes exec --serve` runs for this home. The session lives in the folder of its first command, and is
closed after terminal.lifetime_seconds without use. Without --serve every command has an environment of its own.";

/// Run one command the way an agent's would run
///
/// The command runs confined or in a container, with the environment, limits and working directory that an
/// agent's command has. Its output is printed as it comes, and its exit code is this program's.
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_help = AFTER_HELP)]
pub(crate) struct Typed {
    /// Shell text to run
    #[arg(short = 'c', value_name = "TEXT", conflicts_with = "words")]
    text: Option<String>,
    /// The session the command belongs to; its state is kept while somebody serves
    #[arg(long, value_name = "KEY")]
    session: Option<String>,
    /// Where to run it [default: terminal.backend]
    #[arg(long, value_enum)]
    backend: Option<Backend>,
    /// Seconds it may take [default: terminal.timeout]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    timeout: Option<f64>,
    /// Print one JSON object at the end instead of the output as it comes
    #[arg(long)]
    json: bool,
    /// Give it this program's standard input
    #[arg(long)]
    stdin: bool,
    /// Hold the sessions of this home until SIGTERM or Ctrl-C
    #[arg(long, conflicts_with_all = ["text", "words", "session", "timeout", "json", "stdin"])]
    serve: bool,
    /// A program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    words: Vec<String>,
}

/// The backends that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Backend {
    Local,
    Docker,
}

/// What was meant.
#[derive(Debug)]
enum Meant {
    Run(Exec),
    Serve(Option<Backend>),
}

/// One command.
#[derive(Debug)]
struct Exec {
    text: String,
    session: Option<SessionKey>,
    backend: Option<Backend>,
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

impl Meant {
    fn by(typed: Typed) -> Result<Self, Failure> {
        if typed.serve {
            return Ok(Self::Serve(typed.backend));
        }
        let text = match (typed.text, typed.words.as_slice()) {
            (Some(text), _) => text,
            (None, []) => {
                return Err(usage("no command to run").hint("give one as -- COMMAND..., or shell text with -c"));
            }
            (None, words) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        };
        let session = typed.session.map(SessionKey::try_from).transpose()?;
        let timeout = typed.timeout.map(seconds).transpose()?;
        let stdin = if typed.stdin { Stdin::Streamed } else { Stdin::Closed };
        let answer = if typed.json { Answer::Json } else { Answer::Output };
        Ok(Self::Run(Exec { text, session, backend: typed.backend, timeout, stdin, answer }))
    }
}

impl Exec {
    fn command(&self, terminal: &Terminal) -> CommandText {
        let timeout = self.timeout.unwrap_or(Duration::from_secs(terminal.timeout));
        CommandText { timeout: Some(timeout), ..CommandText::new(&self.text) }
    }
}

fn seconds(typed: f64) -> Result<Duration, Failure> {
    match Duration::try_from_secs_f64(typed) {
        Ok(timeout) if !timeout.is_zero() => Ok(timeout),
        _ => Err(usage(format_args!("--timeout {typed} is not a number of seconds above 0"))),
    }
}

/// A word as the shell reads it back: never as a keyword, an assignment or an alias.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The place to run in. One that was asked for in vain is never replaced by another.
fn backend(typed: Option<Backend>, terminal: &Terminal) -> Result<Backend, Failure> {
    match (typed, terminal.backend) {
        (Some(backend), _) => Ok(backend),
        (None, config::Backend::Local) => Ok(Backend::Local),
        (None, config::Backend::Docker) => Ok(Backend::Docker),
        (None, other) => {
            Err(Local::no_backend(other).hint("give --backend local, or run: hermes config set terminal.backend local"))
        }
    }
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    let meant = Meant::by(typed)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Fault::Failed, format_args!("no runtime: {error}")))?;
    let outcome = match meant {
        Meant::Run(exec) => runtime.block_on(run::run(&exec, context)),
        Meant::Serve(typed) => runtime.block_on(serve::run(typed, context)),
    };
    // A read of standard input or a write that nobody waits for must not keep the program.
    runtime.shutdown_background();
    outcome
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_words_and_nothing_else() {
        for (word, expected) in [("ls", "'ls'"), ("", "''"), ("A=b", "'A=b'"), ("it's", r"'it'\''s'"), ("if", "'if'")] {
            assert_eq!(quoted(word), expected);
        }
    }
}
