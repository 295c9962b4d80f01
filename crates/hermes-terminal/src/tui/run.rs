//! Where events come in and effects go out.

use std::io::{self, Stdout};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ratatui::Terminal as Canvas;
use ratatui::backend::CrosstermBackend;
use reedline::{FileBackedHistory, History, HistoryItem, SearchDirection, SearchQuery};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tokio_util::sync::CancellationToken;

use super::draw::draw;
use super::state::{Effect, Event, State};
use super::update::{begin, update};
use crate::approval::Desk;
use crate::conversation::{Conversation, Headline, News, Reply, TurnEnd, Watch};
use crate::error::TerminalError;
use crate::keyboard::{Keyboard, LineEditor, Read, Told};
use crate::text::{Paint, Tone};
use crate::tty::{Left, Signalled, Signals, Terminal};
use crate::turn::Inbox;
use crate::{Chat, history};

const FRAME: Duration = Duration::from_millis(100);
/// How long what runs may take to end when a signal asks the program to.
const GRACE: Duration = Duration::from_secs(5);

/// Chats on a full screen until the person leaves or a signal comes. The terminal is then as it was found.
pub async fn full_screen(chat: Chat) -> Result<Left, TerminalError> {
    let paint = match Paint::of(&chat.host, &io::stdout()) {
        Paint::Nothing => return Err(TerminalError::NoScreen),
        paint => paint,
    };
    let terminal = Arc::new(Terminal::take(paint)?);
    let (history, problem) = history::open(&chat.home);
    let running = Loop {
        work: Work::default(),
        desk: chat.desk,
        news: chat.news,
        signals: Signals::watch()?,
        history,
        leaving: None,
        terminal: terminal.clone(),
    };
    terminal.enter_screen()?;
    let mut keyboard = Keyboard::start(|_| NoLines)?;
    keyboard.read_keys()?;
    let canvas = new_canvas()?;
    let size = canvas.size().map_err(TerminalError::Write)?;
    let typed = typed_before(&running.history);
    let mut state = State::new((size.width, size.height), paint, chat.conversation.headline(), typed, Instant::now());
    state.markdown(&chat.opening.banner);
    if let Some(problem) = problem {
        state.say(&problem, Tone::Alert);
    }
    let first = chat.opening.first.map_or(Vec::new(), |prompt| begin(&mut state, prompt));
    running.run(&chat.conversation, state, first, keyboard, canvas).await
}

fn new_canvas() -> Result<Canvas<CrosstermBackend<Stdout>>, TerminalError> {
    Canvas::new(CrosstermBackend::new(io::stdout())).map_err(TerminalError::Write)
}

/// A full screen reads keys only.
struct NoLines;

impl LineEditor for NoLines {
    fn read(&mut self, _headline: &Headline, _draft: String) -> Read {
        Read::End
    }
}

/// What runs for the person, and how it is followed.
#[derive(Default)]
struct Work<'a> {
    running: Option<Pin<Box<dyn Future<Output = Finished> + Send + 'a>>>,
    inbox: Arc<Inbox>,
    cancellation: CancellationToken,
}

enum Finished {
    Turn(TurnEnd),
    Control(Reply),
}

impl<'a> Work<'a> {
    /// A new watch for something that starts now.
    fn watch(&mut self) -> Watch {
        self.inbox = Arc::new(Inbox::default());
        self.cancellation = CancellationToken::new();
        Watch { observer: self.inbox.clone(), cancellation: self.cancellation.clone() }
    }

    async fn finished(&mut self) -> Finished {
        match &mut self.running {
            Some(work) => {
                let finished = work.await;
                self.running = None;
                finished
            }
            None => std::future::pending().await,
        }
    }
}

struct Loop<'a> {
    work: Work<'a>,
    desk: Desk,
    news: mpsc::Receiver<News>,
    signals: Signals,
    history: FileBackedHistory,
    /// How and by when the program leaves, once what runs has ended.
    leaving: Option<(Left, Instant)>,
    terminal: Arc<Terminal>,
}

impl<'a> Loop<'a> {
    async fn run(
        mut self,
        conversation: &'a Arc<dyn Conversation>,
        mut state: State,
        first: Vec<Effect>,
        mut keyboard: Keyboard,
        mut canvas: Canvas<CrosstermBackend<Stdout>>,
    ) -> Result<Left, TerminalError> {
        let mut frames = interval(FRAME);
        frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut effects = first;
        loop {
            for effect in std::mem::take(&mut effects) {
                match self.carry_out(effect, conversation) {
                    Carried::Out => {}
                    Carried::Leading(event) => effects.extend(update(&mut state, event, Instant::now())),
                    Carried::Leave(left) => return Ok(left),
                }
            }
            if !effects.is_empty() {
                continue;
            }
            if let Some((left, _)) = self.leaving.filter(|_| self.work.running.is_none()) {
                return Ok(left);
            }
            canvas.draw(|frame| draw(&state, frame)).map_err(TerminalError::Write)?;
            let events = match self.next(&mut keyboard, &mut frames, &state).await? {
                Came::Events(events) => events,
                Came::Disturbance => {
                    self.terminal.enter_screen()?;
                    // One that knows of nothing on the screen draws everything.
                    canvas = new_canvas()?;
                    Vec::new()
                }
                Came::Leave(left) => return Ok(left),
            };
            for event in events {
                effects.extend(update(&mut state, event, Instant::now()));
            }
            update(&mut state, Event::Headline(conversation.headline()), Instant::now());
        }
    }

    /// Waits for whatever comes next.
    async fn next(
        &mut self,
        keyboard: &mut Keyboard,
        frames: &mut tokio::time::Interval,
        state: &State,
    ) -> Result<Came, TerminalError> {
        let inbox = self.work.inbox.clone();
        Ok(Came::Events(tokio::select! {
            finished = self.work.finished() => {
                let mut events: Vec<Event> = inbox.take().into_iter().map(Event::Turn).collect();
                events.push(match finished {
                    Finished::Turn(end) => Event::TurnEnded(end),
                    Finished::Control(reply) => Event::Replied(reply),
                });
                events
            }
            happened = inbox.next() => happened.into_iter().map(Event::Turn).collect(),
            told = keyboard.next() => match told? {
                Told::Pressed(event) => vec![Event::Terminal(event)],
                Told::Ended(Read::Failed(error)) => return Err(TerminalError::Read(error)),
                Told::Ended(_) => return Err(TerminalError::KeyboardGone),
            },
            () = self.desk.changed() => vec![self.questions()],
            Some(news) = self.news.recv() => vec![Event::News(news)],
            _ = frames.tick(), if state.needs_ticks() => vec![Event::Tick],
            () = self.terminal.was_disturbed() => return Ok(Came::Disturbance),
            signalled = self.signals.next() => match signalled {
                Signalled::Interrupt => vec![Event::Interrupt],
                Signalled::Leave(left) => {
                    self.work.cancellation.cancel();
                    self.desk.cancel_all();
                    self.leaving = Some((left, Instant::now() + GRACE));
                    vec![self.questions()]
                }
            },
            left = grace(self.leaving) => return Ok(Came::Leave(left)),
        }))
    }

    fn questions(&self) -> Event {
        Event::Questions(self.desk.front().cloned(), self.desk.len())
    }

    /// Does what the state asks for.
    fn carry_out(&mut self, effect: Effect, conversation: &'a Arc<dyn Conversation>) -> Carried {
        match effect {
            Effect::Send(prompt) => {
                let work = conversation.send(prompt, self.work.watch());
                self.work.running = Some(Box::pin(async { Finished::Turn(work.await) }));
            }
            Effect::Control(control) => {
                let work = conversation.control(control, self.work.watch());
                self.work.running = Some(Box::pin(async { Finished::Control(work.await) }));
            }
            Effect::Cancel => {
                self.work.cancellation.cancel();
                self.desk.cancel_all();
                return Carried::Leading(self.questions());
            }
            Effect::Answer(number, given) => {
                self.desk.answer(number, given);
                return Carried::Leading(self.questions());
            }
            Effect::Look(of) => return Carried::Leading(Event::Candidates(conversation.candidates(of))),
            Effect::Remember(line) => {
                // A history that cannot be written now may be later; the line itself is what counts.
                let _ = self.history.save(HistoryItem::from_command_line(line));
                let _ = self.history.sync();
            }
            Effect::Leave(left) => return Carried::Leave(left),
        }
        Carried::Out
    }
}

/// What an effect leads to.
enum Carried {
    Out,
    Leading(Event),
    Leave(Left),
}

enum Came {
    Events(Vec<Event>),
    /// The screen is not as it was left.
    Disturbance,
    Leave(Left),
}

async fn grace(leaving: Option<(Left, Instant)>) -> Left {
    match leaving {
        Some((left, until)) => {
            sleep_until(until).await;
            left
        }
        None => std::future::pending().await,
    }
}

fn typed_before(history: &FileBackedHistory) -> Vec<String> {
    let all = SearchQuery::everything(SearchDirection::Forward, None);
    let items = history.search(all).unwrap_or_default();
    items.into_iter().map(|item| item.command_line).collect()
}
