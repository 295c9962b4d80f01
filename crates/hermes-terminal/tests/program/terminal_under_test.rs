//! A chat with a scripted conversation, for the tests: `hermes chat` without an agent.
//!
//! What a message does is in the message: see `Scripted::turn`.

use std::fmt;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_agent::{Person, Question, ToolOutcome, TurnEvent};
use hermes_home::{Asked, HomeRoot};
use hermes_proto::HostEnvironment;
use hermes_proto::consent::{ActionKind, Approver, Consent, ConsentRequest, Finding, Offer, Scope, SecretRequest};
use hermes_proto::message::Usage;
use hermes_terminal::{
    Candidates, Chat, Control, Conversation, Ending, Headline, Job, Left, Narration, News, Opening, Pending, Prompt,
    Reply, TerminalApprover, TerminalPerson, TurnEnd, Watch, answer_once, approvals, combined_prompt, full_screen,
    line_chat, read_piped_input,
};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let Ok(runtime) = runtime else { return ExitCode::FAILURE };
    let code = runtime.block_on(run(&arguments));
    // What still runs in the background is not waited for.
    runtime.shutdown_background();
    ExitCode::from(code)
}

/// `line|tui|once [FIRST MESSAGE]`
async fn run(arguments: &[String]) -> u8 {
    let host = HostEnvironment::capture();
    let (approver, desk) = approvals();
    let (sender, news) = mpsc::channel(8);
    let background = Mutex::new(JoinSet::new());
    let conversation = Arc::new(Scripted { approver, news: sender, background });
    let first = arguments.get(1).map(String::as_str);
    let left = match arguments.first().map(String::as_str) {
        Some("once") => return once(&conversation, first, &host).await,
        mode => {
            let home = HomeRoot::find(&host).and_then(|root| root.select(&Asked::Nothing));
            let Ok(home) = home else { return 3 };
            let opening = Opening { banner: "**under test**".to_owned(), first: first.map(Prompt::text) };
            let chat = Chat { conversation, desk, news, opening, home, host };
            if mode == Some("tui") { full_screen(chat).await } else { line_chat(chat).await }
        }
    };
    match left {
        Ok(Left::Quit) => 0,
        Ok(Left::Signal(number)) => 128 + number,
        Err(_) => 1,
    }
}

async fn once(conversation: &Arc<Scripted>, first: Option<&str>, host: &HostEnvironment) -> u8 {
    let Ok(piped) = read_piped_input() else { return 3 };
    let Some(prompt) = combined_prompt(first, piped.as_deref()) else { return 2 };
    let narration = if prompt.contains("quiet") { Narration::Quiet } else { Narration::Progress };
    match answer_once(&**conversation, Prompt::text(prompt), narration, host).await {
        Ok(end) if end.ending == Ending::Answered => 0,
        Ok(_) => 4,
        Err(_) => 1,
    }
}

struct Scripted {
    approver: Arc<TerminalApprover>,
    news: mpsc::Sender<News>,
    background: Mutex<JoinSet<()>>,
}

impl fmt::Debug for Scripted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Scripted")
    }
}

impl Conversation for Scripted {
    fn send(&self, prompt: Prompt, watch: Watch) -> Pending<'_, TurnEnd> {
        Box::pin(async move {
            let text = match &prompt {
                Prompt::Again => "again".to_owned(),
                Prompt::Say(parts) => parts.iter().filter_map(|part| part.as_text()).collect(),
            };
            watch.observer.saw(TurnEvent::Thinking { round: 1, model: "scripted".to_owned() });
            self.turn(&text, &watch).await
        })
    }

    fn control(&self, control: Control, _watch: Watch) -> Pending<'_, Reply> {
        Box::pin(async move {
            match control {
                Control::Background(text) => self.start_background(&text),
                Control::Undo => Reply::Failed("nothing to undo".to_owned()),
                control => Reply::Done(format!("control `{control:?}`")),
            }
        })
    }

    fn headline(&self) -> Headline {
        Headline {
            model: "scripted".to_owned(),
            session: "a session".to_owned(),
            place: "nowhere".to_owned(),
            warning: String::new(),
        }
    }

    fn candidates(&self, of: Candidates) -> Vec<String> {
        match of {
            Candidates::Models => vec!["model-one".to_owned(), "other".to_owned()],
            Candidates::Sessions => vec!["latest".to_owned()],
        }
    }
}

impl Scripted {
    async fn turn(&self, text: &str, watch: &Watch) -> TurnEnd {
        let say = |delta: &str| watch.observer.saw(TurnEvent::Text { delta: delta.to_owned() });
        let answer = match text.split(' ').next().unwrap_or_default() {
            "ask" => format!("consent {:?}\n", self.ask(&request("rm -r build", 600)).await),
            "ask-briefly" => format!("consent {:?}\n", self.ask(&request("rm -r build", 3)).await),
            "ask-twice" => {
                let (one, two) = (request("first", 600), request("second", 600));
                let (one, two) = tokio::join!(self.ask(&one), self.ask(&two));
                format!("consents {one:?} and {two:?}\n")
            }
            "clarify" => self.clarify(&["red", "green"], 600).await,
            "clarify-openly" => self.clarify(&[], 600).await,
            "clarify-briefly" => self.clarify(&[], 3).await,
            "secret" => {
                let request =
                    SecretRequest { purpose: "password for sudo".to_owned(), patience: Duration::from_secs(600) };
                let secret = self.approver.ask_secret(&request).await;
                format!("secret of {:?} letters\n", secret.map(|secret| secret.expose().len()))
            }
            "wait" => return self.wait(watch).await,
            "notice-and-wait" => {
                watch.observer.saw(TurnEvent::Notice { text: "about to wait".to_owned() });
                return self.wait(watch).await;
            }
            "evil" => "\u{1b}[2J\u{1b}[HOWNED\u{7} \u{1b}]0;title\u{7}\rover \u{202e}txt\n".to_owned(),
            "rich" => RICH.to_owned(),
            "change" => {
                watch.observer.saw(finished("write_file", "notes.md", Some("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n")));
                "changed\n".to_owned()
            }
            "notice" => {
                watch.observer.saw(TurnEvent::Notice { text: "something to know".to_owned() });
                "said\n".to_owned()
            }
            "long" => (1..=100).map(|number| format!("paragraph {number}\n\n")).collect(),
            "panic" => panic!("a bug in the conversation"),
            "panic-elsewhere" => {
                let mut tasks = JoinSet::new();
                tasks.spawn(async { panic!("a bug in a task") });
                while tasks.join_next().await.is_some() {}
                "went on\n".to_owned()
            }
            "jobs" => {
                let job = Job { id: "job-1".to_owned(), command: "sleep 100".to_owned(), state: "running".to_owned() };
                // Nobody reads any more only when the chat is over.
                let _ = self.news.send(News::Jobs(vec![job])).await;
                "listed\n".to_owned()
            }
            _ => format!("you said: {text}\n"),
        };
        say(&answer);
        ended(Ending::Answered, answer)
    }

    /// Works until it is interrupted.
    async fn wait(&self, watch: &Watch) -> TurnEnd {
        let call = || "1".into();
        watch.observer.saw(TurnEvent::ToolStarted {
            call: call(),
            tool: "terminal".to_owned(),
            preview: "sleep 1000".to_owned(),
        });
        watch.observer.saw(TurnEvent::ToolOutput { call: call(), text: "first line\nsecond line\n".to_owned() });
        watch.cancellation.cancelled().await;
        watch.observer.saw(TurnEvent::ToolFinished {
            call: call(),
            tool: "terminal".to_owned(),
            outcome: ToolOutcome::Interrupted,
            summary: String::new(),
            diff: None,
            duration: Duration::from_secs(1),
        });
        ended(Ending::Interrupted, String::new())
    }

    async fn ask(&self, request: &ConsentRequest) -> Consent {
        self.approver.ask(request).await
    }

    async fn clarify(&self, choices: &[&str], seconds: u64) -> String {
        let person = TerminalPerson::new(self.approver.clone(), Duration::from_secs(seconds));
        let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
        let question = Question { text: "Which colour?".to_owned(), choices };
        format!("answer {:?}\n", person.clarify(&question).await)
    }

    fn start_background(&self, text: &str) -> Reply {
        let (approver, news, text) = (self.approver.clone(), self.news.clone(), text.to_owned());
        let Ok(mut background) = self.background.lock() else { return Reply::Failed("poisoned".to_owned()) };
        background.spawn(async move {
            let notice = match text.as_str() {
                "ask" => format!("background consent {:?}", approver.ask(&request("from behind", 600)).await),
                text => format!("background said {text}"),
            };
            let _ = news.send(News::Notice(notice)).await;
        });
        Reply::Done("started".to_owned())
    }
}

fn request(action: &str, seconds: u64) -> ConsentRequest {
    ConsentRequest {
        request: "test".to_owned(),
        kind: ActionKind::Command,
        action: action.to_owned(),
        place: "the test".to_owned(),
        findings: vec![Finding {
            key: "removal".to_owned(),
            reason: "removes files".to_owned(),
            about: action.to_owned(),
        }],
        offers: vec![
            Offer { scope: Scope::Once, allows: "this command, now".to_owned() },
            Offer { scope: Scope::Session, allows: "removal in this session".to_owned() },
        ],
        patience: Duration::from_secs(seconds),
    }
}

fn finished(tool: &str, summary: &str, diff: Option<&str>) -> TurnEvent {
    TurnEvent::ToolFinished {
        call: "1".into(),
        tool: tool.to_owned(),
        outcome: ToolOutcome::Done,
        summary: summary.to_owned(),
        diff: diff.map(str::to_owned),
        duration: Duration::from_millis(1234),
    }
}

fn ended(ending: Ending, answer: String) -> TurnEnd {
    TurnEnd {
        ending,
        answer,
        usage: Usage { input: 1200, output: 34, ..Usage::default() },
        model: "scripted".to_owned(),
        session: "a session".to_owned(),
        rounds: 1,
    }
}

const RICH: &str = "# A title\n\nSome **bold** words and `code`.\n\n- one\n- two\n\n```rust\nfn main() {}\n```\n\n\
    | name | what |\n|---|---|\n| a | b |\n\n> quoted\n\n[link](https://example.org)\n";
