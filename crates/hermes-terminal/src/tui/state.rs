//! All that is shown on the full screen.

use std::collections::VecDeque;

use tokio::time::Instant;

use super::transcript::Transcript;
use crate::approval::{Attention, Given, QuestionView};
use crate::conversation::{Candidates, Control, Headline, Job, News, Prompt, Reply, TurnEnd};
use crate::draft::Draft;
use crate::interrupt::Interrupts;
use crate::markdown::{Page, Stream};
use crate::text::{Line, Paint, Tone};
use crate::tty::Left;
use crate::turn::{Block, Narrator};

/// Something that happened.
#[derive(Debug)]
pub(super) enum Event {
    Terminal(crossterm::event::Event),
    /// Of the turn that runs.
    Turn(hermes_agent::TurnEvent),
    TurnEnded(TurnEnd),
    Replied(Reply),
    /// The question that is next, and how many wait.
    Questions(Option<QuestionView>, usize),
    News(News),
    Headline(Headline),
    /// What could be typed where the cursor is.
    Candidates(Vec<String>),
    /// Time has passed.
    Tick,
    /// A signal like Ctrl-C.
    Interrupt,
}

/// What is to be done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    Send(Prompt),
    Control(Control),
    /// End what runs.
    Cancel,
    Answer(u64, Given),
    /// Find out what could be typed; [`Event::Candidates`] follows.
    Look(Candidates),
    Remember(String),
    Leave(Left),
}

/// What runs.
#[derive(Debug)]
pub(super) enum Running {
    Nothing,
    /// A turn or a slow command.
    Work(Narrator),
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) paint: Paint,
    /// Columns and rows.
    pub(super) size: (u16, u16),
    pub(super) transcript: Transcript,
    /// Lines scrolled up from the end.
    pub(super) scrolled: usize,
    pub(super) running: Running,
    pub(super) question: Option<QuestionView>,
    pub(super) waiting: usize,
    /// Lines scrolled down in a long question.
    pub(super) question_scrolled: usize,
    pub(super) attention: Attention,
    pub(super) jobs: Vec<Job>,
    pub(super) draft: Draft,
    pub(super) queued: VecDeque<String>,
    /// What was typed before, oldest first, and where one looks.
    pub(super) history: Vec<String>,
    pub(super) history_at: Option<usize>,
    pub(super) headline: Headline,
    pub(super) interrupts: Interrupts,
    /// A short word in the status bar.
    pub(super) hint: String,
    /// Now, as far as this state knows.
    pub(super) now: Instant,
}

impl State {
    pub(super) fn new(size: (u16, u16), paint: Paint, headline: Headline, history: Vec<String>, now: Instant) -> Self {
        Self {
            paint,
            size,
            transcript: Transcript::new(page(size, paint)),
            scrolled: 0,
            running: Running::Nothing,
            question: None,
            waiting: 0,
            question_scrolled: 0,
            attention: Attention::new(now),
            jobs: Vec::new(),
            draft: Draft::default(),
            queued: VecDeque::new(),
            history,
            history_at: None,
            headline,
            interrupts: Interrupts::default(),
            hint: String::new(),
            now,
        }
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self.running, Running::Work(_))
    }

    /// Whether time alone changes the screen.
    pub(super) fn needs_ticks(&self) -> bool {
        self.is_running() || self.question.is_some()
    }

    /// Whether a question can be seen well enough to be answered.
    pub(super) fn has_room_for_question(&self) -> bool {
        let (columns, rows) = self.size;
        columns >= 30 && rows >= 12
    }

    pub(super) fn say(&mut self, text: &str, tone: Tone) {
        let lines: Vec<Block> = text.lines().map(|line| Block::line(Line::of(line, tone))).collect();
        self.add(lines);
    }

    pub(super) fn markdown(&mut self, text: &str) {
        let mut stream = Stream::default();
        let mut chunks = stream.push(text);
        chunks.extend(stream.finish());
        self.add(chunks.into_iter().map(Block::Markdown).collect());
    }

    /// Adds to the transcript. Whoever has scrolled up keeps looking at the same lines.
    pub(super) fn add(&mut self, blocks: Vec<Block>) {
        let before = self.transcript.lines().len();
        self.transcript.add(blocks);
        if self.scrolled > 0 {
            self.scrolled += self.transcript.lines().len().saturating_sub(before);
        }
    }

    pub(super) fn resize(&mut self, size: (u16, u16)) {
        self.size = size;
        self.transcript.resize(page(size, self.paint));
        self.scrolled = self.scrolled.min(self.transcript.lines().len());
    }
}

fn page(size: (u16, u16), paint: Paint) -> Page {
    Page::new(usize::from(size.0).saturating_sub(1).max(1), paint)
}
