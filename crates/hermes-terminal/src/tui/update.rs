//! One event changes the state; what is to be done in the world is returned, never done here.

use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokio::time::Instant;

use super::state::{Effect, Event, Running, State};
use crate::approval::{Extent, Keyed, answer_line, question_lines};
use crate::command::{Meaning, Typed, completions, help, read};
use crate::conversation::{Candidates, Control, News, Prompt, Reply};
use crate::draft::Edited;
use crate::interrupt::Press;
use crate::text::Tone;
use crate::tty::Left;
use crate::turn::{Block, Narrator};

const KEYS: &str = "Enter sends, Alt-Enter begins another line, Tab completes, Up and Down find what was typed before, \
    PageUp and PageDown scroll. Ctrl-C interrupts, twice leaves; Ctrl-D leaves.";
/// Lines that are typed ahead, at most.
const QUEUE: usize = 32;
const HISTORY: usize = 5000;

/// Changes the state by one event that happened at `now`.
pub(super) fn update(state: &mut State, event: Event, now: Instant) -> Vec<Effect> {
    state.now = now;
    match event {
        Event::Terminal(TerminalEvent::Key(key)) if key.kind != KeyEventKind::Release => {
            return key_pressed(state, key);
        }
        Event::Terminal(TerminalEvent::Paste(text)) => pasted(state, &text.replace('\r', "\n")),
        Event::Terminal(TerminalEvent::Resize(columns, rows)) => state.resize((columns, rows)),
        Event::Terminal(_) | Event::Tick => {}
        Event::Turn(event) => {
            if let Running::Work(narrator) = &mut state.running {
                let blocks = narrator.saw(event, now.into_std());
                state.add(blocks);
            }
        }
        Event::TurnEnded(end) => {
            if let Running::Work(narrator) = &mut state.running {
                let blocks = narrator.finish(&end, now.into_std());
                state.add(blocks);
            }
            return finished(state);
        }
        Event::Replied(reply) => {
            match reply {
                Reply::Done(text) => state.markdown(&text),
                Reply::Failed(text) => state.say(&format!("✗ {text}"), Tone::Bad),
            }
            return finished(state);
        }
        Event::Questions(question, waiting) => asked(state, question, waiting),
        Event::News(News::Notice(text)) => state.markdown(&text),
        Event::News(News::Jobs(jobs)) => state.jobs = jobs,
        Event::Headline(headline) => state.headline = headline,
        Event::Candidates(words) => {
            complete(state, Some(words));
        }
        Event::Interrupt => return interrupted(state),
    }
    Vec::new()
}

/// Begins with a prompt nobody typed.
pub(super) fn begin(state: &mut State, prompt: Prompt) -> Vec<Effect> {
    run(state, Effect::Send(prompt))
}

fn run(state: &mut State, effect: Effect) -> Vec<Effect> {
    state.running = Running::Work(Narrator::new(state.now.into_std()));
    state.hint.clear();
    vec![effect]
}

/// What ran has ended: the next line that waits is its successor.
fn finished(state: &mut State) -> Vec<Effect> {
    state.running = Running::Nothing;
    match state.queued.pop_front() {
        Some(line) => act(state, &line),
        None => Vec::new(),
    }
}

fn asked(state: &mut State, question: Option<crate::approval::QuestionView>, waiting: usize) {
    let number = question.as_ref().map(|question| question.number);
    if let Some(before) = &state.question
        && number != Some(before.number)
    {
        state.question_scrolled = 0;
        state.say("  not answered; nothing was approved", Tone::Alert);
    }
    state.attention.show(number, state.now);
    state.question = question;
    state.waiting = waiting;
}

fn key_pressed(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    if is_control && key.code == KeyCode::Char('c') {
        return interrupted(state);
    }
    state.interrupts.forget();
    state.hint.clear();
    if let Some(effects) = question_key(state, key) {
        return effects;
    }
    if is_control && key.code == KeyCode::Char('d') && state.draft.text().is_empty() {
        return vec![Effect::Leave(Left::Quit)];
    }
    if scrolled(state, key.code) {
        return Vec::new();
    }
    match state.draft.key(key) {
        Edited::Changed => {
            state.history_at = None;
            Vec::new()
        }
        Edited::Sent(line) => sent(state, line),
        Edited::Untouched => {
            match key.code {
                KeyCode::Up => look_back(state),
                KeyCode::Down => look_forward(state),
                KeyCode::Tab => return complete(state, None).map(Effect::Look).into_iter().collect(),
                _ => {}
            }
            Vec::new()
        }
    }
}

/// What a key does to the question, if there is one that takes it.
fn question_key(state: &mut State, key: KeyEvent) -> Option<Vec<Effect>> {
    let view = state.question.as_ref()?;
    if !state.has_room_for_question() {
        state.attention.disarm(state.now);
        return None;
    }
    match state.attention.key(view, key, state.now) {
        Keyed::Elsewhere => None,
        Keyed::Ignored => {
            match key.code {
                KeyCode::Down | KeyCode::PageDown => state.question_scrolled += 1,
                KeyCode::Up | KeyCode::PageUp => state.question_scrolled = state.question_scrolled.saturating_sub(1),
                _ => {}
            }
            Some(Vec::new())
        }
        Keyed::ShowAll => {
            let lines = question_lines(view, state.waiting, Extent::All);
            state.add(lines.into_iter().map(|line| Block::Line { line, indent: 4 }).collect());
            state.scrolled = 0;
            Some(Vec::new())
        }
        Keyed::Answer(number, given) => {
            let lines = question_lines(view, 1, Extent::Beginning);
            state.add(lines.into_iter().map(|line| Block::Line { line, indent: 4 }).collect());
            state.add(vec![Block::line(answer_line(&given))]);
            state.question = None;
            state.question_scrolled = 0;
            state.attention.show(None, state.now);
            Some(vec![Effect::Answer(number, given)])
        }
    }
}

fn pasted(state: &mut State, text: &str) {
    let is_for_question = match &state.question {
        Some(view) => state.attention.paste(view, text, state.now) != Keyed::Elsewhere,
        None => false,
    };
    if !is_for_question {
        state.draft.insert(text);
    }
}

fn interrupted(state: &mut State) -> Vec<Effect> {
    if state.interrupts.press(state.now) == Press::Second {
        return vec![Effect::Leave(Left::Quit)];
    }
    "Ctrl-C again leaves".clone_into(&mut state.hint);
    if state.is_running() || state.question.is_some() {
        return vec![Effect::Cancel];
    }
    state.draft.take();
    Vec::new()
}

fn scrolled(state: &mut State, code: KeyCode) -> bool {
    let step = usize::from(state.size.1 / 2).max(1);
    match code {
        KeyCode::PageUp => state.scrolled = (state.scrolled + step).min(state.transcript.lines().len()),
        KeyCode::PageDown => state.scrolled = state.scrolled.saturating_sub(step),
        _ => return false,
    }
    true
}

fn sent(state: &mut State, line: String) -> Vec<Effect> {
    state.history_at = None;
    state.scrolled = 0;
    if line.trim().is_empty() {
        return Vec::new();
    }
    if state.history.last() != Some(&line) {
        state.history.push(line.clone());
        state.history.drain(..state.history.len().saturating_sub(HISTORY));
    }
    let mut effects = vec![Effect::Remember(line.clone())];
    if state.is_running() {
        effects.extend(wait(state, line));
    } else {
        effects.extend(act(state, &line));
    }
    effects
}

/// A line that was typed while something runs waits, unless it is about what runs.
fn wait(state: &mut State, line: String) -> Vec<Effect> {
    let effects = match read(&line) {
        Typed::Command(Meaning::Quit) => return vec![Effect::Leave(Left::Quit)],
        Typed::Command(Meaning::Control(Control::Stop)) => vec![Effect::Cancel],
        _ => Vec::new(),
    };
    if state.queued.len() == QUEUE {
        state.draft.set(&line);
        "too many lines wait already".clone_into(&mut state.hint);
    } else {
        state.say(&format!("queued: {line}"), Tone::Faint);
        state.queued.push_back(line);
    }
    effects
}

/// Does what a line says.
fn act(state: &mut State, line: &str) -> Vec<Effect> {
    state.say(&format!("> {line}"), Tone::Own);
    match read(line) {
        Typed::Nothing => Vec::new(),
        Typed::Problem(problem) => {
            state.say(&problem, Tone::Alert);
            finished(state)
        }
        Typed::Message(text) => run(state, Effect::Send(Prompt::text(text))),
        Typed::Command(Meaning::Retry) => run(state, Effect::Send(Prompt::Again)),
        Typed::Command(Meaning::Control(control)) => run(state, Effect::Control(control)),
        Typed::Command(Meaning::Help) => {
            state.markdown(&help(KEYS));
            finished(state)
        }
        Typed::Command(Meaning::Quit) => vec![Effect::Leave(Left::Quit)],
    }
}

fn look_back(state: &mut State) {
    let at = state.history_at.unwrap_or(state.history.len());
    if let Some(line) = at.checked_sub(1).and_then(|at| state.history.get(at)) {
        state.draft.set(line);
        state.history_at = Some(at - 1);
    }
}

fn look_forward(state: &mut State) {
    let Some(at) = state.history_at else { return };
    state.history_at = Some(at + 1).filter(|at| *at < state.history.len());
    let line = state.history_at.and_then(|at| state.history.get(at)).cloned().unwrap_or_default();
    state.draft.set(&line);
}

/// Completes a command as far as it is clear; says what it could be otherwise. Gives what has to be found out first.
fn complete(state: &mut State, words: Option<Vec<String>>) -> Option<Candidates> {
    let mut missing = None;
    let found = completions(state.draft.before_cursor(), |of| {
        if words.is_none() {
            missing = Some(of);
        }
        words.unwrap_or_default()
    });
    let Some(first) = found.first() else { return missing };
    let start = first.start;
    if let [only] = found.as_slice() {
        state.draft.replace_from(start, &format!("{} ", only.text));
        return None;
    }
    let common = found.iter().skip(1).fold(first.text.as_str(), |common, other| shared(common, &other.text));
    state.draft.replace_from(start, common);
    state.hint = found.iter().map(|completion| completion.text.as_str()).collect::<Vec<_>>().join(" ");
    None
}

fn shared<'a>(one: &'a str, other: &str) -> &'a str {
    let end = one.char_indices().zip(other.chars()).find(|((_, one), other)| one != other).map(|((at, _), _)| at);
    &one[..end.unwrap_or_else(|| one.len().min(other.len()))]
}
