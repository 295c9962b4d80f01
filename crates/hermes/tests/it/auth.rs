//! `hermes auth` as a person or a script uses it.

use std::path::Path;

use serde_json::Value;

use crate::support::{Run, Sandbox, finish, is_root, mode, set_mode};

const KEY: &str = "sk-or-v1-0123456789abcdef";

fn add(sandbox: &Sandbox, arguments: &[&str], key: &str) -> Run {
    sandbox.run_with_input(["auth", "add"].iter().chain(arguments).chain(&["--api-key", "-"]), key)
}

fn stored(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.read("auth.json")).unwrap()
}

fn listed(sandbox: &Sandbox) -> Vec<Value> {
    serde_json::from_str(&sandbox.ok(["auth", "list", "--json"])).unwrap()
}

/// Every file below the folder, as text.
fn contents(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            all.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    all
}

#[test]
fn a_key_from_standard_input_is_stored_private_and_never_shown() {
    let sandbox = Sandbox::new();
    let run = add(&sandbox, &["openrouter", "--label", "main", "-vv"], &format!("{KEY}\n"));
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(mode(sandbox.file("auth.json")), 0o600);
    let entry = &stored(&sandbox)["credential_pool"]["openrouter"][0];
    assert_eq!(entry["access_token"], KEY);
    assert_eq!((entry["label"].as_str(), entry["auth_type"].as_str()), (Some("main"), Some("api_key")));

    let list = sandbox.run(["auth", "list", "-vv"]);
    let json = sandbox.run(["auth", "list", "--json"]);
    let status = sandbox.run(["auth", "status", "openrouter", "-vv"]);
    assert!(list.stdout.contains("****cdef"), "{list:?}");
    for run in [&run, &list, &json, &status] {
        assert!(!format!("{run:?}").contains("0123456789"), "{run:?}");
    }
    for (path, text) in contents(&sandbox.home()) {
        assert!(path.ends_with("auth.json") || !text.contains("0123456789"), "{path}: {text}");
    }
}

#[test]
fn a_key_as_an_argument_is_refused_and_not_repeated() {
    let sandbox = Sandbox::new();
    for arguments in [
        vec!["auth", "add", "openrouter", "--api-key", KEY],
        vec!["auth", "add", "openrouter", &format!("--api-key={KEY}")],
        vec!["auth", "add", "openrouter", KEY],
    ] {
        let run = sandbox.run(&arguments);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("hint: printf %s \"$KEY\" | hermes auth add openrouter --api-key -"), "{run:?}");
        assert!(!run.stderr.contains(KEY) && run.stdout.is_empty(), "{run:?}");
    }
    assert!(!sandbox.file("auth.json").exists());
}

#[test]
fn without_a_terminal_and_without_input_there_is_nothing_to_ask() {
    let sandbox = Sandbox::new();
    let error = sandbox.fails(2, ["auth", "add", "openrouter"]);
    assert!(error.contains("no terminal") && error.contains("hint: "), "{error}");
}

#[test]
fn what_cannot_be_a_key_a_label_or_a_provider_is_refused() {
    let sandbox = Sandbox::new();
    for (arguments, input, told) in [
        (vec!["openrouter"], "", "the API key is empty"),
        (vec!["openrouter"], " \n", "the API key is empty"),
        (vec!["openrouter"], "a b", "blank or a line end"),
        (vec!["openrouter"], "a\nb\n", "blank or a line end"),
        (vec!["openrouter"], "a\u{1b}b", "control character"),
        (vec!["opnrouter"], KEY, "did you mean openrouter?"),
        (vec!["custom:"], KEY, "custom:my-server"),
        (vec!["openai-codex"], KEY, "takes a login"),
        (vec!["openrouter", "--label", " "], KEY, "a label has"),
        (vec!["openrouter", "--priority", "high"], KEY, "invalid value"),
    ] {
        let run = add(&sandbox, &arguments, input);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(told), "{arguments:?}: {run:?}");
    }
    assert!(!sandbox.file("auth.json").exists());
}

#[test]
fn several_keys_have_numbers_labels_and_priorities() {
    let sandbox = Sandbox::new();
    assert_eq!(add(&sandbox, &["openrouter"], "sk-first-0123456789").code, 0);
    assert_eq!(add(&sandbox, &["or", "--label", "urgent", "--priority", "-1"], "sk-second-0123456789").code, 0);
    assert_eq!(add(&sandbox, &["custom:lab"], "lab-key-0123456789").code, 0);
    let again = add(&sandbox, &["openrouter", "--label", "x"], "sk-first-0123456789");
    assert_eq!(again.code, 1);
    assert!(again.stderr.contains("already stored for openrouter as \"api-key-1\""), "{again:?}");
    let taken = add(&sandbox, &["openrouter", "--label", "urgent"], "sk-third-0123456789");
    assert_eq!(taken.code, 1);
    assert!(taken.stderr.contains("hint: choose another with --label"), "{taken:?}");

    let rows: Vec<_> = listed(&sandbox)
        .iter()
        .map(|row| {
            format!("{} {} {}", row["provider"].as_str().unwrap(), row["number"], row["label"].as_str().unwrap())
        })
        .collect();
    assert_eq!(rows, ["openrouter 1 urgent", "openrouter 2 api-key-1", "custom:lab 1 api-key-1"]);
}

#[test]
fn every_source_is_listed_with_its_name() {
    let sandbox = Sandbox::new();
    add(&sandbox, &["openai"], "sk-stored-0123456789");
    sandbox.write(".env", "export OPENAI_API_KEY='sk-dotenv-0123456789' # mine\nGEMINI_API_KEY=\n");
    set_mode(sandbox.file(".env"), 0o600);
    let mut command = sandbox.command(["auth", "list", "--json"]);
    command
        .env("OPENAI_API_KEY", "sk-exported-0123456789")
        .env("GEMINI_API_KEY", "AIza-0123456789")
        .env("GROQ_API_KEY", " ");
    let run = finish(command.spawn().unwrap());
    let rows: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            format!("{} {} {} {}", row["provider"], row["number"], row["source"], row["variable"]).replace('"', "")
        })
        .collect();
    assert_eq!(
        told,
        [
            "openai 1 auth.json null",
            "openai 2 .env OPENAI_API_KEY",
            "openai 3 environment OPENAI_API_KEY",
            "gemini 1 environment GEMINI_API_KEY",
        ]
    );
    assert!(!run.stdout.contains("0123456789") && run.stderr.is_empty(), "{run:?}");
}

#[test]
fn status_tells_by_its_exit_code() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "ANTHROPIC_TOKEN=abc\n");
    let run = sandbox.run(["auth", "status", "anthropic"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "anthropic: 1 credential (.env)\n"));
    let run = sandbox.run(["auth", "status", "openrouter"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, "openrouter: no credential\n"));
    let run = sandbox.run(["auth", "status", "ollama"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "ollama: no credential, and none is needed\n"));
    let run = sandbox.run(["auth", "status", "openrouter", "--json"]);
    assert_eq!(run.code, 1);
    assert_eq!(serde_json::from_str::<Value>(&run.stdout).unwrap()["usable"], false);
    assert_eq!(sandbox.ok(["auth", "status"]), "anthropic: 1 credential (.env)\n");
    assert!(sandbox.fails(2, ["auth", "status", "antropic"]).contains("did you mean anthropic?"));
}

#[test]
fn an_empty_home_has_an_empty_list() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.ok(["auth", "list", "--json"]), "[]\n");
    let run = sandbox.run(["auth", "list"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    assert!(run.stderr.contains("hermes auth add PROVIDER"), "{run:?}");
}

#[test]
fn remove_needs_to_know_which_and_takes_a_number_a_label_or_an_id() {
    let sandbox = Sandbox::new();
    for (label, key) in [
        ("one", "sk-1-0123456789"),
        ("two", "sk-2-0123456789"),
        ("three", "sk-3-0123456789"),
        ("four", "sk-4-0123456789"),
    ] {
        assert_eq!(add(&sandbox, &["openrouter", "--label", label], key).code, 0);
    }
    let error = sandbox.fails(2, ["auth", "remove", "openrouter", "--yes"]);
    assert!(error.contains("4 stored credentials") && error.contains("hint: "), "{error}");
    let error = sandbox.fails(1, ["auth", "remove", "openrouter", "five", "--yes"]);
    assert!(error.contains("openrouter has no credential \"five\""), "{error}");

    let id = listed(&sandbox)[3]["id"].as_str().unwrap().to_owned();
    sandbox.ok(["auth", "remove", "openrouter", &id, "--yes"]);
    sandbox.ok(["auth", "remove", "openrouter", "two"]);
    sandbox.ok(["auth", "remove", "openrouter", "1", "-y"]);
    assert_eq!(listed(&sandbox).len(), 1);
    assert_eq!(listed(&sandbox)[0]["label"], "three");
    sandbox.ok(["auth", "remove", "openrouter"]);
    assert!(sandbox.fails(1, ["auth", "remove", "openrouter"]).contains("there is no credential for openrouter"));
}

#[test]
fn remove_says_where_a_credential_comes_from_that_it_does_not_remove() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "OPENAI_API_KEY=abc\n");
    let error = sandbox.fails(1, ["auth", "remove", "openai"]);
    assert!(
        error.contains("OPENAI_API_KEY in ") && error.contains("hint: hermes config unset OPENAI_API_KEY"),
        "{error}"
    );
    let mut command = sandbox.command(["auth", "remove", "groq", "--yes"]);
    let run = finish(command.env("GROQ_API_KEY", "gsk-1").spawn().unwrap());
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("hint: unset GROQ_API_KEY where hermes is started"), "{run:?}");
    assert_eq!(sandbox.read(".env"), "OPENAI_API_KEY=abc\n");

    add(&sandbox, &["openai"], KEY);
    let run = sandbox.run(["auth", "remove", "openai"]);
    assert!(run.code == 0 && run.stderr.contains("openai still has a credential in OPENAI_API_KEY"), "{run:?}");
}

#[test]
fn a_login_and_unknown_fields_of_the_original_are_listed_and_kept() {
    let sandbox = Sandbox::new();
    let original = r#"{"version": 1, "providers": {"nous": {"access_token": "nous-0123456789abcdef", "x": 1.50}, "spotify": {"a": 1}},
        "suppressed_sources": {"b": [2]}, "credential_pool": {"openrouter": [{"id": "a1", "label": "l\u001b[31m", "odd": true, "access_token": "sk-or-v1-aaaabbbbcccc"}]}, "active_provider": "nous"}"#;
    sandbox.write("auth.json", original);
    set_mode(sandbox.file("auth.json"), 0o600);
    let table = sandbox.ok(["auth", "list"]);
    assert!(table.contains("l?[31m") && !table.contains('\u{1b}'), "{table}");
    assert_eq!(sandbox.run(["auth", "status", "spotify"]).code, 1);
    add(&sandbox, &["groq"], "gsk-0123456789abcdef");
    sandbox.ok(["auth", "remove", "nous", "login"]);
    let mut expected: Value = serde_json::from_str(original).unwrap();
    let now = stored(&sandbox);
    expected["providers"].as_object_mut().unwrap().remove("nous");
    expected["active_provider"] = Value::Null;
    expected["credential_pool"]["groq"] = now["credential_pool"]["groq"].clone();
    expected["updated_at"] = now["updated_at"].clone();
    assert_eq!(now.to_string(), expected.to_string());
}

#[test]
fn an_unparsable_file_is_reported_with_its_position_and_kept() {
    let sandbox = Sandbox::new();
    for (broken, told) in [
        ("{\n  \"credential_pool\": {\n    oops", "line 3 column 5"),
        ("", "line 1 column 0"),
        (r#"{"credential_pool": []}"#, "credential_pool must be an object"),
    ] {
        sandbox.write("auth.json", broken);
        set_mode(sandbox.file("auth.json"), 0o600);
        for arguments in [&["auth", "list"][..], &["auth", "status", "openrouter"], &["auth", "remove", "openrouter"]] {
            let error = sandbox.fails(78, arguments);
            assert!(error.contains("auth.json") && error.contains(told) && error.contains("hint: mend "), "{error}");
        }
        let run = add(&sandbox, &["openrouter"], KEY);
        assert!(run.code == 78 && run.stderr.contains(told), "{run:?}");
        assert_eq!(sandbox.read("auth.json"), broken);
    }
    let names: Vec<_> = contents(&sandbox.home()).into_iter().filter(|(path, _)| path.contains("auth.json")).collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

/// Invariant 13: a permission error is reported as one, with the file and its owner.
#[test]
fn a_file_that_may_not_be_read_is_never_taken_for_no_credential() {
    for name in ["auth.json", ".env"] {
        let sandbox = Sandbox::new();
        sandbox.write(name, if name == ".env" { "OPENAI_API_KEY=abc\n" } else { "{}" });
        let path = sandbox.file(name);
        set_mode(&path, 0o000);
        if is_root() {
            // Root reads everything: the program runs as another user in root's home.
            set_mode(sandbox.home(), 0o777);
        }
        for arguments in [&["auth", "list"][..], &["auth", "status", "openai"], &["auth", "remove", "openai"]] {
            let run = finish(sandbox.command_as_ordinary_user(&[], arguments).spawn().unwrap());
            assert_eq!(run.code, 78, "{run:?}");
            assert!(run.stderr.contains(&*path.to_string_lossy()) && run.stderr.contains("mode 0000"), "{run:?}");
            let remedy = if is_root() { "hint: sudo chown " } else { "hint: chmod u+rw " };
            assert!(run.stderr.contains(remedy), "{run:?}");
            assert!(!format!("{run:?}").contains("no credential"), "{run:?}");
        }
        set_mode(&path, 0o600);
    }
}

#[test]
fn a_file_that_others_may_read_is_warned_about() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "OPENAI_API_KEY=abc\n");
    set_mode(sandbox.file(".env"), 0o644);
    let run = sandbox.run(["auth", "list", "--json"]);
    assert!(run.code == 0 && run.stderr.contains("(mode 0644); mend it with: chmod 600 "), "{run:?}");
}

#[test]
fn login_and_logout_say_what_to_do_instead() {
    let sandbox = Sandbox::new();
    for (arguments, instead) in [
        (&["login"][..], "hermes auth add"),
        (&["login", "--provider", "nous", "--no-browser", "x"], "hermes auth add"),
        (&["logout"], "hermes auth remove"),
        (&["logout", "--provider", "nous"], "hermes auth remove"),
    ] {
        let error = sandbox.fails(1, arguments);
        assert!(error.contains("hint: ") && error.contains(instead), "{error}");
    }
}

#[test]
fn keys_added_at_once_are_all_stored() {
    let sandbox = Sandbox::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                let run = add(sandbox, &["openrouter"], &format!("sk-parallel-{number}-0123456789"));
                assert_eq!(run.code, 0, "{run:?}");
            });
        }
    });
    assert_eq!(listed(&sandbox).len(), 8);
}
