//! A home, a model server and a host for one test.
//!
//! The model does what the last message says: `say X` answers X, `call NAME` calls that tool and answers with its result, `ask Q|A|B` asks with
//! `clarify`, `never` never answers, `wait` answers when the test opens a gate, `grow X Y` says X and, then, Y.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hermes_agent::{
    Agent, AgentParts, Arguments, Models, OpenWorkshop, Opening, Registry, Schedule, SessionId, Tool, ToolContext,
    ToolFuture, ToolReply, Toolset, Workshops,
};
use hermes_approval::{Broker, Guard, GuardParts, GuardSettings, PermanentGrants, Yolo};
use hermes_environment::{EnvironmentError, WorkplaceError};
use hermes_gateway::pairing::Pairing;
use hermes_gateway::platforms::api::ApiServer;
use hermes_gateway::platforms::webhook::WebhookAdapter;
use hermes_gateway::platforms::{self, Setup, SetupError};
use hermes_gateway::{
    Accepted, Adapter, Chat, DeliveryError, Host, HostParts, HostView, Identifier, Inbox, Incoming, LedgerError,
    MessageNumber, Person, Repeats, Role,
};
use hermes_home::config::{self, Config, Overrides};
use hermes_home::redact::Redactor;
use hermes_home::{Asked, Home, HomeRoot};
use hermes_model::resolve::{self, Sources};
use hermes_proto::HostEnvironment;
use hermes_store::{Settings, Store};
use hermes_testkit::model_server::{Gate, ModelRequest, Reply, Script};
use hermes_testkit::{MemoryJournal, ModelServer};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::adapter::TestAdapter;

/// The key of its API.
pub(crate) const KEY: &str = "test-key-0123456789";
/// Long enough for any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Ground {
    folder: tempfile::TempDir,
    pub(crate) server: ModelServer,
    pub(crate) gate: Gate,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    settings: String,
    drain: Duration,
}

/// A host at work.
pub(crate) struct Running {
    pub(crate) inbox: Inbox,
    pub(crate) view: HostView,
    pub(crate) adapter: Arc<TestAdapter>,
    pub(crate) guard: Guard,
    /// If it is configured.
    pub(crate) api: Option<Arc<ApiServer>>,
    pub(crate) webhook: Option<Arc<WebhookAdapter>>,
    shutdown: CancellationToken,
    serving: JoinHandle<Result<(), LedgerError>>,
}

/// A host at work on its own platforms.
pub(crate) struct Serving {
    pub(crate) view: HostView,
    shutdown: CancellationToken,
    serving: JoinHandle<Result<(), LedgerError>>,
}

impl Serving {
    /// Stops it and waits for its end.
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        tokio::time::timeout(PATIENCE, self.serving).await.expect("it did not end").unwrap().unwrap();
    }
}

impl Ground {
    pub(crate) fn new() -> Self {
        let gate = Gate::new();
        let held = gate.clone();
        let server = ModelServer::serve(Script::rule(move |request| reply(request, &held)));
        let folder = tempfile::tempdir().unwrap();
        Self { folder, server, gate, tools: Vec::new(), settings: String::new(), drain: Duration::ZERO }
    }

    /// Lines of configuration.
    pub(crate) fn with(mut self, settings: &str) -> Self {
        self.settings.push_str(settings);
        self.settings.push('\n');
        self
    }

    pub(crate) fn with_drain(mut self, drain: Duration) -> Self {
        self.drain = drain;
        self
    }

    pub(crate) fn tool<F: Future<Output = ToolReply> + Send + 'static>(
        mut self,
        name: &'static str,
        work: impl Fn(ToolContext) -> F + Send + Sync + 'static,
    ) -> Self {
        let work: Box<Work> = Box::new(move |context| Box::pin(work(context)));
        self.tools.push(Arc::new(Made { name, work }));
        self
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn pairing(&self) -> Pairing {
        let environment = HostEnvironment::from_pairs([("HERMES_HOME", self.home())]);
        Pairing::of(&HomeRoot::find(&environment).unwrap().select(&Asked::Nothing).unwrap())
    }

    pub(crate) fn store(&self) -> Store {
        Store::of(&self.home(), Settings::default())
    }

    /// An API on a port of its own.
    pub(crate) fn serving_api(self, more: &str) -> Self {
        self.with(&format!("gateway: {{api_server: {{enabled: true, port: 0, key: {KEY}{more}}}}}"))
    }

    pub(crate) fn start(&self) -> Running {
        self.start_with(TestAdapter::new(Repeats::Shown))
    }

    /// A host on this home, as a new process would be.
    pub(crate) fn start_with(&self, adapter: Arc<TestAdapter>) -> Running {
        let (mut api, mut webhook) = (None, None);
        let (host, guard) = self.host(|setup| {
            api = ApiServer::configured(&setup).unwrap().map(Arc::new);
            webhook = WebhookAdapter::configured(&setup).unwrap();
            let served = api.clone().map(|api| api as Arc<dyn Adapter>);
            let hooks = webhook.clone().map(|webhook| webhook as Arc<dyn Adapter>);
            [adapter.clone() as Arc<dyn Adapter>].into_iter().chain(served).chain(hooks).collect()
        });
        let (inbox, view, shutdown) = (host.inbox(), host.view(), CancellationToken::new());
        let serving = tokio::spawn(host.run(shutdown.clone(), self.drain));
        Running { inbox, view, adapter, guard, api, webhook, shutdown, serving }
    }

    /// The same with the platforms that are configured, and these variables.
    pub(crate) fn start_platforms(&self, variables: &'static [(&'static str, &'static str)]) -> Serving {
        let variable = |name: &str| variables.iter().find(|(of, _)| *of == name).map(|(_, value)| (*value).to_owned());
        let (host, _) = self.host(|setup| platforms::configured(&Setup { variable: &variable, ..setup }).unwrap());
        let (view, shutdown) = (host.view(), CancellationToken::new());
        let serving = tokio::spawn(host.run(shutdown.clone(), self.drain));
        Serving { view, shutdown, serving }
    }

    fn host(&self, adapters: impl FnOnce(Setup<'_>) -> Vec<Arc<dyn Adapter>>) -> (Host, Guard) {
        let (root, home, config, sources) = self.read();
        let guard = guard(&config);
        let (agent, config) = self.agent(&home, config, &sources, &guard);
        let store = self.store();
        let adapters = adapters(setup(&root, &home, &config, &store, &sources));
        let parts = HostParts {
            agent,
            guard: guard.clone(),
            broker: Broker::new(Arc::new(MemoryJournal::default())),
            store,
            home,
            config,
            sources,
            adapters,
        };
        (Host::new(parts), guard)
    }

    /// The home with its configuration.
    fn read(&self) -> (HomeRoot, Home, Config, Arc<Sources>) {
        let environment = HostEnvironment::from_pairs([("HERMES_HOME", self.home())]);
        let root = HomeRoot::find(&environment).unwrap();
        let home = root.select(&Asked::Nothing).unwrap();
        let model = format!(
            "model: {{provider: lab, default: m-1}}\nproviders: {{lab: {{base_url: {}, api_key: lab-key-0123456789}}}}\n",
            self.server.openai_url()
        );
        std::fs::write(home.config_path(), format!("{model}{}", self.settings)).unwrap();
        let config = config::load(&home, &environment, &Overrides::default()).unwrap().config;
        let sources = Sources::read(&home, &environment, config.clone()).unwrap();
        (root, home, config, Arc::new(sources))
    }

    /// The webhooks of the configuration, or why there are none.
    pub(crate) fn configured_webhook(&self) -> Result<Option<Arc<WebhookAdapter>>, SetupError> {
        let (root, home, config, sources) = self.read();
        WebhookAdapter::configured(&setup(&root, &home, &Arc::new(config), &self.store(), &sources))
    }

    fn agent(&self, home: &Home, config: Config, sources: &Sources, guard: &Guard) -> (Agent, Arc<Config>) {
        let config = Arc::new(config);
        let main = sources.resolve(&resolve::Asked::default()).unwrap().into_model();
        let agent = Agent::new(AgentParts {
            models: Models::only(main),
            tools: Registry::new(self.tools.iter().cloned()),
            guard: guard.clone(),
            store: self.store(),
            home: home.clone(),
            config: config.clone(),
            redactor: Redactor::default(),
            workshops: Arc::new(NoWorkshops),
            folder: self.folder.path().to_owned(),
        });
        (agent, config)
    }
}

fn setup<'a>(
    root: &'a HomeRoot,
    home: &'a Home,
    config: &'a Arc<Config>,
    store: &'a Store,
    sources: &'a Arc<Sources>,
) -> Setup<'a> {
    Setup { root, home, config, store, sources, default_api_port: 0, variable: &|_| None }
}

fn guard(config: &Config) -> Guard {
    let settings = GuardSettings::configured(config, Yolo::Off);
    Guard::new(GuardParts::new(settings, Arc::new(MemoryJournal::default()), PermanentGrants::none()))
}

impl Running {
    /// Says something in a private chat; it was accepted.
    pub(crate) async fn says(&self, chat: &str, message: &str, text: &str) -> MessageNumber {
        self.accepts(direct(chat, message, text)).await
    }

    pub(crate) async fn accepts(&self, incoming: Incoming) -> MessageNumber {
        match self.inbox.accept(incoming).await.unwrap() {
            Accepted::New(number) => number,
            Accepted::Repeated => panic!("it was accepted before"),
        }
    }

    /// The text of the next delivery, which must go to this chat.
    pub(crate) async fn hears(&self, chat: &str) -> String {
        let outgoing = self.adapter.next().await;
        assert_eq!(outgoing.to.chat.as_str(), chat, "{outgoing:?}");
        outgoing.content.text().to_owned()
    }

    /// The text of the next delivery.
    pub(crate) async fn hears_any(&self) -> String {
        self.adapter.next().await.content.text().to_owned()
    }

    /// Tells it to stop, and does not wait.
    pub(crate) fn begin_to_stop(&self) {
        self.shutdown.cancel();
    }

    /// Stops it and waits for its end.
    pub(crate) async fn stop(self) -> Arc<TestAdapter> {
        self.shutdown.cancel();
        tokio::time::timeout(PATIENCE, self.serving).await.expect("it did not end").unwrap().unwrap();
        self.adapter
    }

    /// Ends it as a kill does: nothing more is done, not even what was about to be.
    pub(crate) async fn kill(self) -> Arc<TestAdapter> {
        // A task that is aborted runs to its next pause: what it would still deliver has not arrived.
        self.adapter.answer_with(|_| Err(DeliveryError::later("dead")));
        self.serving.abort();
        let _ = self.serving.await;
        self.adapter
    }
}

pub(crate) fn id(text: &str) -> Identifier {
    text.parse().unwrap()
}

pub(crate) fn direct(chat: &str, message: &str, text: &str) -> Incoming {
    let chat_of = Chat::direct("test".parse().unwrap(), id(chat));
    Incoming::text(chat_of, Person::new(id(&format!("user-{chat}")), Role::Admin), id(message), text)
}

/// What the model says to this request.
fn reply(request: &ModelRequest, gate: &Gate) -> Reply {
    let messages = request.body["messages"].as_array().unwrap();
    let last = messages.last().unwrap();
    let text = text_of(last);
    if last["role"] == "tool" {
        return Reply::text(if text.len() > 300 { "done" } else { &text });
    }
    let (verb, rest) = text.split_once(' ').unwrap_or((&text, ""));
    let call = format!("c{}", messages.len());
    match verb {
        "say" => Reply::text(rest),
        "call" => Reply::new().call(&call, rest, ["{}"]),
        "ask" => {
            let mut words = rest.split('|');
            let question = json!({"question": words.next(), "choices": words.collect::<Vec<_>>()}).to_string();
            Reply::new().call(&call, "clarify", [question.as_str()])
        }
        "never" => Reply::never(),
        "denied" => Reply::wrong_key(),
        "wait" => Reply::new().hold(gate).then_text([rest]),
        "grow" => {
            let (first, after) = rest.split_once(' ').unwrap_or((rest, ""));
            Reply::new().then_text([first]).hold(gate).then_text([" ", after])
        }
        "heard" => Reply::text(&all_said(messages)),
        "told" => Reply::text(&instructions(messages)),
        "images" => Reply::text(&format!("{} images", images(messages))),
        "slowly" => Reply::new().then_text(["one "]).hold(gate).then_text(["two"]),
        "fail" => Reply::status(400, r#"{"error":{"message":"no","type":"invalid_request_error"}}"#),
        _ => Reply::text(&format!("you said {text:?}")),
    }
}

fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect(),
    }
}

/// What a caller told the model, behind the agent's own prompt.
fn instructions(messages: &[Value]) -> String {
    let told = messages.iter().skip(1).filter(|message| message["role"] == "system").map(text_of);
    told.collect::<Vec<_>>().join("|")
}

fn images(messages: &[Value]) -> usize {
    let parts = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    parts.filter(|part| part["type"] == "image_url").count()
}

fn all_said(messages: &[Value]) -> String {
    let said = messages.iter().filter(|message| message["role"] == "user").map(text_of);
    said.collect::<Vec<_>>().join("|")
}

type Work = dyn Fn(ToolContext) -> Pin<Box<dyn Future<Output = ToolReply> + Send>> + Send + Sync;

struct Made {
    name: &'static str,
    work: Box<Work>,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

impl Tool for Made {
    fn name(&self) -> &'static str {
        self.name
    }

    fn toolset(&self) -> Toolset {
        Toolset::Terminal
    }

    fn description(&self) -> &'static str {
        "a tool of a test"
    }

    fn parameters(&self) -> Value {
        json!({"type": "object", "properties": {}})
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Beside
    }

    fn preview(&self, arguments: &Value) -> String {
        arguments.to_string()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, _arguments: Arguments) -> ToolFuture<'a> {
        (self.work)(context.clone())
    }
}

#[derive(Debug)]
struct NoWorkshops;

impl Workshops for NoWorkshops {
    fn opener(&self, _session: &SessionId) -> Box<dyn OpenWorkshop> {
        Box::new(NoWorkshops)
    }
}

impl OpenWorkshop for NoWorkshops {
    fn open(&self) -> Opening<'_> {
        Box::pin(async {
            let none = std::io::Error::other("there is no workshop in this test");
            Err(WorkplaceError::Local(EnvironmentError::Start(none)))
        })
    }
}
