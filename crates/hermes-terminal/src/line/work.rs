//! While something runs: its events are shown, keys are taken, questions are put.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tokio_util::sync::CancellationToken;

use super::chat::LineChat;
use crate::approval::keys_line;
use crate::command::{Meaning, Typed, read};
use crate::conversation::Control;
use crate::draft::Edited;
use crate::error::TerminalError;
use crate::interrupt::Press;
use crate::keyboard::Told;
use crate::text::{Line, Tone};
use crate::tty::{Left, Signalled};
use crate::turn::{Inbox, Narrator};

const FRAME: Duration = Duration::from_millis(100);
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Lines of a tool's output, and of a block that is being written.
const TAIL: usize = 3;
const PREVIEW: usize = 6;
/// How long a turn may take to end when a signal asks the program to.
const GRACE: Duration = Duration::from_secs(5);
/// Lines that are typed ahead, at most.
const QUEUE: usize = 32;

/// How it ended.
pub(super) enum Attended<T> {
    Done(T),
    Left(Left),
}

/// What a key asks the program to do.
enum Asked {
    Nothing,
    Interrupt,
    Leave,
}

impl LineChat {
    /// Runs something to its end, or until the person leaves.
    pub(super) async fn attend<T>(
        &mut self,
        work: impl Future<Output = T>,
        inbox: &Inbox,
        cancellation: &CancellationToken,
        narrator: &mut Narrator,
    ) -> Result<Attended<T>, TerminalError> {
        let mut work = pin!(work);
        self.terminal.read_keys()?;
        self.terminal.mark_pastes()?;
        self.keyboard.read_keys()?;
        let mut frames = interval(FRAME);
        frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut leaving: Option<(Left, Instant)> = None;
        loop {
            let asked = tokio::select! {
                output = &mut work => {
                    self.show_events(inbox, narrator)?;
                    self.withdraw_question()?;
                    let left = self.release_keys().await?;
                    self.screen.erase()?;
                    return Ok(match leaving.map(|(left, _)| left).or(left) {
                        Some(left) => Attended::Left(left),
                        None => Attended::Done(output),
                    });
                }
                events = inbox.next() => {
                    for event in events {
                        let blocks = narrator.saw(event, Instant::now().into_std());
                        self.screen.blocks(&blocks)?;
                    }
                    Asked::Nothing
                }
                told = self.keyboard.next() => match told? {
                    Told::Pressed(event) => self.pressed(event)?,
                    Told::Ended(_) => return Err(TerminalError::KeyboardGone),
                },
                () = self.desk.changed() => Asked::Nothing,
                Some(news) = self.news.recv() => {
                    self.show_news(news)?;
                    Asked::Nothing
                }
                _ = frames.tick(), if self.screen.is_live() || self.needs_keys() => Asked::Nothing,
                () = self.terminal.was_disturbed() => {
                    self.terminal.read_keys()?;
                    Asked::Nothing
                }
                signalled = self.signals.next() => match signalled {
                    Signalled::Interrupt => self.interrupt(),
                    Signalled::Leave(left) => {
                        leaving = Some((left, Instant::now() + GRACE));
                        Asked::Interrupt
                    }
                },
                () = patience(leaving) => return Ok(Attended::Left(leaving.map_or(Left::Quit, |(left, _)| left))),
            };
            match asked {
                Asked::Nothing => {}
                Asked::Leave => return Ok(Attended::Left(Left::Quit)),
                Asked::Interrupt => {
                    cancellation.cancel();
                    self.desk.cancel_all();
                    self.say("interrupting … Ctrl-C again leaves", Tone::Faint)?;
                }
            }
            self.put_question()?;
            let lines = self.live_lines(narrator);
            self.screen.live(&lines)?;
        }
    }

    /// Gives the keyboard back. What was pressed until then belongs to the next line, or leaves.
    async fn release_keys(&mut self) -> Result<Option<Left>, TerminalError> {
        self.keyboard.call_back()?;
        let mut left = None;
        while let Told::Pressed(event) = self.keyboard.next().await? {
            if let Asked::Leave = self.pressed(event)? {
                left = Some(Left::Quit);
            }
        }
        Ok(left)
    }

    fn show_events(&mut self, inbox: &Inbox, narrator: &mut Narrator) -> Result<(), TerminalError> {
        for event in inbox.take() {
            let blocks = narrator.saw(event, Instant::now().into_std());
            self.screen.blocks(&blocks)?;
        }
        Ok(())
    }

    fn pressed(&mut self, event: Event) -> Result<Asked, TerminalError> {
        match event {
            Event::Key(KeyEvent { code: KeyCode::Char('c'), modifiers, .. })
                if modifiers.contains(KeyModifiers::CONTROL) =>
            {
                return Ok(self.interrupt());
            }
            Event::Key(key) => {
                self.interrupts.forget();
                if !self.answers_question(key)?
                    && let Edited::Sent(line) = self.draft.key(key)
                {
                    return self.sent(line);
                }
            }
            Event::Paste(text) if !self.takes_paste(&text) => self.draft.insert(&text.replace('\r', "\n")),
            _ => {}
        }
        Ok(Asked::Nothing)
    }

    fn interrupt(&mut self) -> Asked {
        match self.interrupts.press(Instant::now()) {
            Press::First => Asked::Interrupt,
            Press::Second => Asked::Leave,
        }
    }

    /// A line was typed while something runs: it waits, unless it is about what runs.
    fn sent(&mut self, line: String) -> Result<Asked, TerminalError> {
        let asked = match read(&line) {
            Typed::Nothing => return Ok(Asked::Nothing),
            Typed::Command(Meaning::Quit) => return Ok(Asked::Leave),
            Typed::Command(Meaning::Control(Control::Stop)) => Asked::Interrupt,
            _ => Asked::Nothing,
        };
        if self.queued.len() == QUEUE {
            self.draft.set(&line);
            self.say("too many lines wait already", Tone::Alert)?;
        } else {
            self.say(&format!("queued: {line}"), Tone::Faint)?;
            self.queued.push_back(line);
        }
        Ok(asked)
    }

    fn live_lines(&mut self, narrator: &Narrator) -> Vec<Line> {
        let now = Instant::now();
        let mut lines = Vec::new();
        if let Some(view) = self.desk.front() {
            lines.push(keys_line(view, &self.attention, now));
        } else {
            if let Some(tool) = narrator.tools().last() {
                lines.extend(tool.tail.newest(TAIL).iter().map(|line| Line::of(&format!("  │ {line}"), Tone::Faint)));
            }
            lines.extend(narrator.preview(self.screen.page(), PREVIEW));
            lines.push(self.spinner(narrator, now));
        }
        if !self.draft.text().is_empty() {
            lines.push(Line::of(&format!("> {}", self.draft.text()), Tone::Own));
        }
        lines
    }

    fn spinner(&self, narrator: &Narrator, now: Instant) -> Line {
        let elapsed = narrator.running_for(now.into_std());
        let frame = SPINNER[usize::try_from(elapsed.as_millis() / FRAME.as_millis()).unwrap_or(0) % SPINNER.len()];
        let mut line = Line::of(&format!("{frame} "), Tone::Alert);
        line.0.extend(narrator.activity(now.into_std()).0);
        match narrator.tools().last().map(|tool| tool.tail.count()) {
            Some(count) if count > 0 => line.and(&format!("  {count} lines"), Tone::Faint),
            _ => line,
        }
    }
}

async fn patience(leaving: Option<(Left, Instant)>) {
    match leaving {
        Some((_, until)) => sleep_until(until).await,
        None => std::future::pending().await,
    }
}
