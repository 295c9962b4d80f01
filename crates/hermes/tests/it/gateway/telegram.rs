//! The real program behind Telegram's Bot API: whose a command is, who may approve it, who is let in, and what a kill leaves.

use std::collections::BTreeMap;

use hermes_testkit::BotApi;
use hermes_testkit::bot_api::{Failure, Shown, TOKEN};
use rustix::process::Signal;
use serde_json::json;

use super::process::{Gateway, Ground, PATIENCE};

const PEOPLE: [i64; 4] = [11, 12, 13, 14];
const GROUP: i64 = -1_001;

struct Place {
    api: BotApi,
    ground: Ground,
}

impl Place {
    fn new(settings: &str) -> Self {
        let api = BotApi::start();
        let telegram = format!(
            "display: {{busy_input_mode: queue}}\nplatforms: {{telegram: {{base_url: \"{}\"}}}}\n\
             telegram: {{require_mention: false}}\n{settings}",
            api.url()
        );
        let ground = Ground::new(&telegram);
        ground.sandbox.write(".env", format!("TELEGRAM_BOT_TOKEN={TOKEN}\nTELEGRAM_ALLOWED_USERS=11,12,13,14\n"));
        Self { api, ground }
    }

    /// Somebody sends a document in a private chat.
    fn sends(&self, person: i64, name: &str, content: &[u8], caption: &str) -> i64 {
        let id = format!("file-{}", content.len());
        self.api.keep_file(&id, content);
        let document = json!({"file_id": id, "file_name": name});
        let chat = json!({"id": person, "type": "private"});
        self.api.message(person, &chat, &json!({"document": document, "caption": caption}))
    }

    /// What is answered to a message.
    async fn answer(&self, chat: i64, message: i64) -> String {
        let shown = self.hears(chat, |shown| shown.reply_to == Some(message)).await;
        shown.text.replace("&quot;", "\"")
    }

    async fn hears(&self, chat: i64, what: impl Fn(&Shown) -> bool) -> Shown {
        let heard = tokio::time::timeout(PATIENCE, self.api.sees(chat, what)).await;
        heard.unwrap_or_else(|_| panic!("it was never said; instead {:?}", self.api.shown(chat)))
    }
}

fn stop(gateway: Gateway) {
    gateway.signal(Signal::INT);
    assert_eq!(gateway.wait().code(), Some(0));
}

/// The seed's window test, over a real adapter with real commands.
#[tokio::test(flavor = "multi_thread")]
async fn every_command_knows_its_own_chat_and_person() {
    const COMMAND: &str = "run echo \"$HERMES_SESSION_PLATFORM $HERMES_SESSION_CHAT_ID $HERMES_SESSION_KEY $HERMES_SESSION_USER_ID \
        $HERMES_SESSION_MESSAGE_ID [$HERMES_SESSION_THREAD_ID]\"";
    let place = Place::new("");
    let gateway = place.ground.start();
    let mut expected: BTreeMap<i64, (i64, String)> = BTreeMap::new();
    for _turn in 0..3 {
        for person in PEOPLE {
            let id = place.api.says(person, COMMAND);
            let key = format!("agent:main:telegram:dm:{person}");
            expected.insert(id, (person, format!("telegram {person} {key} {person} {id} []")));
            let id = place.api.says_in(GROUP, person, COMMAND);
            let key = format!("agent:main:telegram:group:{GROUP}:{person}");
            expected.insert(id, (GROUP, format!("telegram {GROUP} {key} {person} {id} []")));
        }
        let id = place.api.says_in_topic(GROUP, 7, 11, COMMAND);
        let key = format!("agent:main:telegram:group:{GROUP}:7:");
        expected.insert(id, (GROUP, format!("telegram {GROUP} {key} 11 {id} [7]")));
    }
    for (message, (chat, text)) in &expected {
        let shown = place.hears(*chat, |shown| shown.reply_to == Some(*message)).await;
        assert_eq!(shown.text.trim(), text);
    }
    stop(gateway);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dangerous_command_runs_when_the_right_person_presses_the_button() {
    let place = Place::new("approvals: {mode: manual}");
    let build = place.ground.sandbox.home().join("../work/build");
    std::fs::create_dir_all(&build).unwrap();
    let gateway = place.ground.start();
    place.api.says_in(GROUP, 11, "run rm -rf build && echo gone");
    let question = place.hears(GROUP, |shown| !shown.buttons.is_empty()).await;
    assert!(question.text.contains("rm -rf build"), "{question:?}");
    let once = question.buttons.iter().find(|data| data.ends_with(":once")).unwrap().clone();
    place.api.presses(12, GROUP, question.message, &once);
    place.api.call(|call| call.method == "answerCallbackQuery" && call.parameters["show_alert"] == true).await;
    place.api.says_in(GROUP, 11, "yes");
    // Whatever came before has been looked at when somebody else is answered.
    place.api.says(14, "say looked at");
    place.hears(14, |shown| shown.text == "looked at").await;
    assert!(build.exists() && !place.api.shown(GROUP).iter().any(|shown| shown.text.trim() == "gone"));
    place.api.presses(11, GROUP, question.message, &once);
    place.hears(GROUP, |shown| shown.text.trim() == "gone").await;
    assert!(!build.exists());
    place.hears(GROUP, |shown| shown.message == question.message && shown.text.contains("approved (once) by")).await;
    stop(gateway);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_leaves_one_reply_or_one_notice() {
    let place = Place::new("");
    let gateway = place.ground.start();
    // One turn is under way, and one reply waits until Telegram wants to hear it.
    place.api.says(11, "never");
    place.ground.server.received(1).await;
    place.api.fail("sendMessage", [Failure::TooMany(30)]);
    place.api.says(12, "say hello");
    place.api.call(|call| call.method == "sendMessage" && !call.was_done).await;
    gateway.kill();
    // What was accepted and not yet acknowledged comes again.
    let gateway = place.ground.start();
    let notice = place.hears(11, |shown| shown.text.contains("died")).await;
    let reply = place.hears(12, |shown| shown.text.contains("hello")).await;
    place.api.says(11, "say one");
    place.api.says(12, "say two");
    place.hears(11, |shown| shown.text == "one").await;
    place.hears(12, |shown| shown.text == "two").await;
    let said = |chat| place.api.shown(chat).into_iter().map(|shown| shown.text).collect::<Vec<_>>();
    assert_eq!(said(11), [notice.text, "one".to_owned()]);
    assert_eq!(said(12), [reply.text, "two".to_owned()]);
    stop(gateway);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_is_let_in_by_the_command_line_without_a_restart() {
    const EVE: i64 = 66;
    let place = Place::new("");
    let sandbox = &place.ground.sandbox;
    let gateway = place.ground.start();
    place.api.says(EVE, "say secret");
    let told = place.hears(EVE, |shown| shown.text.contains("pairing code")).await.text;
    let code = told.split("approve telegram ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let listed = sandbox.ok(["pairing", "list", "--json"]);
    assert!(listed.contains(r#""user":"66""#) && !listed.contains(&code), "{listed}");
    assert!(sandbox.fails(2, ["pairing", "approve", "telegram", "AAAAAAAA"]).contains("no code"));
    sandbox.ok(["pairing", "approve", "telegram", &code]);
    place.api.says(EVE, "say welcome");
    place.hears(EVE, |shown| shown.text == "welcome").await;
    assert!(sandbox.ok(["pairing", "list"]).contains("let in  telegram   66"));
    sandbox.ok(["pairing", "revoke", "telegram", "66"]);
    place.api.says(EVE, "say again");
    place.api.says(11, "say looked at");
    place.hears(11, |shown| shown.text == "looked at").await;
    assert!(place.api.shown(EVE).iter().all(|shown| shown.text != "again"));
    sandbox.fails(2, ["pairing", "revoke", "telegram", "66"]);
    assert_eq!(sandbox.ok(["pairing", "clear-pending", "--json"]).trim(), r#"{"cleared":1}"#);
    stop(gateway);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_an_answer_arrives_as_a_file() {
    let place = Place::new("");
    let gateway = place.ground.start();
    let made = place.api.says(11, "run printf 'x\"y' > 'a \"note\".txt'; echo made");
    place.hears(11, |shown| shown.reply_to == Some(made)).await;
    place.api.fail("sendDocument", [Failure::TooMany(1)]);
    place.api.says(11, "say here it is\nMEDIA:a \"note\".txt");
    place.hears(11, |shown| shown.text.ends_with(": x\"y")).await;
    let document = place.api.call(|call| call.method == "sendDocument" && call.was_done).await;
    assert!(!document.parameters["file"].as_str().unwrap().split(':').next().unwrap().contains('"'), "{document:?}");
    stop(gateway);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_with_a_hostile_name_can_be_read_by_its_own_chat_and_no_other() {
    const NAME: &str = "../../.ssh/-rf $(touch hacked); `id` \u{202e}\"x.txt";
    const CONTENT: &str = "words of the document";
    let place = Place::new("");
    let gateway = place.ground.start();
    let sent = place.sends(11, NAME, CONTENT.as_bytes(), "cat document");
    assert_eq!(place.answer(11, sent).await.trim(), CONTENT);
    let asked = place.ground.server.requests()[0].body["messages"].to_string();
    let path = asked.split("), at ").nth(1).unwrap().split(']').next().unwrap().to_owned();
    assert!(path.starts_with("/tmp/hermes-received-"), "{asked}");
    assert!(path.chars().all(|c| c.is_alphanumeric() || "/-._".contains(c)), "{path}");
    assert!(!std::path::Path::new(&path).exists(), "it is outside of the sandbox");
    // The next chat knows the path, and looks everywhere else as well.
    let attack = format!(
        "run cat {path}; cat /tmp/hermes-received-*/*; cat /proc/*/root{path}; \
         ls -A '{0}'/cache; cat '{0}'/cache/*/*; echo tried",
        place.ground.sandbox.home().display()
    );
    let attacked = place.api.says(12, &attack);
    let got = place.answer(12, attacked).await;
    assert!(got.contains("tried") && !got.contains(CONTENT), "{got}");
    // It is still there for its own chat.
    let again = place.api.says(11, &format!("run stat -c %a {path}; cat {path}"));
    let got = place.answer(11, again).await;
    assert!(got.contains("600") && got.contains(CONTENT), "{got}");
    // What cannot be put there is said, and the turn goes on.
    let filled = place.api.says(11, &format!("run truncate -s 128M {path}-full && echo filled"));
    assert_eq!(place.answer(11, filled).await.trim(), "filled");
    let sent = place.sends(11, "more.txt", b"more", "heard more");
    let got = place.answer(11, sent).await;
    assert!(
        got.contains("\"more.txt\" (text/plain); it could not be put where you work: ") && got.contains("no room"),
        "{got}"
    );
    stop(gateway);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_reads_no_files_is_told_the_name_of_a_document() {
    let place = Place::new("platform_toolsets: {telegram: [web]}");
    let gateway = place.ground.start();
    let sent = place.sends(11, "notes.txt", b"words", "heard document");
    let got = place.answer(11, sent).await;
    assert!(got.ends_with("[a file came with this: \"notes.txt\" (text/plain)]"), "{got}");
    stop(gateway);
}
