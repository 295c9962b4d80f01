//! `hermes chat`: a conversation in the terminal, or one answer for a script.
//!
//! Everything meets here and nothing is decided here: what was typed becomes an agent, a session and a surface.

mod control;
mod conversation;
mod images;
mod jobs;
mod turns;
mod worktree;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgAction, Args, ValueHint};
use hermes_agent::{NewSession, NobodyAnswers, Session, Which};
use hermes_approval::Yolo;
use hermes_model::resolve::Asked;
use hermes_proto::Fault;
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::turn::Surface;
use hermes_sandbox::memory;
use hermes_terminal::{
    Chat, Ending, Left, Narration, Opening, Prompt, TerminalPerson, TurnEnd, answer_once, approvals, combined_prompt,
    full_screen, is_interactive, line_chat, read_piped_input, write_usage_file,
};
use tokio::sync::mpsc;

use self::conversation::Talk;
use self::turns::Turns;
use super::compose::{self, Composed, Wanted};
use crate::context::{Context, usage};
use crate::exit::Failure;

/// The name under which sessions of the command line are kept.
const SOURCE: &str = "cli";
/// News that wait to be shown.
const WAITING_NEWS: usize = 64;

const AFTER_HELP: &str = "\
Without a configured model a built-in one answers, offline: lines that start with $ are run as commands, fenced blocks of \
python as scripts. Configure a real one:
  hermes auth add PROVIDER
  hermes model use PROVIDER/MODEL

Dangerous commands ask first. Where nobody can be asked (-q without a terminal, -Q, -z, --oneshot) they are refused, unless \
approvals.single_query_mode is approve or --yolo is given.

Examples:
  hermes chat                                    a conversation; /help tells what can be typed
  hermes chat -q '$ ls'                          one that begins with a message
  git diff | hermes -z 'review this'             one answer, for a script
  hermes chat --resume latest                    where you left off";

/// Talk with an agent in the terminal
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Typed {
    #[command(flatten)]
    flags: Flags,
}

/// What a chat can be told, also without naming the command.
#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct Flags {
    /// Begin with this message; without a terminal, with --oneshot or -Q it is the only one
    #[arg(short, long, value_name = "TEXT", value_hint = ValueHint::Other)]
    query: Option<String>,
    /// Print the answer to this alone on standard output, nothing else
    #[arg(short = 'z', value_name = "PROMPT", conflicts_with = "query", value_hint = ValueHint::Other)]
    answer_only: Option<String>,
    /// Leave after the first answer
    #[arg(long)]
    oneshot: bool,
    /// Print the answer only
    #[arg(short = 'Q', long)]
    quiet: bool,
    /// The model that answers, as MODEL or PROVIDER/MODEL
    #[arg(short, long, value_hint = ValueHint::Other)]
    model: Option<String>,
    /// The provider of the model
    #[arg(long, value_hint = ValueHint::Other)]
    provider: Option<String>,
    /// Only these groups of tools, by comma; --list-toolsets names them
    #[arg(short, long, value_delimiter = ',', value_name = "NAMES")]
    toolsets: Option<Vec<String>>,
    /// Go on with an earlier session: an id, a title or latest
    #[arg(short, long, value_name = "SESSION", value_hint = ValueHint::Other)]
    resume: Option<String>,
    /// Go on with the latest session of the terminal, or with this title
    #[arg(short, long = "continue", value_name = "TITLE", num_args = 0..=1, default_missing_value = "", conflicts_with = "resume")]
    continue_latest: Option<String>,
    /// Send these images along with the first message
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, action = ArgAction::Append)]
    image: Vec<PathBuf>,
    /// Run dangerous commands without asking; what is refused always stays refused
    #[arg(long)]
    yolo: bool,
    /// How often the model may be asked in one turn
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_turns: Option<u32>,
    /// Work in a new git worktree of the current repository
    #[arg(short, long)]
    worktree: bool,
    /// Work in this folder
    #[arg(long = "in", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    folder: Option<PathBuf>,
    /// Write what the answer cost to this file, as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    usage_file: Option<PathBuf>,
    /// Use the whole screen
    #[arg(long)]
    tui: bool,
    /// List the tools and leave
    #[arg(long)]
    list_tools: bool,
    /// List the groups of tools and leave
    #[arg(long)]
    list_toolsets: bool,
}

/// How the chat goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Lines,
    Screen,
    Once(Narration),
}

impl Flags {
    /// Whether the chat was told anything.
    pub(crate) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    fn manner(&self) -> Result<Manner, Failure> {
        let is_single = self.answer_only.is_some() || self.quiet || self.oneshot;
        match (is_single, is_interactive()) {
            (true, _) if self.answer_only.is_some() || self.quiet => Ok(Manner::Once(Narration::Quiet)),
            (true, _) => Ok(Manner::Once(Narration::Progress)),
            (false, true) if self.tui => Ok(Manner::Screen),
            (false, true) => Ok(Manner::Lines),
            (false, false) if self.tui => Err(usage("--tui needs a terminal")),
            (false, false) => Ok(Manner::Once(Narration::Progress)),
        }
    }

    fn which(&self) -> Option<Which> {
        match (&self.resume, &self.continue_latest) {
            (Some(name), _) => Some(Which::Named(name.clone())),
            (None, Some(title)) if title.is_empty() => Some(Which::LatestOf { source: SOURCE.to_owned() }),
            (None, Some(title)) => Some(Which::Named(title.clone())),
            (None, None) => None,
        }
    }
}

/// Options of a chat stand before another command, which would ignore them.
pub(crate) fn misplaced() -> Failure {
    usage("options of a chat stand before a command").hint("give them after it: hermes chat --help")
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    run_flags(typed.flags, context)
}

pub(crate) fn run_flags(flags: Flags, context: &mut Context) -> Result<(), Failure> {
    if flags.list_tools || flags.list_toolsets {
        return compose::list(flags.list_toolsets, context);
    }
    let manner = flags.manner()?;
    if let Manner::Once(_) = manner {
        memory::keep_what_is_freed();
    }
    let runtime = runtime(manner)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Fault::Failed, format_args!("no runtime: {error}")))?;
    let outcome = runtime.block_on(chat(flags, manner, context));
    // A read of standard input that nobody waits for must not keep the program.
    runtime.shutdown_background();
    outcome
}

/// A person who types is not kept waiting by a turn. A single answer has nothing beside it, so it does all on one thread: nothing
/// is handed over, and no thread has memory of its own.
fn runtime(manner: Manner) -> tokio::runtime::Builder {
    match manner {
        Manner::Once(_) => tokio::runtime::Builder::new_current_thread(),
        Manner::Lines | Manner::Screen => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(2);
            builder
        }
    }
}

async fn chat(flags: Flags, manner: Manner, context: &mut Context) -> Result<(), Failure> {
    let worktree = flags.worktree.then(|| worktree::make(flags.folder.as_deref(), context)).transpose()?;
    let wanted = Wanted {
        asked: Asked { model: flags.model.clone(), provider: flags.provider.clone() },
        toolsets: flags.toolsets.clone(),
        folder: worktree.as_ref().map(|made| made.folder.clone()).or_else(|| flags.folder.clone()),
        repository: worktree.map(|made| made.repository),
        max_turns: flags.max_turns,
        yolo: if flags.yolo { Yolo::On } else { Yolo::Off },
    };
    let composed = Composed::of(context, &wanted)?;
    composed.notes.iter().for_each(|note| context.note(format_args!("note: {note}")));
    let session = match flags.which() {
        Some(which) => composed.agent.resume(which).await?,
        None => composed.agent.new_session(NewSession::from(SOURCE)).await?,
    };
    let prompt = prompt(&flags, manner).await?;
    match manner {
        Manner::Once(narration) => once(&flags, composed, session, prompt, narration, context).await,
        Manner::Lines | Manner::Screen => talk(manner, composed, session, prompt, context).await,
    }
}

/// What is said first, if anything was given.
async fn prompt(flags: &Flags, manner: Manner) -> Result<Option<Prompt>, Failure> {
    let named = flags.query.as_deref().or(flags.answer_only.as_deref());
    let piped = match manner {
        Manner::Once(_) => read_piped_input()?,
        Manner::Lines | Manner::Screen => None,
    };
    let Some(text) = combined_prompt(named, piped.as_deref()) else {
        return if flags.image.is_empty() { Ok(None) } else { Err(usage("--image needs a message: give one with -q")) };
    };
    images::prompt(text, &flags.image).map(Some)
}

async fn once(
    flags: &Flags,
    composed: Composed,
    session: Session,
    prompt: Option<Prompt>,
    narration: Narration,
    context: &mut Context,
) -> Result<(), Failure> {
    let Some(prompt) = prompt else {
        return Err(usage("nothing was asked").hint("give a message with -q or -z, pipe one in, or use a terminal"));
    };
    let turns = Turns::new(Surface::SingleQuery, Arc::new(NobodyToAsk), Arc::new(NobodyAnswers));
    // Nobody listens: what comes of background commands is the answer's to tell.
    let (news, _) = mpsc::channel(WAITING_NEWS);
    let talk = Talk::new(composed, session, turns, news);
    let answered = answer_once(&talk, prompt, narration, &context.environment).await;
    talk.close().await;
    let end = answered?;
    if let Some(path) = &flags.usage_file {
        write_usage_file(path, &end)?;
    }
    of_ending(end)
}

fn of_ending(end: TurnEnd) -> Result<(), Failure> {
    match end.ending {
        Ending::Answered => Ok(()),
        Ending::Interrupted => Err(Failure::Code(130)),
        Ending::OutOfRounds => Err(Failure::new(Fault::Failed, "the turn used up its rounds before it was done")
            .hint(format_args!("go on with: hermes chat --resume {}, or give more with --max-turns", end.session))),
        Ending::Failed { message, hint, fault } => {
            let failure = Failure::new(fault, message);
            Err(match hint {
                Some(hint) => failure.hint(hint),
                None => failure,
            })
        }
    }
}

async fn talk(
    manner: Manner,
    composed: Composed,
    session: Session,
    first: Option<Prompt>,
    context: &mut Context,
) -> Result<(), Failure> {
    let (approver, desk) = approvals();
    let (news, incoming) = mpsc::channel(WAITING_NEWS);
    let home = composed.home.clone();
    let opening = Opening { banner: composed.banner(&session), first };
    let patience = Duration::from_secs(composed.agent.config().approvals.timeout);
    let person = Arc::new(TerminalPerson::new(approver.clone(), patience));
    let turns = Turns::new(Surface::Interactive, approver, person);
    let talk = Arc::new(Talk::new(composed, session, turns, news));
    let chat =
        Chat { conversation: talk.clone(), desk, news: incoming, opening, home, host: context.environment.clone() };
    let left = match manner {
        Manner::Screen => full_screen(chat).await,
        Manner::Lines | Manner::Once(_) => line_chat(chat).await,
    };
    talk.close().await;
    match left? {
        Left::Quit => Ok(()),
        Left::Signal(signal) => Err(Failure::Code(128 + signal)),
    }
}
