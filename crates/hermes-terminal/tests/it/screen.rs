//! The full screen.

use super::tmux::{Tmux, start};

fn started() -> Tmux {
    let tmux = start("tui");
    tmux.shows("under test");
    tmux
}

#[test]
fn everything_is_on_one_screen() {
    let tmux = started();
    tmux.shows("scripted · a session · nowhere");
    tmux.says("rich");
    tmux.shows("link (https://example.org)");
    tmux.shows("> rich");
    tmux.says("jobs");
    tmux.shows("job-1  running  sleep 100");
    tmux.says("wait");
    tmux.shows("terminal  sleep 1000");
    tmux.shows("second line");
    tmux.types("next");
    tmux.shows("> next");
    tmux.press(&["C-c"]);
    tmux.shows("◌ interrupted terminal");
    tmux.shows("> next");
}

#[test]
fn the_transcript_scrolls() {
    let tmux = started();
    tmux.says("long");
    tmux.shows("paragraph 100");
    tmux.press(&["PPage", "PPage"]);
    tmux.until("earlier lines", |screen| !screen.contains("paragraph 100") && screen.contains("scrolled"));
    tmux.press(&["NPage", "NPage"]);
    tmux.shows("paragraph 100");
}

#[test]
fn it_follows_the_size_of_the_terminal() {
    let tmux = started();
    tmux.says("rich");
    tmux.shows("Some bold words and code.");
    for (columns, rows) in [(40, 12), (120, 40), (20, 6), (80, 24)] {
        tmux.resize(columns, rows);
        tmux.until("a frame of that size", |screen| {
            screen.lines().any(|line| line.starts_with('└') && line.chars().count() == usize::from(columns))
        });
    }
    tmux.says("hello");
    tmux.shows("you said: hello");
}

#[test]
fn hostile_text_does_not_reach_the_terminal() {
    let tmux = started();
    tmux.says("evil");
    tmux.shows("␛[2J␛[HOWNED␇");
    tmux.shows("under test");
    assert_ne!(tmux.knows("pane_title"), "title");
}

#[test]
fn lines_wait_for_the_turn_and_commands_are_completed() {
    let tmux = started();
    tmux.says("wait");
    tmux.shows("second line");
    tmux.says("hello");
    tmux.shows("queued: hello");
    tmux.shows("1 queued");
    tmux.press(&["C-c"]);
    tmux.shows("you said: hello");
    tmux.types("/mod");
    tmux.press(&["Tab"]);
    tmux.shows("> /model ");
    tmux.types("mo");
    tmux.press(&["Tab"]);
    tmux.shows("> /model model-one");
    tmux.press(&["Enter"]);
    tmux.shows("control Model");
    tmux.pastes("two\nlines");
    tmux.shows("> two");
    tmux.shows("> lines");
    tmux.press(&["Enter"]);
    tmux.shows("you said: two lines");
}
