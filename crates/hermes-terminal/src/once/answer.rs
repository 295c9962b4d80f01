//! A turn without a person at the keyboard.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use hermes_proto::HostEnvironment;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::OnceError;
use crate::conversation::{Conversation, Ending, Prompt, TurnEnd, Watch};
use crate::screen::Screen;
use crate::text::visible;
use crate::tty::Signals;
use crate::turn::{Block, Inbox, Narrator};

/// What is told besides the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narration {
    /// Tools and notices, on standard error.
    Progress,
    /// Nothing (`-Q`, `-z`).
    Quiet,
}

const FRAME: Duration = Duration::from_millis(100);
/// Something quick needs no spinner.
const SOON: Duration = Duration::from_secs(1);

/// Runs one turn and prints its answer. Whether the turn failed is for the caller to see, and to say.
///
/// A signal interrupts the turn; it still ends as it should, unless a second one comes.
pub async fn answer_once(
    conversation: &dyn Conversation,
    prompt: Prompt,
    narration: Narration,
    host: &HostEnvironment,
) -> Result<TurnEnd, OnceError> {
    let inbox = Arc::new(Inbox::default());
    let cancellation = CancellationToken::new();
    let watch = Watch { observer: inbox.clone(), cancellation: cancellation.clone() };
    let mut telling = Telling::new(narration, host);
    let mut signals = Signals::watch()?;
    let mut work = conversation.send(prompt, watch);
    let mut frames = interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let end = loop {
        tokio::select! {
            end = &mut work => break end,
            events = inbox.next() => telling.tell(events)?,
            _ = frames.tick(), if telling.is_live() => telling.draw()?,
            _ = signals.next() => {
                if cancellation.is_cancelled() {
                    break given_up();
                }
                cancellation.cancel();
            }
        }
    };
    telling.tell(inbox.take())?;
    telling.screen.erase()?;
    print_answer(&end.answer)?;
    Ok(end)
}

/// Nobody waits for how it ends.
fn given_up() -> TurnEnd {
    TurnEnd {
        ending: Ending::Interrupted,
        answer: String::new(),
        usage: Default::default(),
        model: String::new(),
        session: String::new(),
        rounds: 0,
    }
}

struct Telling {
    narration: Narration,
    narrator: Narrator,
    screen: Screen,
}

impl Telling {
    fn new(narration: Narration, host: &HostEnvironment) -> Self {
        Self { narration, narrator: Narrator::new(now()), screen: Screen::for_progress(host) }
    }

    fn is_live(&self) -> bool {
        self.narration == Narration::Progress && self.screen.is_live()
    }

    fn tell(&mut self, events: impl IntoIterator<Item = hermes_agent::TurnEvent>) -> Result<(), OnceError> {
        for event in events {
            let mut blocks = self.narrator.saw(event, now());
            // The answer's place is standard output.
            blocks.retain(|block| !matches!(block, Block::Markdown(_)));
            if self.narration == Narration::Progress {
                self.screen.blocks(&blocks)?;
            }
        }
        Ok(())
    }

    fn draw(&mut self) -> Result<(), OnceError> {
        if self.narrator.running_for(now()) >= SOON {
            self.screen.live(&[self.narrator.activity(now())])?;
        }
        Ok(())
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// Data stays as it is for whoever reads it; a terminal gets nothing that acts on it.
fn print_answer(answer: &str) -> Result<(), OnceError> {
    if answer.is_empty() {
        return Ok(());
    }
    let mut output = io::stdout().lock();
    let text = if output.is_terminal() { visible(answer) } else { answer.into() };
    let end = if text.ends_with('\n') { "" } else { "\n" };
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.write_all(end.as_bytes()))
        .and_then(|()| output.flush())
        .map_err(OnceError::Output)
}
