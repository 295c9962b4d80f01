//! `hermes approvals check`: the verdict on a command, without running it.
//!
//! Scripts feed thousands of commands through `--jsonl`, so a verdict touches no home folder:
//! it needs its path only. A decision depends on the configuration, which is read once.

use std::io::{self, BufRead, Read};

use clap::{Args, ValueHint};
use hermes_policy::decide::Decision;
use hermes_policy::{Class, SudoPassword, Verdict, findings, judge};
use hermes_proto::Fault;
use serde::Deserialize;
use serde_json::{Value, json};

use super::decision::{At, Backend, Surface, sentence};
use crate::context::{Context, usage};
use crate::exit::Failure;

const AFTER_HELP: &str = "\
The exit code is 0 whatever the verdict is: read what is printed. With --jsonl a line that is no
{\"cmd\": \"…\"} gets {\"error\": \"…\"} in its place, and the exit code is 1 at the end.

A verdict reads nothing from the home. A decision (--surface, --backend) follows its config.yaml, or the
defaults where there is none, for somebody who can be asked and has allowed nothing in this session.";

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
    /// Also say what becomes of it on this surface, by the configuration
    #[arg(long, value_enum, value_name = "SURFACE")]
    surface: Option<Surface>,
    /// Also say what becomes of it where commands run there, by the configuration
    #[arg(long, value_enum, value_name = "BACKEND")]
    backend: Option<Backend>,
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
    let at = at.map(|(surface, backend)| At::new(surface, backend, context)).transpose()?;
    match what {
        What::Lines => lines(&place, at.as_ref(), context),
        What::One { command, form } => {
            let looked = Looked::at(&command, &place, at.as_ref());
            match form {
                Form::Plain => plain(&looked, context),
                Form::Json => context.line(one(&looked)),
            }
        }
    }
}

/// What is said about one command.
struct Looked {
    verdict: Verdict,
    decision: Option<Decision>,
}

impl Looked {
    fn at(command: &str, place: &hermes_policy::Context, at: Option<&At>) -> Self {
        match at {
            None => Self { verdict: judge(command, place), decision: None },
            Some(at) => {
                let (verdict, decision) = at.decide(findings(command, place));
                Self { verdict, decision: Some(decision) }
            }
        }
    }
}

/// Where the command would run: this folder, this user's home.
fn place(context: &Context) -> hermes_policy::Context {
    let home = context.environment.text("HOME").map(ToOwned::to_owned);
    let hermes_home = context.root().ok().map(|root| root.path().to_string_lossy().into_owned());
    let folder = std::env::current_dir().ok().map(|folder| folder.to_string_lossy().into_owned());
    let sudo_password = match context.environment.text("SUDO_PASSWORD") {
        Some(_) => SudoPassword::Configured,
        None => SudoPassword::Missing,
    };
    hermes_policy::Context { home, hermes_home, folder, sudo_password }
}

fn from_input() -> Result<String, Failure> {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text).map_err(|error| input(&error))?;
    Ok(text)
}

fn input(error: &io::Error) -> Failure {
    Failure::new(Fault::Failed, format_args!("cannot read standard input: {error}"))
}

fn plain(Looked { verdict, decision }: &Looked, context: &mut Context) -> Result<(), Failure> {
    match verdict.class {
        Class::Allow => context.line("allow")?,
        class => context.line(format_args!("{}  {}  {}", class.name(), verdict.rule, verdict.reason))?,
    }
    if !verdict.command.is_empty() {
        context.line(format_args!("command: {}", verdict.command))?;
    }
    match decision {
        Some(decision) => context.line(format_args!("decision: {}  {}", decision.name(), sentence(*decision))),
        None => Ok(()),
    }
}

/// One verdict; an allowed command has no rule and no reason.
fn one(Looked { verdict, decision }: &Looked) -> Value {
    let mut line = json!({ "verdict": verdict.class.name(), "rule": verdict.rule, "reason": verdict.reason });
    if !verdict.command.is_empty() {
        line["command"] = json!(verdict.command);
    }
    if let Some(decision) = decision {
        line["decision"] = json!(decision.name());
        line["because"] = json!(sentence(*decision));
    }
    line
}

#[derive(Deserialize)]
struct Line {
    cmd: String,
}

fn lines(place: &hermes_policy::Context, at: Option<&At>, context: &mut Context) -> Result<(), Failure> {
    let mut failed = false;
    for line in io::stdin().lock().split(b'\n') {
        let line = line.map_err(|error| input(&error))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Line>(&line) {
            Ok(line) => context.line(one(&Looked::at(&line.cmd, place, at)))?,
            Err(error) => {
                failed = true;
                context.line(json!({ "error": format!("not a {{\"cmd\": \"…\"}} line: {error}") }))?;
            }
        }
    }
    if failed { Err(Failure::Silent(Fault::Failed)) } else { Ok(()) }
}
