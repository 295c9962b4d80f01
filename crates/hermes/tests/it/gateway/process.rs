//! A gateway that a test has started, and a program that talks to it through its socket.

use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hermes_gateway::control::{Answer, Client, Request};
use hermes_testkit::ModelServer;
use hermes_testkit::model_server::{ModelRequest, Reply, Script};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::Sandbox;

/// Long enough for any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Ground {
    pub(crate) sandbox: Sandbox,
    pub(crate) server: ModelServer,
}

impl Ground {
    /// A home whose model does what it is told.
    pub(crate) fn new(settings: &str) -> Self {
        let (sandbox, server) = (Sandbox::new(), ModelServer::serve(Script::rule(reply)));
        let work = sandbox.home().join("../work");
        std::fs::create_dir_all(&work).unwrap();
        let work = work.canonicalize().unwrap();
        sandbox.write(
            "config.yaml",
            format!(
                "model: {{provider: lab, default: m-1}}\nproviders: {{lab: {{base_url: {}, api_key: lab-key-0123456789}}}}\nterminal: {{cwd: {}}}\n{settings}\n",
                server.openai_url(),
                work.display()
            ),
        );
        Self { sandbox, server }
    }

    /// Starts the gateway and waits until it says that it serves.
    pub(crate) fn start(&self) -> Gateway {
        self.start_with(&[])
    }

    pub(crate) fn start_with(&self, arguments: &[&str]) -> Gateway {
        std::fs::create_dir_all(self.sandbox.home()).unwrap();
        static STARTS: AtomicUsize = AtomicUsize::new(0);
        let path = self.sandbox.file(format!("ready-{}", STARTS.fetch_add(1, Ordering::Relaxed)));
        let ready = UnixDatagram::bind(&path).unwrap();
        ready.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut command = self.sandbox.command(["gateway", "run"]);
        command.args(arguments).env("NOTIFY_SOCKET", &path);
        let child = command.spawn().unwrap();
        let mut text = [0; 64];
        let length = ready.recv(&mut text).expect("the gateway does not serve");
        assert_eq!(&text[..length], b"READY=1");
        Gateway { child, home: self.sandbox.home() }
    }
}

pub(crate) struct Gateway {
    child: Child,
    home: PathBuf,
}

impl Drop for Gateway {
    /// A test that fails leaves no gateway behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Gateway {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn wait(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// The kernel ends it, between any two of its instructions.
    pub(crate) fn kill(self) {
        self.signal(Signal::KILL);
        self.wait();
    }

    pub(crate) async fn client(&self) -> Client {
        Client::connect(&self.home).await.unwrap()
    }

    /// A connection that gets what is delivered.
    pub(crate) async fn listener(&self) -> Client {
        let mut client = self.client().await;
        assert_eq!(client.ask(&Request::Listen).await.unwrap(), Answer::Done { found: true });
        client
    }
}

/// Says something in a chat of the platform `local`.
pub(crate) async fn say(client: &mut Client, chat: &str, id: &str, text: &str) {
    let (chat, user) = (chat.parse().unwrap(), format!("user-{chat}").parse().unwrap());
    let request = Request::Say { chat, user, id: id.parse().unwrap(), text: text.to_owned() };
    assert_eq!(client.ask(&request).await.unwrap(), Answer::Accepted { repeated: false });
}

/// The next delivery, acknowledged: its number, the message it answers, and its text.
pub(crate) async fn delivered(listener: &mut Client) -> (i64, String, String) {
    loop {
        let answer = tokio::time::timeout(PATIENCE, listener.next()).await.expect("nothing was delivered").unwrap();
        if let Some(found) = taken(listener, answer).await {
            return found;
        }
    }
}

/// A delivery, acknowledged; nothing for anything else that is told.
pub(crate) async fn taken(listener: &mut Client, answer: Answer) -> Option<(i64, String, String)> {
    let Answer::Delivery { id, reply_to, content, .. } = answer else { return None };
    // One that has died meanwhile cannot be told; it comes again with the same number.
    let _ = listener.send(&Request::Ack { delivery: id }).await;
    Some((id.0, reply_to.map(|id| id.to_string()).unwrap_or_default(), content.text().to_owned()))
}

/// `say X` answers X, `run X` runs it and answers with what it printed, `job X` runs it in the background, `heard` answers what was said,
/// `never` never answers,
/// `cat` shows the file that came with it, as carelessly as models write commands.
fn reply(request: &ModelRequest) -> Reply {
    let messages = request.body["messages"].as_array().unwrap();
    let last = messages.last().unwrap();
    let text = text_of(last);
    if last["role"] == "tool" {
        let result: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        return Reply::text(result["output"].as_str().unwrap_or(&text));
    }
    match text.split_once(' ').unwrap_or((&text, "")) {
        ("say", rest) => Reply::text(rest),
        ("run", command) => {
            let arguments = serde_json::json!({ "command": command }).to_string();
            Reply::new().call(&format!("c{}", messages.len()), "terminal", [arguments.as_str()])
        }
        ("job", command) => {
            let arguments =
                serde_json::json!({ "command": command, "background": true, "notify_on_complete": true }).to_string();
            Reply::new().call(&format!("c{}", messages.len()), "terminal", [arguments.as_str()])
        }
        ("heard", _) => {
            let said = messages.iter().filter(|message| message["role"] == "user").map(text_of);
            Reply::text(&said.collect::<Vec<_>>().join("|"))
        }
        ("cat", told) => {
            let path = told.rsplit_once(", at ").map(|(_, path)| path.trim_end_matches(']')).unwrap_or_default();
            let arguments = serde_json::json!({ "command": format!("cat {path}") }).to_string();
            Reply::new().call(&format!("c{}", messages.len()), "terminal", [arguments.as_str()])
        }
        ("never", _) => Reply::never(),
        _ => Reply::text("?"),
    }
}

fn text_of(message: &serde_json::Value) -> String {
    match &message["content"] {
        serde_json::Value::String(text) => text.clone(),
        parts => parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect(),
    }
}
