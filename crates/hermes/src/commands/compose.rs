//! An agent from a home: its models, tools, guard, store and places to work in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_agent::{
    Agent, AgentParts, ModelReviewer, Models, OpenWorkshop, Opened, Opening, Registry, Session, SessionId, Toolset,
    Workshops, tools,
};
use hermes_approval::{Guard, Yolo};
use hermes_environment::Workplace;
use hermes_home::Home;
use hermes_home::config::{Backend, Config};
use hermes_home::redact::Redactor;
use hermes_model::Model;
use hermes_model::resolve::{Asked, ResolveError, Sources};
use hermes_proto::HostEnvironment;
use hermes_store::Store;
use hermes_store::audit::Audit;

use super::local::Local;
use crate::context::{Context, usage};
use crate::exit::Failure;

/// What somebody needs to know who has configured nothing.
const OFFLINE: &str = "

The built-in model answers: it runs lines that begin with `$ `, for example `$ ls`, and says more when asked for `help`. For a \
real one run `hermes auth add PROVIDER` and `hermes model use PROVIDER/MODEL`.";

/// What the command line says about the agent.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) asked: Asked,
    pub(super) toolsets: Option<Vec<String>>,
    pub(super) folder: Option<PathBuf>,
    /// A repository's own files, which its worktree needs.
    pub(super) repository: Option<String>,
    pub(super) max_turns: Option<u32>,
    pub(super) yolo: Yolo,
}

/// An agent, and what surfaces need besides.
#[derive(Debug)]
pub(super) struct Composed {
    pub(super) agent: Agent,
    pub(super) guard: Guard,
    pub(super) config: Arc<Config>,
    pub(super) audit: Arc<Audit>,
    pub(super) home: Home,
    pub(super) store: Store,
    pub(super) sources: Sources,
    pub(super) environment: HostEnvironment,
    /// What the person should know before anything is said.
    pub(super) notes: Vec<String>,
    place: &'static str,
    is_offline: bool,
}

impl Composed {
    pub(super) fn of(context: &Context, wanted: &Wanted) -> Result<Self, Failure> {
        let local = Local::of(context)?;
        let mut config = local.config()?;
        if let Some(rounds) = wanted.max_turns {
            config.agent.max_turns = rounds;
        }
        config.terminal.sandbox_writable.extend(wanted.repository.clone());
        let folder = folder(wanted.folder.as_deref().unwrap_or_else(|| Path::new(&config.terminal.cwd)))?;
        let tools = chosen(wanted.toolsets.as_deref())?;
        let sources = Sources::read(&local.home, &context.environment, config.clone())?;
        let main = sources.resolve(&wanted.asked)?;
        let (mut notes, is_offline) = (main.notes.clone(), main.is_offline());
        let models = Models {
            main: main.into_model(),
            compression: task(&sources, "compression", &wanted.asked, &mut notes),
            delegation: delegation(&sources, &config, &mut notes),
        };
        let reviewer = (!is_offline)
            .then(|| task(&sources, "approval", &wanted.asked, &mut notes))
            .flatten()
            .map(|model| Arc::new(ModelReviewer::new(model, &config)) as _);
        let store = local.store(&config)?;
        let audit = local.audit(&config, &store);
        let guard = local.guard(&config, wanted.yolo, reviewer, audit.clone());
        notes.extend(guard.take_notes());
        let (home, place, redactor) = (local.home.clone(), place(&config)?, local.redactor(&config));
        let config = Arc::new(config);
        let workshops = Arc::new(Rooms { local, config: config.clone(), folder: folder.clone() });
        let agent = Agent::new(AgentParts {
            models,
            tools,
            guard: guard.clone(),
            store: store.clone(),
            home: home.clone(),
            config: config.clone(),
            redactor,
            workshops,
            folder,
        });
        let environment = context.environment.clone();
        Ok(Self { agent, guard, config, audit, home, store, sources, environment, notes, place, is_offline })
    }

    /// Has the session's place opened while its model is asked. A container is started for a command only.
    pub(super) async fn get_ready(&self, session: &Session) {
        let is_local = self.config.terminal.backend == Backend::Local;
        if is_local && session.tools().iter().any(|tool| tool.toolset().needs_place()) {
            session.workshop().open_ahead().await;
        }
    }

    /// Where commands run, in a word.
    pub(super) fn place(&self) -> &'static str {
        self.place
    }

    /// What a chat begins with, as markdown.
    pub(super) fn banner(&self, session: &Session) -> String {
        let (model, hint) = match self.is_offline {
            true => ("**offline**".to_owned(), OFFLINE),
            false => (format!("**{}**", session.model().id()), ""),
        };
        let session = match (session.is_empty(), session.title()) {
            (true, _) => "new session".to_owned(),
            (false, Some(title)) => format!("session *{title}*"),
            (false, None) => format!("session `{}`", session.id()),
        };
        format!("Hermes · {model} · {} · {session} · `/help`{hint}", self.place)
    }
}

/// The model of another task. One that cannot be used is told, and the main one does its work.
fn task(sources: &Sources, name: &str, asked: &Asked, notes: &mut Vec<String>) -> Option<Arc<dyn Model>> {
    match sources.resolve_task(name, asked) {
        Ok(resolution) => Some(resolution.into_model()),
        Err(error) => {
            notes.push(format!("auxiliary.{name} cannot be used: {error}"));
            None
        }
    }
}

/// The model of delegated tasks, if it is another one.
fn delegation(sources: &Sources, config: &Config, notes: &mut Vec<String>) -> Option<Arc<dyn Model>> {
    let named = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let asked = Asked { model: named(&config.delegation.model), provider: named(&config.delegation.provider) };
    if asked == Asked::default() {
        return None;
    }
    let resolved: Result<_, ResolveError> = sources.resolve(&asked);
    resolved
        .map_err(|error| notes.push(format!("delegation.model cannot be used: {error}")))
        .ok()
        .map(hermes_model::resolve::Resolution::into_model)
}

/// The folder that work is about, as it is called from everywhere.
fn folder(path: &Path) -> Result<PathBuf, Failure> {
    let unusable = |error| usage(format_args!("cannot work in {}: {error}", path.display()));
    let folder = path.canonicalize().map_err(unusable)?;
    if folder.is_dir() { Ok(folder) } else { Err(usage(format_args!("{} is not a folder", path.display()))) }
}

/// The tools that were asked for.
fn chosen(names: Option<&[String]>) -> Result<Registry, Failure> {
    let Some(names) = names else { return Ok(tools::all()) };
    let mut chosen = Vec::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        if name == "all" {
            return Ok(tools::all());
        }
        let known = Toolset::ALL.into_iter().find(|toolset| toolset.name() == name);
        let all = || Toolset::ALL.map(Toolset::name).join(", ");
        chosen.push(known.ok_or_else(|| {
            usage(format_args!("there is no toolset {name:?}")).hint(format_args!("there are: all, {}", all()))
        })?);
    }
    Ok(tools::all().narrowed(|tool| chosen.contains(&tool.toolset())))
}

/// `--list-tools` and `--list-toolsets`.
pub(super) fn list(is_sets: bool, context: &mut Context) -> Result<(), Failure> {
    if is_sets {
        return Toolset::ALL.into_iter().try_for_each(|toolset| context.line(toolset.name()));
    }
    tools::all().iter().try_for_each(|tool| context.line(format_args!("{:16} {}", tool.name(), tool.toolset().name())))
}

fn place(config: &Config) -> Result<&'static str, Failure> {
    match config.terminal.backend {
        Backend::Local => Ok("local"),
        Backend::Docker => Ok("docker"),
        other => Err(Local::no_backend(other)),
    }
}

/// The places of sessions, all in one folder.
#[derive(Debug, Clone)]
struct Rooms {
    local: Local,
    config: Arc<Config>,
    folder: PathBuf,
}

impl Workshops for Rooms {
    fn opener(&self, _session: &SessionId) -> Box<dyn OpenWorkshop> {
        Box::new(self.clone())
    }
}

impl OpenWorkshop for Rooms {
    fn open(&self) -> Opening<'_> {
        Box::pin(async {
            let terminal = &self.config.terminal;
            Ok(match terminal.backend {
                Backend::Docker => {
                    let (environment, notices) = self.local.start_docker(terminal, Some(self.folder.clone())).await?;
                    Opened { place: Workplace::Docker(Box::new(environment)), notices }
                }
                _ => {
                    // The first command would have to wait for it, and while the executor starts there is little else to do.
                    let get_ready = async {
                        tokio::task::yield_now().await;
                        Redactor::prepare();
                        hermes_policy::judge("true", &hermes_policy::Context::default());
                    };
                    let (started, ()) = tokio::join!(self.local.start(terminal, self.folder.clone()), get_ready);
                    let (environment, notices) = started?;
                    Opened { place: Workplace::Local(Box::new(environment)), notices }
                }
            })
        })
    }
}
