//! With nothing configured the built-in model shows that everything works.

use super::Ground;

#[test]
fn it_tells_what_it_is_and_how_to_get_a_real_model() {
    let ground = Ground::new();
    let run = ground.run(&["chat", "-Q", "-q", "help"]);
    assert!(run.code == 0 && run.stdout.contains("built-in model") && run.stdout.contains("`$ `"), "{run:?}");
    assert_eq!(run.stderr, "");
    let models = ground.answer(&["-z", "how do I configure a model?"]);
    assert!(models.contains("hermes auth add") && models.contains("hermes model use"), "{models}");
}

#[test]
fn lines_with_a_dollar_are_run_one_after_another() {
    let ground = Ground::new();
    std::fs::write(ground.work().join("seen.txt"), "").unwrap();
    let run = ground.run(&["chat", "-q", "$ export X=kept\n$ ls; echo $X; exit 3"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("ended with exit code 3") && run.stdout.contains("seen.txt\nkept"), "{run:?}");
    // The answer is on standard output, what happened meanwhile is not.
    assert!(run.stderr.contains("✓ terminal") && run.stderr.contains("✗ failed terminal"), "{run:?}");
    assert!(!run.stdout.contains('✓') && !run.stdout.contains('\u{1b}'), "{run:?}");
}

#[test]
fn what_is_piped_in_is_the_message_or_what_it_is_about() {
    let ground = Ground::new();
    let run = ground.sandbox.run_with_input(["chat", "-Q"], "$ echo from a pipe\n");
    assert!(run.code == 0 && run.stdout.contains("from a pipe"), "{run:?}");
    let run = ground.sandbox.run_with_input(["-z", "$ echo named"], "plain text");
    assert!(run.code == 0 && run.stdout.contains("named"), "{run:?}");
    let run = ground.sandbox.run_with_input(["--resume", "latest", "-Q"], "$ echo and more");
    assert!(run.code == 0 && run.stdout.contains("and more"), "{run:?}");
    let shown = ground.answer(&["sessions", "show", "latest"]);
    assert!(shown.contains("Standard input:") && shown.contains("plain text"), "{shown}");
}

#[test]
fn a_dangerous_command_is_refused_and_the_rest_is_left() {
    let ground = Ground::new();
    std::fs::create_dir(ground.work().join("build")).unwrap();
    let run = ground.run(&["chat", "-q", "$ rm -rf build\n$ echo after"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("`rm -rf build` was not run: it needs consent"), "{run:?}");
    assert!(run.stdout.contains("approvals.single_query_mode"), "{run:?}");
    assert!(run.stdout.contains("I did not go on with the one that follows it."), "{run:?}");
    assert!(run.stderr.contains("⊘ refused terminal"), "{run:?}");
    assert!(ground.work().join("build").exists());
    ground.answer(&["config", "set", "approvals.single_query_mode", "approve"]);
    ground.answer(&["chat", "-Q", "-q", "$ rm -rf build"]);
    assert!(!ground.work().join("build").exists());
}

#[test]
fn a_script_is_refused_until_single_queries_may_run_it() {
    let ground = Ground::new();
    let script = "```python\nprint(6 * 7)\n```\n$ echo after";
    let run = ground.run(&["chat", "-q", script]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("The script was not run: it needs consent"), "{run:?}");
    assert!(!run.stdout.contains("42") && !run.stdout.contains("after"), "{run:?}");
    ground.answer(&["config", "set", "approvals.single_query_mode", "approve"]);
    let answer = ground.answer(&["-z", script]);
    assert!(answer.contains("42") && answer.contains("after"), "{answer}");
}

#[test]
fn with_yolo_dangerous_commands_run_and_the_floor_stands() {
    let ground = Ground::new();
    std::fs::create_dir(ground.work().join("build")).unwrap();
    ground.answer(&["chat", "--yolo", "-Q", "-q", "$ rm -rf build"]);
    assert!(!ground.work().join("build").exists());
    let answer = ground.answer(&["chat", "--yolo", "-Q", "-q", "$ rm -rf /"]);
    assert!(answer.contains("was not run") && answer.contains("refused whoever asks"), "{answer}");
    let audit = ground.answer(&["audit", "tail"]);
    assert!(audit.contains("floor rm-root") && audit.contains("blocked  rm -rf /"), "{audit}");
}
