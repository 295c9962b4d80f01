//! `hermes approvals check`: the verdict on a command, without running it.
//!
//! Scripts feed thousands of commands through `--jsonl`, so nothing here touches
//! the home folder: the verdict needs its path only.

use std::io::{self, BufRead, Read};

use clap::{Args, ValueEnum, ValueHint};
use hermes_policy::{Class, Verdict, judge};
use hermes_proto::Fault;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::{Context, usage};
use crate::exit::Failure;

const AFTER_HELP: &str = "\
The exit code is 0 whatever the verdict is: read what is printed. With --jsonl a line that is no
{\"cmd\": \"…\"} gets {\"error\": \"…\"} in its place, and the exit code is 1 at the end.";

/// Print the verdict on a command; the command is not run
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Typed {
    /// The command, as one argument; - reads it from standard input
    #[arg(value_name = "COMMAND", required_unless_present = "jsonl", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    command: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Read {"cmd": "…"} lines from standard input, print one JSON object for each
    #[arg(long, conflicts_with_all = ["command", "json"])]
    jsonl: bool,
    /// Also say what becomes of it on this surface, with the default settings
    #[arg(long, value_enum, value_name = "SURFACE")]
    surface: Option<Surface>,
    /// Also say what becomes of it where commands run there, with the default settings
    #[arg(long, value_enum, value_name = "BACKEND")]
    backend: Option<Backend>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Surface {
    Interactive,
    Gateway,
    Ask,
    Cron,
    Headless,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Backend {
    Local,
    Docker,
    Ssh,
}

/// What was asked for.
struct Check {
    what: What,
    /// Where it would be decided, if that was said.
    at: Option<(Surface, Backend)>,
}

enum What {
    One { command: String, form: Form },
    Lines,
}

enum Form {
    Plain,
    Json,
}

impl TryFrom<Typed> for Check {
    type Error = Failure;

    fn try_from(typed: Typed) -> Result<Self, Failure> {
        let at = match (typed.surface, typed.backend) {
            (None, None) => None,
            (surface, backend) => Some((surface.unwrap_or(Surface::Interactive), backend.unwrap_or(Backend::Local))),
        };
        if typed.jsonl {
            return Ok(Self { what: What::Lines, at });
        }
        let command = match typed.command {
            Some(dash) if dash == "-" => from_input()?,
            Some(command) => command,
            None => return Err(usage("no command was given")),
        };
        let form = if typed.json { Form::Json } else { Form::Plain };
        Ok(Self { what: What::One { command, form }, at })
    }
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    let place = place(context);
    let Check { what, at } = Check::try_from(typed)?;
    match what {
        What::Lines => lines(&place, at, context),
        What::One { command, form } => {
            let verdict = judge(&command, &place);
            match form {
                Form::Plain => plain(&verdict, at, context),
                Form::Json => context.line(one(&verdict, at)),
            }
        }
    }
}

/// What becomes of a command with the default settings: a person is asked where one is there,
/// a container without a host mount needs no asking.
fn decision(class: Class, (surface, backend): (Surface, Backend)) -> &'static str {
    match (class, backend, surface) {
        (Class::Floor, _, _) => "refuse",
        (Class::Allow, _, _) | (Class::Ask, Backend::Docker, _) => "run",
        (Class::Ask, _, Surface::Interactive | Surface::Gateway | Surface::Ask) => "ask",
        (Class::Ask, _, Surface::Cron | Surface::Headless) => "refuse",
    }
}

/// Where the command would run: this folder, this user's home.
fn place(context: &Context) -> hermes_policy::Context {
    let home = context.environment.text("HOME").map(ToOwned::to_owned);
    let hermes_home = context.root().ok().map(|root| root.path().to_string_lossy().into_owned());
    let folder = std::env::current_dir().ok().map(|folder| folder.to_string_lossy().into_owned());
    hermes_policy::Context { home, hermes_home, folder }
}

fn from_input() -> Result<String, Failure> {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text).map_err(|error| input(&error))?;
    Ok(text)
}

fn input(error: &io::Error) -> Failure {
    Failure::new(Fault::Failed, format_args!("cannot read standard input: {error}"))
}

fn plain(verdict: &Verdict, at: Option<(Surface, Backend)>, context: &mut Context) -> Result<(), Failure> {
    match verdict.class {
        Class::Allow => context.line("allow")?,
        class => context.line(format_args!("{}  {}  {}", class.name(), verdict.rule, verdict.reason))?,
    }
    if !verdict.command.is_empty() {
        context.line(format_args!("command: {}", verdict.command))?;
    }
    match at {
        Some(at) => context.line(format_args!("decision: {}", decision(verdict.class, at))),
        None => Ok(()),
    }
}

/// One verdict; an allowed command has no rule and no reason.
fn one(verdict: &Verdict, at: Option<(Surface, Backend)>) -> Value {
    let mut line = json!({ "verdict": verdict.class.name(), "rule": verdict.rule, "reason": verdict.reason });
    if !verdict.command.is_empty() {
        line["command"] = json!(verdict.command);
    }
    if let Some(at) = at {
        line["decision"] = json!(decision(verdict.class, at));
    }
    line
}

#[derive(Deserialize)]
struct Line {
    cmd: String,
}

fn lines(place: &hermes_policy::Context, at: Option<(Surface, Backend)>, context: &mut Context) -> Result<(), Failure> {
    let mut failed = false;
    for line in io::stdin().lock().split(b'\n') {
        let line = line.map_err(|error| input(&error))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Line>(&line) {
            Ok(line) => context.line(one(&judge(&line.cmd, place), at))?,
            Err(error) => {
                failed = true;
                context.line(json!({ "error": format!("not a {{\"cmd\": \"…\"}} line: {error}") }))?;
            }
        }
    }
    if failed { Err(Failure::Silent(Fault::Failed)) } else { Ok(()) }
}
