//! A real gateway with a scripted model behind it, and many who talk to it at once through its API.

mod crowd;
mod identity;
mod killed;
mod throughput;

use std::fmt::Write as _;
use std::net::TcpListener;
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use hermes_testkit::ModelServer;
use hermes_testkit::model_server::{ModelRequest, Reply, Script};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value as Json, json};

use super::Bench;
use super::http::Connection;
use super::start_up::quiet;

pub(super) use crowd::measure as crowd;
pub(super) use identity::measure as identity;
pub(super) use killed::measure as killed;
pub(super) use throughput::measure as throughput;

const KEY: &str = "a-key-for-this-benchmark-only";
const PATIENCE: Duration = Duration::from_secs(60);

/// A home for a gateway, and the model that its turns ask.
#[derive(Debug)]
struct Ground {
    hermes: PathBuf,
    home: PathBuf,
    work: PathBuf,
    address: String,
    server: ModelServer,
}

impl Ground {
    fn new(bench: &Bench, name: &str) -> anyhow::Result<Self> {
        let (home, work) = (bench.folder.join(format!("{name}-home")), bench.folder.join(format!("{name}-work")));
        std::fs::create_dir_all(&home).context("make a home")?;
        std::fs::create_dir_all(&work).context("make a folder to work in")?;
        // Free a moment ago, which is all that can be known.
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = free.context("find a free port")?;
        let server = ModelServer::serve(Script::rule(reply).with_models(["scripted"]));
        let config = json!({
            "model": {"provider": "lab", "default": "scripted"},
            "providers": {"lab": {"base_url": server.openai_url(), "api_key": "none"}},
            "terminal": {"cwd": work},
            "max_concurrent_sessions": 600,
            "display": {"busy_input_mode": "queue"},
            "gateway": {"api_server": {"enabled": true, "port": address.port(), "max_concurrent_runs": 600}},
        });
        std::fs::write(home.join("config.yaml"), config.to_string()).context("write config.yaml")?;
        std::fs::write(home.join(".env"), format!("API_SERVER_KEY={KEY}\n")).context("write .env")?;
        Ok(Self { hermes: bench.hermes.clone(), home, work, address: address.to_string(), server })
    }

    /// Starts the gateway and waits until it says that it serves.
    fn start(&self) -> anyhow::Result<Gateway> {
        let path = self.work.join("ready");
        let _ = std::fs::remove_file(&path);
        let ready = UnixDatagram::bind(&path).context("listen for its readiness")?;
        ready.set_read_timeout(Some(PATIENCE)).context("wait with an end")?;
        let mut command = quiet(&self.hermes, &["gateway", "run", "--force"], &self.home);
        let child = command.env("NOTIFY_SOCKET", &path).current_dir(&self.work).spawn().context("start the gateway")?;
        let gateway = Gateway(child);
        ready.recv(&mut [0; 64]).context("the gateway does not serve")?;
        // Platforms come up by themselves, each when it can.
        let start = Instant::now();
        while Connection::open(&self.address).is_err() {
            ensure!(start.elapsed() < PATIENCE, "nobody listens on {}", self.address);
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(gateway)
    }
}

/// A gateway's process; ended when it is dropped.
#[derive(Debug)]
struct Gateway(Child);

impl Gateway {
    /// What it holds now, itself alone.
    fn memory(&self) -> anyhow::Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).context("read its status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS line")?;
        let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().with_context(|| format!("VmRSS {line:?}"))?;
        Ok(kibibytes * 1024)
    }

    /// The kernel ends it, between any two of its instructions.
    fn kill(mut self) -> anyhow::Result<()> {
        self.0.kill().context("kill the gateway")?;
        self.0.wait().context("wait for the gateway").map(drop)
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // One that has ended already is no longer there to be told.
        let _ = kill_process(Pid::from_child(&self.0), Signal::INT);
        let _ = self.0.wait();
    }
}

/// Somebody who talks to the gateway: one conversation after its first answer.
#[derive(Debug)]
struct Caller {
    connection: Connection,
    key: String,
    session: Option<String>,
}

impl Caller {
    fn new(ground: &Ground, key: String) -> anyhow::Result<Self> {
        Ok(Self { connection: Connection::open(&ground.address)?, key, session: None })
    }

    /// Says something; the answer's text.
    fn say(&mut self, text: &str) -> anyhow::Result<String> {
        let body = json!({"model": "hermes", "messages": [{"role": "user", "content": text}]}).to_string();
        let bearer = format!("Bearer {KEY}");
        let mut headers = vec![("Authorization", bearer.as_str()), ("X-Hermes-Session-Key", &self.key)];
        if let Some(session) = &self.session {
            headers.push(("X-Hermes-Session-Id", session));
        }
        let answer = self.connection.post("/v1/chat/completions", &headers, &body)?;
        let shown = String::from_utf8_lossy(&answer.body);
        ensure!(answer.status == 200, "{} answered {}: {shown}", self.key, answer.status);
        self.session = answer.header("x-hermes-session-id").map(ToOwned::to_owned);
        let parsed: Json = serde_json::from_slice(&answer.body).with_context(|| format!("an answer {shown}"))?;
        let text = parsed["choices"][0]["message"]["content"].as_str();
        text.map(ToOwned::to_owned).with_context(|| format!("an answer without a text: {shown}"))
    }
}

/// `run N COMMAND` runs it that often and answers with all that it printed; `never` never answers.
fn reply(request: &ModelRequest) -> Reply {
    let messages = request.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let start = messages.iter().rposition(|message| message["role"] == "user").unwrap_or_default();
    let asked = messages.get(start).map(|message| text_of(&message["content"])).unwrap_or_default();
    let results: Vec<_> = messages.iter().skip(start).filter(|message| message["role"] == "tool").collect();
    let mut words = asked.splitn(3, ' ');
    match (words.next(), words.next().and_then(|count| count.parse().ok()), words.next()) {
        (Some("run"), Some(count), Some(command)) if results.len() < count => {
            let arguments = json!({ "command": command }).to_string();
            Reply::new().call(&format!("call_{}", messages.len()), "terminal", [arguments.as_str()])
        }
        (Some("run"), ..) => Reply::text(&printed(&results)),
        (Some("never"), ..) => Reply::never(),
        _ => Reply::text("done"),
    }
}

fn printed(results: &[&Json]) -> String {
    results.iter().fold(String::from("printed:\n"), |mut all, result| {
        let text = text_of(&result["content"]);
        let result: Json = serde_json::from_str(&text).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(all, "{}", result["output"].as_str().unwrap_or(&text).trim_end());
        all
    })
}

fn text_of(content: &Json) -> String {
    match content {
        Json::String(text) => text.clone(),
        parts => parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect(),
    }
}

/// Runs all of this at once, each on a thread of its own; the first failure, if any.
fn at_once<T: Send>(
    jobs: impl IntoIterator<Item = impl FnOnce() -> anyhow::Result<T> + Send>,
) -> anyhow::Result<Vec<T>> {
    std::thread::scope(|scope| {
        let running: Vec<_> = jobs.into_iter().map(|job| scope.spawn(job)).collect();
        let ended = running.into_iter().map(|job| job.join().unwrap_or_else(|_| anyhow::bail!("a caller panicked")));
        ended.collect::<Vec<_>>().into_iter().collect()
    })
}
