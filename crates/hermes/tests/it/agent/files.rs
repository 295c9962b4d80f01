//! The file tools: what they show, what they change, and what they ask about first.

use std::fs;

use hermes_agent::{ToolOutcome, ToolReply};
use hermes_proto::consent::{ActionKind, Consent, Scope};
use serde_json::{Value, json};

use super::ground::{Ground, interactive};
use super::people::Scripted;

fn error(reply: &ToolReply) -> &str {
    reply.content["error"].as_str().unwrap_or_else(|| panic!("{reply:?}"))
}

#[tokio::test]
async fn a_file_is_read_in_parts_with_numbers_and_a_hint_where_to_go_on() {
    let ground = Ground::new();
    let lines: String = (1..=1200).map(|number| format!("line {number}\n")).collect();
    fs::write(ground.work().join("long.txt"), lines).unwrap();
    for (arguments, first, last, hint) in [
        (json!({"path": "long.txt"}), "     1|line 1\n", "   500|line 500\n", json!("go on with offset 501")),
        (
            json!({"path": "long.txt", "offset": 501, "limit": 2}),
            "   501|line 501\n",
            "   502|line 502\n",
            json!("go on with offset 503"),
        ),
        (json!({"path": "long.txt", "offset": 1199}), "  1199|line 1199\n", "  1200|line 1200\n", Value::Null),
    ] {
        let reply = ground.used("read_file", arguments).await;
        let content = reply.content["content"].as_str().unwrap_or_else(|| panic!("{reply:?}"));
        assert!(content.starts_with(first) && content.ends_with(last), "{content}");
        assert_eq!((&reply.content["hint"], &reply.content["total_lines"]), (&hint, &json!(1200)));
    }
    ground.workshop.close().await;
}

#[tokio::test]
async fn what_cannot_be_read_says_why_and_what_was_perhaps_meant() {
    let ground = Ground::new();
    fs::write(ground.work().join("config.yaml"), "a: 1\n").unwrap();
    fs::write(ground.work().join("picture.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    let reply = ground.used("read_file", json!({"path": "confg.yaml"})).await;
    assert_eq!(reply.outcome, ToolOutcome::Failed);
    assert!(reply.content.to_string().contains("config.yaml"), "{reply:?}");
    for path in ["picture.png", ".", "/dev/zero"] {
        let reply = ground.used("read_file", json!({"path": path})).await;
        assert!(!error(&reply).is_empty() && reply.outcome == ToolOutcome::Failed, "{path}: {reply:?}");
    }
    let reply = ground.used("read_file", json!({"offset": 3})).await;
    assert!(error(&reply).contains("missing field `path`"), "{reply:?}");
    ground.workshop.close().await;
}

#[tokio::test]
async fn a_write_makes_folders_and_tells_what_changed() {
    let ground = Ground::new();
    let reply = ground.used("write_file", json!({"path": "new/deep/a.txt", "content": "one\ntwo\n"})).await;
    assert_eq!((&reply.content["created"], &reply.content["bytes_written"]), (&json!(true), &json!(8)), "{reply:?}");
    assert!(reply.diff.unwrap().contains("+one\n+two\n"));
    let reply = ground.used("write_file", json!({"path": "new/deep/a.txt", "content": "one\n2\n"})).await;
    assert_eq!(reply.content["created"], false);
    let diff = reply.diff.unwrap();
    assert!(diff.contains(" one\n-two\n+2\n"), "{diff}");
    assert_eq!(fs::read_to_string(ground.work().join("new/deep/a.txt")).unwrap(), "one\n2\n");
    ground.workshop.close().await;
}

/// Every way to the same file asks about it, and a no leaves it as it was.
#[tokio::test]
async fn sensitive_writes_ask_and_refused_ones_change_nothing() {
    let ground = Ground::new();
    let settings = ground.work().join(".env");
    fs::write(&settings, "A=1\n").unwrap();
    fs::write(ground.work().join("mine"), "A=2\n").unwrap();
    let v4a = |text: &str| json!({"mode": "patch", "patch": text});
    for (tool, arguments) in [
        ("write_file", json!({"path": ".env", "content": "A=2\n"})),
        ("patch", json!({"path": ".env", "old_string": "1", "new_string": "2"})),
        ("patch", v4a("*** Update File: .env\n-A=1\n+A=2\n")),
        ("patch", v4a("*** Add File: ./x/../.env\n+A=2\n")),
    ] {
        let person = Scripted::denying();
        let reply = ground.call(&interactive(person.clone()), tool, arguments.clone()).await;
        assert_eq!(
            (reply.outcome, reply.content["outcome"].as_str()),
            (ToolOutcome::Refused, Some("denied")),
            "{arguments}: {reply:?}"
        );
        let [asked] = person.asked().try_into().unwrap();
        assert_eq!(asked.kind, ActionKind::FileWrite);
        assert_eq!(fs::read_to_string(&settings).unwrap(), "A=1\n", "{arguments}");
    }
    let person = Scripted::new([Consent::Approved(Scope::Once)]);
    let reply = ground.call(&interactive(person), "write_file", json!({"path": ".env", "content": "A=2\n"})).await;
    assert_eq!(reply.outcome, ToolOutcome::Done, "{reply:?}");
    assert_eq!(fs::read_to_string(&settings).unwrap(), "A=2\n");
    ground.workshop.close().await;
}

/// A file that is moved there is written there.
#[tokio::test]
async fn a_move_to_a_sensitive_place_asks() {
    let ground = Ground::new();
    fs::write(ground.work().join("mine"), "A=2\n").unwrap();
    for target in [".env", "~/.bashrc", "~/.ssh/authorized_keys", "/etc/cron.d/x"] {
        let person = Scripted::denying();
        let arguments = json!({"mode": "patch", "patch": format!("*** Move File: mine -> {target}\n")});
        let reply = ground.call(&interactive(person.clone()), "patch", arguments).await;
        assert_eq!((reply.outcome, person.asked().len()), (ToolOutcome::Refused, 1), "{target}: {reply:?}");
        assert!(ground.work().join("mine").exists());
    }
    ground.workshop.close().await;
}

#[tokio::test]
async fn a_replacement_has_to_be_unique_or_meant_for_all() {
    let ground = Ground::new();
    let path = ground.work().join("a.py");
    let replace = |old: &str, new: &str, all: bool| json!({"path": "a.py", "old_string": old, "new_string": new, "replace_all": all});
    for (arguments, expected) in [
        (replace("x = 1", "x = 2", false), Err("2")),
        (replace("x = 1", "x = 2", true), Ok("x = 2\ny\nx = 2\n")),
        (replace("y", "z", false), Ok("x = 1\nz\nx = 1\n")),
        (replace("nothing like it", "z", false), Err("")),
        (replace("y", "y", false), Err("")),
    ] {
        fs::write(&path, "x = 1\ny\nx = 1\n").unwrap();
        let reply = ground.used("patch", arguments.clone()).await;
        let now = fs::read_to_string(&path).unwrap();
        match expected {
            Ok(text) => {
                assert_eq!((reply.outcome, now.as_str()), (ToolOutcome::Done, text), "{arguments}: {reply:?}");
                assert!(reply.diff.is_some_and(|diff| diff.contains("+")), "{arguments}");
            }
            Err(said) => {
                assert!(error(&reply).contains(said), "{arguments}: {reply:?}");
                assert_eq!(now, "x = 1\ny\nx = 1\n", "{arguments}");
            }
        }
    }
    ground.workshop.close().await;
}

fn many(ground: &Ground) {
    fs::write(ground.work().join("up.txt"), "one\ntwo\nthree\n\nfour\n").unwrap();
    fs::write(ground.work().join("old.txt"), "gone\n").unwrap();
    fs::write(ground.work().join("it's from.txt"), "moved\n").unwrap();
}

#[tokio::test]
async fn a_v4a_patch_adds_updates_deletes_and_moves() {
    let ground = Ground::new();
    many(&ground);
    let text = "*** Begin Patch\n*** Update File: up.txt\n@@ one @@\n one\n-two\n+2\n three\n\n@@\n-four\n+4\n\n*** Add File: sub/new.txt\n+fresh\n+\n\
        *** Delete File: old.txt\n*** Move File: it's from.txt -> to.txt\n*** End Patch";
    let reply = ground.used("patch", json!({"mode": "patch", "patch": text})).await;
    assert_eq!(reply.outcome, ToolOutcome::Done, "{reply:?}");
    let read = |name: &str| fs::read_to_string(ground.work().join(name)).ok();
    assert_eq!(read("up.txt").as_deref(), Some("one\n2\nthree\n\n4\n"));
    assert_eq!(read("sub/new.txt").as_deref(), Some("fresh\n\n"));
    assert_eq!((read("old.txt"), read("it's from.txt")), (None, None));
    assert_eq!(read("to.txt").as_deref(), Some("moved\n"));
    let diff = reply.diff.clone().unwrap();
    for part in ["-two\n+2\n", "-four\n+4\n", "+fresh\n", "--- a/old.txt\n+++ /dev/null\n", "rename to to.txt"] {
        assert!(diff.contains(part), "{part}: {diff}");
    }
    assert_eq!(reply.content["files"].as_array().unwrap().len(), 4, "{reply:?}");
    ground.workshop.close().await;
}

#[tokio::test]
async fn a_failure_in_the_middle_says_what_was_changed_before_it() {
    let ground = Ground::new();
    many(&ground);
    let text = "*** Add File: new.txt\n+fresh\n*** Update File: up.txt\n@@\n-two\n+2\n@@\n-not there at all\n+x\n*** Delete File: old.txt\n";
    let reply = ground.used("patch", json!({"mode": "patch", "patch": text})).await;
    assert_eq!(reply.outcome, ToolOutcome::Failed, "{reply:?}");
    let changed = reply.content["already_changed"].to_string();
    assert!(changed.contains("new.txt") && changed.contains("up.txt"), "half of a file is a change: {reply:?}");
    assert!(reply.diff.unwrap().contains("-two\n+2\n"));
    assert!(ground.work().join("old.txt").exists(), "what follows is not done");
    // And nothing at all of a text that cannot be read.
    let reply =
        ground.used("patch", json!({"mode": "patch", "patch": "*** Delete File: old.txt\n*** Nonsense: x"})).await;
    assert!(error(&reply).contains("line 2") && ground.work().join("old.txt").exists(), "{reply:?}");
    ground.workshop.close().await;
}

#[tokio::test]
async fn a_move_replaces_nothing() {
    let ground = Ground::new();
    for name in ["from", "to"] {
        fs::write(ground.work().join(name), name).unwrap();
    }
    fs::create_dir(ground.work().join("folder")).unwrap();
    std::os::unix::fs::symlink("nowhere", ground.work().join("link")).unwrap();
    for target in ["to", "folder", "link"] {
        let arguments = json!({"mode": "patch", "patch": format!("*** Move File: from -> {target}\n")});
        let reply = ground.used("patch", arguments).await;
        assert_eq!(error(&reply), "there is something in its new place already", "{target}");
    }
    assert_eq!(fs::read_to_string(ground.work().join("from")).unwrap(), "from");
    assert_eq!(fs::read_to_string(ground.work().join("to")).unwrap(), "to");
    let reply = ground.used("patch", json!({"mode": "patch", "patch": "*** Move File: missing -> x\n"})).await;
    assert!(error(&reply).contains("missing"), "{reply:?}");
    let reply = ground.used("patch", json!({"mode": "patch", "patch": "*** Delete File: folder\n"})).await;
    assert!(error(&reply).contains("folder") && ground.work().join("folder").exists(), "{reply:?}");
    ground.workshop.close().await;
}

#[tokio::test]
async fn a_search_finds_text_and_names() {
    let ground = Ground::new();
    for (name, text) in [("a.py", "def one():\n    pass\n"), ("b.py", "x\ndef two():\ny\n"), ("c.txt", "def three\n")] {
        fs::write(ground.work().join(name), text).unwrap();
    }
    let search = |arguments: Value| ground.used("search_files", arguments);
    let reply = search(json!({"pattern": r"def \w+", "file_glob": "*.py"})).await;
    assert_eq!((&reply.content["total_count"], &reply.content["truncated"]), (&json!(2), &json!(false)), "{reply:?}");
    let reply = search(json!({"pattern": "two", "context": 1})).await;
    let lines = reply.content["matches"].as_array().unwrap();
    let shown: Vec<_> = lines.iter().map(|line| (line["line"].as_u64().unwrap(), line["context"] == true)).collect();
    assert_eq!(shown, [(1, true), (2, false), (3, true)]);
    let reply = search(json!({"pattern": "def", "output_mode": "files_only"})).await;
    assert_eq!(reply.content["files"].as_array().unwrap().len(), 3, "{reply:?}");
    let reply = search(json!({"pattern": "def", "output_mode": "count", "limit": 2})).await;
    assert_eq!(reply.content["truncated"], true, "{reply:?}");
    let reply = search(json!({"pattern": "*.py", "target": "files"})).await;
    assert_eq!(reply.content["total_count"], 2, "{reply:?}");
    let reply = search(json!({"pattern": "("})).await;
    assert_eq!(reply.outcome, ToolOutcome::Failed, "{reply:?}");
    let reply = search(json!({"pattern": ""})).await;
    assert_eq!(error(&reply), "arguments do not fit search_files: pattern is empty");
    ground.workshop.close().await;
}
