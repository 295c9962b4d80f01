//! The full screen without a terminal: events in, effects and pictures out.

use std::time::Duration;

use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers};
use hermes_agent::TurnEvent;
use hermes_proto::consent::{ActionKind, Consent, ConsentRequest, Offer, Scope};
use hermes_proto::message::Usage;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tokio::time::Instant;

use super::draw::draw;
use super::state::{Effect, Event, State};
use super::update::update;
use crate::approval::{Asked, Given, QuestionView};
use crate::conversation::{Control, Ending, Headline, Job, News, Prompt, TurnEnd};
use crate::text::Paint;
use crate::tty::Left;

struct Bench {
    state: State,
    now: Instant,
}

impl Bench {
    fn new() -> Self {
        let now = Instant::now();
        let headline =
            Headline { model: "m".into(), session: "s".into(), place: "local".into(), warning: String::new() };
        let history = vec!["first".to_owned(), "second".to_owned()];
        Self { state: State::new((80, 24), Paint::Monochrome, headline, history, now), now }
    }

    fn does(&mut self, event: Event) -> Vec<Effect> {
        update(&mut self.state, event, self.now)
    }

    fn press(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Vec<Effect> {
        self.does(Event::Terminal(TerminalEvent::Key(KeyEvent::new(code, modifiers))))
    }

    fn says(&mut self, line: &str) -> Vec<Effect> {
        self.does(Event::Terminal(TerminalEvent::Paste(line.to_owned())));
        self.press(KeyCode::Enter, KeyModifiers::NONE)
    }

    fn picture(&self, columns: u16, rows: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|frame| draw(&self.state, frame)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let row = |y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..rows).map(|y| row(y).trim_end().to_owned() + "\n").collect()
    }

    fn asks(&mut self, number: u64, action: &str) {
        let request = ConsentRequest {
            request: "test".to_owned(),
            kind: ActionKind::Command,
            action: action.to_owned(),
            place: "local".to_owned(),
            findings: Vec::new(),
            offers: vec![Offer { scope: Scope::Once, allows: "this".to_owned() }],
            patience: Duration::from_secs(60),
        };
        let view =
            QuestionView { number, asked: Asked::Consent(request), deadline: self.now + Duration::from_secs(60) };
        self.does(Event::Questions(Some(view), 1));
        self.now += Duration::from_secs(1);
        self.does(Event::Tick);
    }
}

fn end() -> TurnEnd {
    TurnEnd {
        ending: Ending::Answered,
        answer: String::new(),
        usage: Usage { input: 5, output: 2, ..Usage::default() },
        model: "m".to_owned(),
        session: "s".to_owned(),
        rounds: 1,
    }
}

fn busy() -> Bench {
    let mut bench = Bench::new();
    bench.says("build it");
    bench.does(Event::Turn(TurnEvent::Text { delta: "I will **build** it.\n\n".to_owned() }));
    let (tool, preview) = ("terminal".to_owned(), "make".to_owned());
    bench.does(Event::Turn(TurnEvent::ToolStarted { call: "1".into(), tool, preview }));
    bench.does(Event::Turn(TurnEvent::ToolOutput { call: "1".into(), text: "cc a.c\ncc b.c\n".to_owned() }));
    let job = Job { id: "j1".to_owned(), command: "sleep 9".to_owned(), state: "running".to_owned() };
    bench.does(Event::News(News::Jobs(vec![job])));
    bench
}

#[test]
fn a_busy_screen_at_80_by_24() {
    let mut bench = busy();
    bench.asks(1, "rm -r build");
    let line = |text: &str| format!("│{text:<78}│\n");
    let border = |left: char, title: &str, right: char| {
        let rest = "─".repeat(78 - title.chars().count());
        format!("{left}{title}{rest}{right}\n")
    };
    let expected = [
        "> build it\n".to_owned(),
        "I will build it.\n".to_owned(),
        "\n".repeat(4),
        border('┌', " running ", '┐'),
        line("terminal  make  1.0s, 2 lines"),
        line("  cc a.c"),
        line("  cc b.c"),
        border('└', "", '┘'),
        border('┌', " jobs ", '┐'),
        line("j1  running  sleep 9"),
        border('└', "", '┘'),
        border('┌', " approval ", '┐'),
        line("? may the agent run this command in local?"),
        line("    rm -r build"),
        line("  once allows this"),
        line("  [o]nce [d]eny [v]iew  59s left"),
        border('└', "", '┘'),
        border('┌', " message (waits for the turn) ", '┐'),
        line("> "),
        border('└', "", '┘'),
        " ⠋ 1.0s terminal  make · m · s · local · /help\n".to_owned(),
    ];
    assert_eq!(bench.picture(80, 24), expected.concat());
}

#[test]
fn every_size_is_drawn_and_what_matters_most_stays() {
    let mut bench = busy();
    bench.asks(1, &"echo a rather long line that has to be folded\n".repeat(12));
    for (columns, rows) in [(80, 24), (120, 40), (40, 16), (30, 12), (20, 8), (12, 5), (9, 3), (1, 1)] {
        bench.does(Event::Terminal(TerminalEvent::Resize(columns, rows)));
        let picture = bench.picture(columns, rows);
        let is_cut = rows <= 16;
        if rows >= 12 {
            assert!(picture.contains("[o]nce"), "{picture}");
            assert_eq!(picture.contains("Up/Down: 0 above"), is_cut, "{picture}");
        }
    }
}

#[test]
fn nothing_is_approved_that_cannot_be_seen() {
    let mut bench = busy();
    bench.does(Event::Terminal(TerminalEvent::Resize(80, 8)));
    bench.asks(7, "rm x");
    assert_eq!(bench.press(KeyCode::Char('o'), KeyModifiers::NONE), []);
    assert!(bench.picture(80, 8).contains("window too small"), "{}", bench.picture(80, 8));
    bench.does(Event::Terminal(TerminalEvent::Resize(80, 24)));
    bench.now += Duration::from_secs(1);
    assert_eq!(bench.press(KeyCode::Char('o'), KeyModifiers::NONE).len(), 1);
}

#[test]
fn a_message_is_sent_and_remembered() {
    let mut bench = Bench::new();
    let sent = vec![Effect::Remember("hello".to_owned()), Effect::Send(Prompt::text("hello"))];
    assert_eq!(bench.says("hello"), sent);
    assert_eq!(bench.says("next"), [Effect::Remember("next".to_owned())]);
    assert_eq!(bench.does(Event::TurnEnded(end())), [Effect::Send(Prompt::text("next"))]);
    assert_eq!(bench.does(Event::TurnEnded(end())), []);
    assert!(bench.picture(80, 24).contains("5 tokens in, 2 out"));
}

#[test]
fn commands_are_carried_out_or_explained() {
    let mut bench = Bench::new();
    assert_eq!(bench.says("/status")[1..], [Effect::Control(Control::Status)]);
    assert_eq!(bench.says("/stop")[1..], [Effect::Cancel]);
    assert_eq!(bench.says("/quit")[1..], [Effect::Leave(Left::Quit)]);
    let mut bench = Bench::new();
    assert_eq!(bench.says("/halp")[1..], []);
    assert!(bench.picture(80, 24).contains("did you mean /help?"));
}

#[test]
fn ctrl_c_interrupts_and_twice_leaves() {
    let mut bench = busy();
    let interrupt = |bench: &mut Bench| bench.press(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(interrupt(&mut bench), [Effect::Cancel]);
    bench.now += Duration::from_secs(3);
    assert_eq!(interrupt(&mut bench), [Effect::Cancel]);
    assert_eq!(interrupt(&mut bench), [Effect::Leave(Left::Quit)]);
}

#[test]
fn a_question_takes_its_keys_and_no_other_does() {
    let mut bench = busy();
    bench.asks(7, "rm x");
    assert_eq!(bench.press(KeyCode::Enter, KeyModifiers::NONE), []);
    let approved = Effect::Answer(7, Given::Consent(Consent::Approved(Scope::Once)));
    assert_eq!(bench.press(KeyCode::Char('o'), KeyModifiers::NONE), [approved]);
    assert_eq!(bench.does(Event::Questions(None, 0)), []);
    let picture = bench.picture(80, 24);
    assert!(picture.contains("approved (once)") && !picture.contains("not answered"), "{picture}");
    bench.asks(8, "rm y");
    bench.does(Event::Questions(None, 0));
    assert!(bench.picture(80, 24).contains("not answered; nothing was approved"));
}

#[test]
fn what_was_typed_before_is_found_again() {
    let mut bench = Bench::new();
    for (key, expected) in [
        (KeyCode::Up, "second"),
        (KeyCode::Up, "first"),
        (KeyCode::Up, "first"),
        (KeyCode::Down, "second"),
        (KeyCode::Down, ""),
    ] {
        bench.press(key, KeyModifiers::NONE);
        assert_eq!(bench.state.draft.text(), expected);
    }
}

#[test]
fn whoever_has_scrolled_up_keeps_looking_at_the_same_lines() {
    let mut bench = busy();
    let text: String = (0..200).map(|number| format!("line {number}\n\n")).collect();
    bench.does(Event::Turn(TurnEvent::Text { delta: text.clone() }));
    bench.press(KeyCode::PageUp, KeyModifiers::NONE);
    let top = |bench: &Bench| bench.picture(80, 24).lines().next().unwrap().to_owned();
    let before = top(&bench);
    bench.does(Event::Turn(TurnEvent::Text { delta: text }));
    assert_eq!(top(&bench), before);
}
