//! `hermes config edit` with editors that do as told.

use crate::support::{Run, Sandbox, finish};

const BEFORE: &str = "agent: {max_turns: 5}\n";

/// Edits with a shell script as the editor; `$1` is the file.
fn edit(sandbox: &Sandbox, script: &str) -> Run {
    sandbox.write("editor.sh", script);
    let editor = format!("sh {}", sandbox.file("editor.sh").display());
    finish(sandbox.command(["config", "edit"]).env("VISUAL", editor).env("EDITOR", "false").spawn().unwrap())
}

fn drafts(sandbox: &Sandbox) -> Vec<String> {
    let names =
        std::fs::read_dir(sandbox.home()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("config.edit")).collect()
}

#[test]
fn a_good_edit_replaces_the_file() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", BEFORE);
    let run = edit(&sandbox, "printf '# new\\nagent: {max_turns: 6}\\nodd: 1\\n' > \"$1\"");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("config.yaml:3:1: unknown key odd"), "{run:?}");
    assert_eq!(sandbox.read("config.yaml"), "# new\nagent: {max_turns: 6}\nodd: 1\n");
    assert_eq!(sandbox.read("backups/config.yaml.good"), sandbox.read("config.yaml"));
    assert!(drafts(&sandbox).is_empty());
}

#[test]
fn nothing_edited_is_nothing_changed() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", BEFORE);
    let run = edit(&sandbox, "true");
    assert!(run.code == 0 && run.stderr.contains("was not changed"), "{run:?}");
    assert!(drafts(&sandbox).is_empty());
    std::fs::remove_file(sandbox.file("config.yaml")).unwrap();
    assert_eq!(edit(&sandbox, "true").code, 0);
    assert!(!sandbox.file("config.yaml").exists());
    assert_eq!(edit(&sandbox, "echo 'agent: {}' > \"$1\"").code, 0);
    assert_eq!(sandbox.read("config.yaml"), "agent: {}\n");
}

#[test]
fn a_broken_edit_is_kept_aside_and_the_file_stays() {
    for (text, place) in [("agent: [", ":2:1: "), ("agent: 5", ":1:8: agent: expected a map, found an integer")] {
        let sandbox = Sandbox::new();
        sandbox.write("config.yaml", BEFORE);
        let run = edit(&sandbox, &format!("echo '{text}' > \"$1\""));
        assert_eq!(run.code, 78, "{run:?}");
        let [draft] = drafts(&sandbox).try_into().unwrap();
        assert!(run.stderr.contains(&format!("{draft}{place}")), "{run:?}");
        assert!(run.stderr.contains("hint: what you wrote is kept in"), "{run:?}");
        assert_eq!((sandbox.read("config.yaml").as_str(), sandbox.read(&draft)), (BEFORE, format!("{text}\n")));
    }
}

#[test]
fn a_file_that_changed_meanwhile_is_not_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", BEFORE);
    let run = edit(&sandbox, "echo 'model: {}' > \"$1\"; echo 'agent: {}' > \"$HERMES_HOME/config.yaml\"");
    assert!(run.code == 75 && run.stderr.contains("was changed while the editor was open"), "{run:?}");
    assert_eq!((sandbox.read("config.yaml").as_str(), drafts(&sandbox).len()), ("agent: {}\n", 1));
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", BEFORE);
    let run = edit(&sandbox, "exit 3");
    assert!(run.code == 1 && run.stderr.contains("nothing was changed"), "{run:?}");
    assert!(drafts(&sandbox).is_empty());
    let run = edit(&sandbox, "echo 'x: 1' > \"$1\"; exit 3");
    assert!(run.code == 1 && run.stderr.contains("hint: what you wrote is kept in"), "{run:?}");
    assert_eq!((sandbox.read("config.yaml").as_str(), drafts(&sandbox).len()), (BEFORE, 1));
}

#[test]
fn a_broken_file_can_be_mended_by_editing() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "agent: [\n");
    assert_eq!(edit(&sandbox, "echo 'agent: {}' > \"$1\"").code, 0);
    assert_eq!(sandbox.read("config.yaml"), "agent: {}\n");
}
