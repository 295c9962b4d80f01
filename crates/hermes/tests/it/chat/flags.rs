//! What the command line can say, and what it refuses.

use std::process::Command;

use hermes_testkit::ModelServer;
use hermes_testkit::model_server::Reply;
use serde_json::json;

use super::Ground;
use crate::support::{finish, quiet};

/// One red dot.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', 13, 10, 26, 10, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0,
    0x90, 0x77, 0x53, 0xde, 0, 0, 0, 12, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0, 0, 3, 1, 1, 0,
    0xc9, 0xfe, 0x92, 0xef, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

#[test]
fn without_a_message_and_a_terminal_there_is_nothing_to_do() {
    let ground = Ground::new();
    for arguments in [&[][..], &["chat"], &["chat", "-Q"], &["chat", "-q", "  "]] {
        let error = ground.fails(2, arguments);
        assert!(error.contains("nothing was asked") && error.contains("hint: give a message with -q"), "{error}");
    }
    assert!(ground.fails(2, &["chat", "--tui"]).contains("--tui needs a terminal"));
    ground.fails(2, &["chat", "-q", "a", "-z", "b"]);
    ground.fails(2, &["chat", "-q", "a", "--max-turns", "0"]);
    let error = ground.fails(2, &["-q", "a", "sessions", "list"]);
    assert!(error.contains("options of a chat stand before a command") && error.contains("hint: "), "{error}");
    ground.fails(2, &["-r", "a", "-c", "b", "-q", "hi"]);
}

#[test]
fn tools_are_listed_and_chosen() {
    let ground = Ground::new();
    let sets = ground.answer(&["chat", "--list-toolsets"]);
    assert!(sets.lines().any(|line| line == "terminal") && sets.lines().any(|line| line == "file"), "{sets}");
    let tools = ground.answer(&["--list-tools"]);
    assert!(
        tools.lines().any(|line| line.starts_with("execute_code ") && line.ends_with(" code_execution")),
        "{tools}"
    );
    let told = ground.answer(&["chat", "-t", "file, todo", "-Q", "-q", "tools"]);
    assert!(told.contains("`write_file`") && told.contains("`todo`") && !told.contains("`terminal`:"), "{told}");
    let refused = ground.answer(&["-t", "file", "-z", "$ touch here"]);
    assert!(refused.contains("`terminal` is not among those I was given"), "{refused}");
    assert!(!ground.work().join("here").exists());
    let error = ground.fails(2, &["chat", "-t", "file,flie", "-q", "hi"]);
    assert!(error.contains("no toolset \"flie\"") && error.contains("hint: there are: all, terminal"), "{error}");
}

#[test]
fn an_image_is_sent_and_anything_else_is_refused() {
    let server = ModelServer::start([Reply::text("a red dot")]);
    let ground = Ground::served(&server);
    std::fs::write(ground.work().join("dot.bin"), PNG).unwrap();
    assert_eq!(ground.answer(&["chat", "-Q", "-q", "what is it?", "--image", "dot.bin"]), "a red dot\n");
    let content = server.requests()[0].body["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    assert_eq!(content[0], json!({"type": "text", "text": "what is it?"}));
    let url = content[1]["image_url"]["url"].as_str().unwrap();
    assert!(url.starts_with("data:image/png;base64,iVBORw0KGgo"), "{url}");
    std::fs::write(ground.work().join("text.png"), "no picture").unwrap();
    for (file, told) in [("text.png", "no PNG, JPEG, GIF or WebP"), ("none.png", "No such file"), (".", "image")] {
        let error = ground.fails(2, &["chat", "-q", "hi", "--image", file]);
        assert!(error.contains(told) && error.contains(file), "{error}");
    }
    assert!(ground.fails(2, &["chat", "--image", "dot.bin"]).contains("--image needs a message"));
}

#[test]
fn what_an_answer_cost_is_written_to_a_file() {
    let server = ModelServer::start([
        Reply::new().call("a", "terminal", ["{\"command\":\"true\"}"]).usage(100, 20),
        Reply::text("done").usage(150, 5),
        Reply::wrong_key(),
    ]);
    let ground = Ground::served(&server);
    let usage = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(ground.work().join(name)).unwrap()).unwrap()
    };
    assert_eq!(ground.answer(&["chat", "-z", "go", "--usage-file", "usage.json"]), "done\n");
    let told = usage("usage.json");
    assert_eq!(
        (&told["outcome"], &told["input_tokens"], &told["output_tokens"], &told["rounds"], &told["model"]),
        (&json!("answered"), &json!(250), &json!(25), &json!(2), &json!("lab/m-1"))
    );
    let listed = ground.json(&["sessions", "list", "--json"]);
    assert_eq!(listed[0]["id"], told["session_id"]);
    ground.fails(78, &["chat", "-z", "go", "--usage-file", "failed.json"]);
    assert_eq!(usage("failed.json")["outcome"], "failed");
    let run = ground.run(&["chat", "-z", "help", "-m", "offline", "--usage-file", "no/u"]);
    assert!(run.code == 1 && run.stderr.contains("usage file no/u") && run.stdout.contains("built-in"), "{run:?}");
}

#[test]
fn a_model_can_be_named_for_once() {
    let server = ModelServer::start([Reply::text("from m-2"), Reply::text("from m-3")]);
    let ground = Ground::served(&server);
    assert_eq!(ground.answer(&["-m", "m-2", "-z", "hi"]), "from m-2\n");
    assert_eq!(ground.answer(&["chat", "--provider", "lab", "-m", "m-3", "-Q", "-q", "hi"]), "from m-3\n");
    let models: Vec<_> = server.requests().iter().map(|request| request.body["model"].clone()).collect();
    assert_eq!(models, ["m-2", "m-3"]);
    assert!(ground.answer(&["-m", "offline", "-z", "help"]).contains("built-in model"));
}

#[test]
fn rounds_are_bounded() {
    let call = |id: &str| Reply::new().call(id, "terminal", ["{\"command\":\"echo x\"}"]);
    let server = ModelServer::start([call("a"), call("b"), Reply::text("as far as I got")]);
    let ground = Ground::served(&server);
    let run = ground.run(&["chat", "-q", "go", "--max-turns", "2"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, "as far as I got\n"), "{run:?}");
    assert!(run.stderr.contains("used up its rounds") && run.stderr.contains("--max-turns"), "{run:?}");
}

#[test]
fn work_is_done_in_the_folder_that_is_named() {
    let ground = Ground::new();
    let other = ground.work().join("other");
    std::fs::create_dir(&other).unwrap();
    ground.answer(&["chat", "--in", "other", "-Q", "-q", "$ touch here"]);
    assert!(other.join("here").exists());
    assert!(ground.fails(2, &["chat", "--in", "nowhere", "-q", "hi"]).contains("cannot work in nowhere"));
    assert!(ground.fails(2, &["chat", "--in", "other/here", "-q", "hi"]).contains("is not a folder"));
}

fn git(ground: &Ground, arguments: &[&str]) -> String {
    let mut command: Command = quiet("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(arguments).current_dir(ground.work());
    let run = finish(command.env("HOME", ground.work()).spawn().unwrap());
    assert_eq!(run.code, 0, "{run:?}");
    run.stdout
}

#[test]
fn a_worktree_keeps_the_agents_changes_apart() {
    let ground = Ground::new();
    let error = ground.fails(2, &["chat", "-w", "-q", "hi"]);
    assert!(error.contains("-w needs a git repository") && error.contains("hint: "), "{error}");
    git(&ground, &["init", "-q", "-b", "main"]);
    git(&ground, &["commit", "-q", "--allow-empty", "-m", "first"]);
    let run = ground.run(&["chat", "-w", "-q", "$ touch made && git add made && git -c user.name=a -c user.email=a@example.org commit -qm by-agent && git log --oneline --stat && git branch --show-current"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("by-agent") && run.stdout.contains("hermes/hermes-"), "{run:?}");
    assert!(run.stderr.contains("note: working in ") && run.stderr.contains("on branch hermes/hermes-"), "{run:?}");
    assert!(!ground.work().join("made").exists());
    assert!(git(&ground, &["worktree", "list"]).contains("/.worktrees/hermes-"));
    // The person's own status does not show it.
    assert_eq!(git(&ground, &["status", "--short"]), "");
}
