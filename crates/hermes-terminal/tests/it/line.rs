//! The chat line by line.

use std::os::unix::fs::PermissionsExt;

use super::tmux::{Setting, start, start_in};

#[test]
fn an_answer_is_rendered_and_its_cost_is_said() {
    let tmux = start("line");
    tmux.prompts();
    tmux.says("rich");
    for text in ["# A title", "Some bold words and code.", "• one\n• two", "  fn main() {}", "a    │ b", "│ quoted"]
    {
        tmux.shows(text);
    }
    tmux.shows("link (https://example.org)");
    tmux.shows("1,200 tokens in, 34 out");
    tmux.prompts();
    tmux.says("change");
    tmux.shows("✓ write_file");
    tmux.shows("    -old\n    +new");
    tmux.says("notice");
    tmux.shows("! something to know");
}

#[test]
fn hostile_text_does_not_reach_the_terminal() {
    let tmux = start("line");
    tmux.prompts();
    tmux.says("evil");
    tmux.shows("␛[2J␛[HOWNED␇ ␛]0;title␇ over ⟨U+202E⟩txt");
    tmux.shows("under test");
    assert_ne!(tmux.knows("pane_title"), "title");
}

#[test]
fn ctrl_c_interrupts_the_turn_and_the_chat_goes_on() {
    let tmux = start("line");
    tmux.prompts();
    tmux.says("wait");
    tmux.shows("  │ second line");
    tmux.shows("terminal  sleep 1000  2 lines");
    tmux.press(&["C-c"]);
    tmux.shows("◌ interrupted terminal  sleep 1000");
    tmux.prompts();
    tmux.says("hello");
    tmux.shows("you said: hello");
}

#[test]
fn ctrl_c_twice_or_ctrl_d_leaves() {
    for keys in [&["C-c", "C-c"][..], &["C-d"]] {
        let tmux = start("line");
        tmux.prompts();
        tmux.press(keys);
        assert_eq!(tmux.ended(), 0);
        tmux.is_restored();
    }
    let tmux = start("line");
    tmux.prompts();
    tmux.says("wait");
    tmux.shows("second line");
    tmux.press(&["C-c", "C-c"]);
    assert_eq!(tmux.ended(), 0);
    tmux.is_restored();
}

#[test]
fn what_is_typed_while_a_turn_runs_is_not_lost() {
    let tmux = start("line");
    tmux.prompts();
    tmux.says("wait");
    tmux.shows("second line");
    tmux.says("hello");
    tmux.shows("queued: hello");
    tmux.types("half a li");
    tmux.shows("> half a li");
    tmux.press(&["C-c"]);
    tmux.shows("you said: hello");
    tmux.ends_with("> half a li");
    tmux.says("ne");
    tmux.shows("you said: half a line");
}

#[test]
fn stop_and_quit_do_not_wait_for_the_turn() {
    let tmux = start("line");
    tmux.prompts();
    tmux.says("wait");
    tmux.shows("second line");
    tmux.says("/stop");
    tmux.shows("control Stop");
    tmux.prompts();
    tmux.says("wait");
    tmux.shows("sleep 1000  2 lines");
    tmux.says("/quit");
    assert_eq!(tmux.ended(), 0);
}

#[test]
fn a_message_may_have_several_lines() {
    let tmux = start("line");
    tmux.prompts();
    tmux.says("one\\");
    tmux.shows("\n.");
    tmux.types("two");
    tmux.press(&["M-Enter"]);
    tmux.says("three");
    tmux.shows("you said: one two three");
    tmux.prompts();
    tmux.pastes("pasted\nin two lines");
    tmux.shows("in two lines");
    assert!(!tmux.screen().contains("you said: pasted"));
    tmux.press(&["Enter"]);
    tmux.shows("you said: pasted in two lines");
}

#[test]
fn slash_commands_are_completed_done_and_explained() {
    let tmux = start("line");
    tmux.prompts();
    tmux.types("/mod");
    tmux.press(&["Tab"]);
    tmux.shows("> /model");
    tmux.types("mod");
    tmux.press(&["Tab"]);
    tmux.shows("> /model model-one");
    tmux.press(&["Enter"]);
    tmux.shows("control Model(Some(\"model-one\"))");
    tmux.says("/halp");
    tmux.shows("there is no /halp; did you mean /help?");
    tmux.says("/undo");
    tmux.shows("✗ nothing to undo");
    tmux.says("/help");
    tmux.shows("/approvals");
    tmux.says("/retry");
    tmux.shows("you said: again");
}

#[test]
fn news_interrupt_the_prompt_and_keep_what_was_typed() {
    let tmux = start("line");
    tmux.prompts();
    tmux.says("/bg hello");
    tmux.shows("background said hello");
    tmux.prompts();
    // The news come while this is being typed, or before, or after: nothing of it is lost.
    tmux.types("/bg one\rhalf a li");
    tmux.shows("background said one");
    tmux.ends_with("> half a li");
    tmux.says("ne");
    tmux.shows("you said: half a line");
    assert!(tmux.screen().contains("background said hello"), "{}", tmux.screen());
}

#[test]
fn history_is_private_and_remembered() {
    let tmux = start("line");
    tmux.prompts();
    tmux.says("remember me");
    tmux.shows("you said: remember me");
    tmux.prompts();
    tmux.press(&["C-d"]);
    assert_eq!(tmux.ended(), 0);
    let mode = std::fs::metadata(tmux.path("home/.hermes_history")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for mode in ["line", "tui"] {
        tmux.restart(mode, &Setting::default());
        tmux.shows("under test");
        tmux.until("a prompt", |screen| screen.contains('>'));
        tmux.press(&["Up"]);
        tmux.shows("> remember me");
        tmux.press(&["C-c", "C-c"]);
        assert_eq!(tmux.ended(), 0);
    }
}

#[test]
fn a_first_message_is_sent_before_anything_is_typed() {
    let tmux = start("line hi");
    tmux.shows("you said: hi");
    tmux.prompts();
}

#[test]
fn resizing_harms_neither_the_prompt_nor_a_turn() {
    let tmux = start("line");
    tmux.prompts();
    tmux.resize(40, 12);
    tmux.says("wait");
    tmux.shows("second line");
    tmux.resize(60, 20);
    tmux.press(&["C-c"]);
    tmux.prompts();
    tmux.resize(30, 10);
    tmux.says("hello there");
    tmux.shows("you said: hello there");
}

/// What the program writes, byte for byte.
fn written(variables: &[&str]) -> String {
    let tmux = start_in("line", &Setting { variables, ..Setting::default() });
    tmux.prompts();
    let log = tmux.path("log");
    tmux.tmux(&["pipe-pane", "-t", "t", &format!("cat > {}", log.display())]);
    tmux.says("rich");
    tmux.shows("1,200 tokens in, 34 out");
    tmux.says("ask");
    tmux.shows("[o]nce");
    tmux.press(&["d"]);
    tmux.shows("consent Denied");
    tmux.prompts();
    tmux.press(&["C-d"]);
    tmux.ended();
    std::fs::read_to_string(log).unwrap()
}

#[test]
fn a_dumb_terminal_gets_no_escape_sequences() {
    let text = written(&["TERM=dumb"]);
    assert!(!text.contains('\u{1b}'), "{text:?}");
    assert!(text.contains("Some **bold** words and `code`."), "{text:?}");
}

#[test]
fn no_color_is_honoured() {
    let text = written(&["NO_COLOR=1"]);
    for colour in 30..=37 {
        assert!(!text.contains(&format!("\u{1b}[{colour}m")) && !text.contains(&format!(";{colour}m")), "{text:?}");
    }
    assert!(text.contains("\u{1b}[1mbold"), "{text:?}");
}
