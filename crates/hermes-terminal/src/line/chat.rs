//! The course of the chat: read a line, do what it says, again.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::editor::Editor;
use super::work::Attended;
use crate::approval::{Attention, Desk};
use crate::command::{Meaning, Typed, help, read};
use crate::conversation::{Control, Conversation, News, Opening, Prompt, Reply, Watch};
use crate::draft::Draft;
use crate::error::TerminalError;
use crate::interrupt::{Interrupts, Press};
use crate::keyboard::{Keyboard, Read, Told};
use crate::markdown::Stream;
use crate::screen::Screen;
use crate::text::{Line, Paint, Tone};
use crate::tty::{Left, Signalled, Signals, Terminal};
use crate::turn::{Block, Inbox, Narrator};
use crate::{Chat, history};

const KEYS: &str = "Enter sends, Alt-Enter or `\\` at the end of a line begins another, Tab completes. \
    Ctrl-C interrupts, twice leaves; Ctrl-D leaves.";

/// News that wait until they can be shown.
const HELD: usize = 64;

/// Chats in the terminal until the person leaves or a signal comes. The terminal is then as it was found.
pub async fn line_chat(chat: Chat) -> Result<Left, TerminalError> {
    let screen = Screen::for_chat(&chat.host);
    let terminal = Arc::new(Terminal::take(screen.paint)?);
    let signals = Signals::watch()?;
    let (history, problem) = history::open(&chat.home);
    let (conversation, paint) = (chat.conversation.clone(), screen.paint);
    let keyboard = Keyboard::start(move |call| Editor::new(conversation, history, call, paint))?;
    let mut line = LineChat {
        conversation: chat.conversation,
        terminal,
        screen,
        keyboard,
        desk: chat.desk,
        attention: Attention::new(Instant::now()),
        printed: None,
        has_keys_printed: false,
        all_answered: CancellationToken::new(),
        news: chat.news,
        signals,
        interrupts: Interrupts::default(),
        queued: VecDeque::new(),
        draft: Draft::default(),
    };
    if let Some(problem) = problem {
        line.say(&problem, Tone::Alert)?;
    }
    let left = line.run(chat.opening).await;
    line.screen.erase()?;
    left
}

#[derive(Debug)]
pub(super) struct LineChat {
    pub(super) conversation: Arc<dyn Conversation>,
    pub(super) terminal: Arc<Terminal>,
    pub(super) screen: Screen,
    pub(super) keyboard: Keyboard,
    pub(super) desk: Desk,
    pub(super) attention: Attention,
    /// The question that is on the screen.
    pub(super) printed: Option<u64>,
    /// Its keys are on the screen for good, where there are no live lines.
    pub(super) has_keys_printed: bool,
    /// Cancelled when no question waits any more.
    pub(super) all_answered: CancellationToken,
    pub(super) news: mpsc::Receiver<News>,
    pub(super) signals: Signals,
    pub(super) interrupts: Interrupts,
    /// Lines that were typed while a turn ran.
    pub(super) queued: VecDeque<String>,
    /// What was typed of the next line while a turn ran.
    pub(super) draft: Draft,
}

/// What the person did at the prompt.
enum Entered {
    Line(String),
    Left(Left),
}

impl LineChat {
    async fn run(&mut self, opening: Opening) -> Result<Left, TerminalError> {
        self.markdown(&opening.banner)?;
        if let Some(prompt) = opening.first
            && let ControlFlow::Break(left) = self.turn(prompt).await?
        {
            return Ok(left);
        }
        loop {
            let line = match self.queued.pop_front() {
                Some(line) => {
                    self.say(&format!("> {line}"), Tone::Own)?;
                    line
                }
                None => match self.enter().await? {
                    Entered::Line(line) => line,
                    Entered::Left(left) => return Ok(left),
                },
            };
            if let ControlFlow::Break(left) = self.act(&line).await? {
                return Ok(left);
            }
        }
    }

    /// Does what a line says.
    async fn act(&mut self, line: &str) -> Result<ControlFlow<Left>, TerminalError> {
        match read(line) {
            Typed::Nothing => {}
            Typed::Problem(problem) => self.say(&problem, Tone::Alert)?,
            Typed::Message(text) => return self.turn(Prompt::text(text)).await,
            Typed::Command(Meaning::Retry) => return self.turn(Prompt::Again).await,
            Typed::Command(Meaning::Control(control)) => return self.control(control).await,
            Typed::Command(Meaning::Help) => self.markdown(&help(KEYS))?,
            Typed::Command(Meaning::Quit) => return Ok(ControlFlow::Break(Left::Quit)),
        }
        Ok(ControlFlow::Continue(()))
    }

    async fn turn(&mut self, prompt: Prompt) -> Result<ControlFlow<Left>, TerminalError> {
        let (inbox, watch, mut narrator) = self.watched();
        let cancellation = watch.cancellation.clone();
        let conversation = self.conversation.clone();
        let work = conversation.send(prompt, watch);
        match self.attend(work, &inbox, &cancellation, &mut narrator).await? {
            Attended::Left(left) => Ok(ControlFlow::Break(left)),
            Attended::Done(end) => {
                self.screen.blocks(&narrator.finish(&end, Instant::now().into_std()))?;
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    async fn control(&mut self, control: Control) -> Result<ControlFlow<Left>, TerminalError> {
        let (inbox, watch, mut narrator) = self.watched();
        let cancellation = watch.cancellation.clone();
        let conversation = self.conversation.clone();
        let work = conversation.control(control, watch);
        match self.attend(work, &inbox, &cancellation, &mut narrator).await? {
            Attended::Left(left) => return Ok(ControlFlow::Break(left)),
            Attended::Done(Reply::Done(text)) => self.markdown(&text)?,
            Attended::Done(Reply::Failed(text)) => self.say(&format!("✗ {text}"), Tone::Bad)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn watched(&self) -> (Arc<Inbox>, Watch, Narrator) {
        let inbox = Arc::new(Inbox::default());
        let watch = Watch { observer: inbox.clone(), cancellation: CancellationToken::new() };
        (inbox, watch, Narrator::new(Instant::now().into_std()))
    }

    /// Reads a line. Questions and news that come meanwhile are not kept waiting.
    async fn enter(&mut self) -> Result<Entered, TerminalError> {
        let mut news = Vec::new();
        loop {
            self.ready_for_line()?;
            self.keyboard.read_line(self.conversation.headline(), self.draft.take())?;
            match self.wait_for_line(&mut news).await? {
                Waited::Left(left) => return Ok(Entered::Left(left)),
                Waited::Read(Read::Line(line)) => {
                    self.interrupts.forget();
                    return Ok(match self.between(&mut news).await? {
                        ControlFlow::Break(left) => Entered::Left(left),
                        ControlFlow::Continue(()) => Entered::Line(line),
                    });
                }
                Waited::Read(Read::End) => return Ok(Entered::Left(Left::Quit)),
                Waited::Read(Read::Interrupt) => {
                    if self.interrupts.press(Instant::now()) == Press::Second {
                        return Ok(Entered::Left(Left::Quit));
                    }
                    self.say("Ctrl-C again leaves", Tone::Faint)?;
                    if let ControlFlow::Break(left) = self.between(&mut news).await? {
                        return Ok(Entered::Left(left));
                    }
                }
                Waited::Read(Read::CalledBack) => {
                    if let ControlFlow::Break(left) = self.between(&mut news).await? {
                        return Ok(Entered::Left(left));
                    }
                }
                Waited::Read(Read::Failed(error)) => return Err(TerminalError::Read(error)),
            }
        }
    }

    /// The editor finds a terminal without echo and signals, so that nothing that is typed in between gets lost. One that has
    /// only its own line discipline needs that.
    fn ready_for_line(&self) -> Result<(), TerminalError> {
        match self.screen.paint {
            Paint::Nothing => self.terminal.read_lines(),
            Paint::Colour | Paint::Monochrome => self.terminal.read_keys(),
        }
    }

    async fn wait_for_line(&mut self, news: &mut Vec<News>) -> Result<Waited, TerminalError> {
        loop {
            tokio::select! {
                told = self.keyboard.next() => if let Told::Ended(read) = told? {
                    return Ok(Waited::Read(read));
                },
                () = self.desk.changed() => self.keyboard.call_back()?,
                Some(new) = self.news.recv(), if news.len() < HELD => if let News::Notice(_) = new {
                    news.push(new);
                    self.keyboard.call_back()?;
                },
                () = self.terminal.was_disturbed() => self.keyboard.call_back()?,
                signalled = self.signals.next() => match signalled {
                    Signalled::Leave(left) => return Ok(Waited::Left(left)),
                    Signalled::Interrupt if self.interrupts.press(Instant::now()) == Press::Second => {
                        return Ok(Waited::Left(Left::Quit));
                    }
                    Signalled::Interrupt => {}
                },
            }
        }
    }

    /// Shows what has come while a line was typed, and puts the questions that wait.
    async fn between(&mut self, news: &mut Vec<News>) -> Result<ControlFlow<Left>, TerminalError> {
        for new in news.drain(..) {
            self.show_news(new)?;
        }
        self.answer_questions().await
    }

    pub(super) fn show_news(&mut self, news: News) -> Result<(), TerminalError> {
        match news {
            News::Notice(text) => self.markdown(&text),
            // The list is what /status shows; a line for every change would be noise.
            News::Jobs(_) => Ok(()),
        }
    }

    pub(super) fn say(&mut self, text: &str, tone: Tone) -> Result<(), TerminalError> {
        let blocks: Vec<Block> = text.lines().map(|line| Block::line(Line::of(line, tone))).collect();
        self.screen.blocks(&blocks)
    }

    fn markdown(&mut self, text: &str) -> Result<(), TerminalError> {
        let mut stream = Stream::default();
        let mut chunks = stream.push(text);
        chunks.extend(stream.finish());
        let blocks: Vec<Block> = chunks.into_iter().map(Block::Markdown).collect();
        self.screen.blocks(&blocks)
    }
}

enum Waited {
    Read(Read),
    Left(Left),
}
