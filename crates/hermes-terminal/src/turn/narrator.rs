//! Tells a turn: which of its events stay on the screen, and what is going on right now.

use std::time::{Duration, Instant};

use hermes_agent::{ToolOutcome, TurnEvent};
use hermes_proto::message::{ToolCallId, Usage};

use super::tail::Tail;
use super::{Block, diff, elapsed};
use crate::conversation::{Ending, TurnEnd};
use crate::markdown::{Chunk, Marks, Page, Stream, render};
use crate::text::{Ink, Line, Tone};

/// Of a block that is still being written, only the end is shown.
const PREVIEW: usize = 2000;

/// A tool that is at work.
#[derive(Debug)]
pub(crate) struct RunningTool {
    call: ToolCallId,
    pub(crate) tool: String,
    pub(crate) preview: String,
    pub(crate) started: Instant,
    pub(crate) tail: Tail,
}

#[derive(Debug)]
pub(crate) struct Narrator {
    stream: Stream,
    /// The last block was part of an answer, so that the next tool line gets some air.
    spoke: bool,
    started: Instant,
    activity: String,
    tools: Vec<RunningTool>,
    usage: Usage,
}

impl Narrator {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            stream: Stream::default(),
            spoke: false,
            started: now,
            activity: "working".to_owned(),
            tools: Vec::new(),
            usage: Usage::default(),
        }
    }

    /// What an event adds to the transcript.
    pub(crate) fn saw(&mut self, event: TurnEvent, now: Instant) -> Vec<Block> {
        match event {
            TurnEvent::Thinking { round, model } => {
                self.activity = if round > 1 { format!("{model}, round {round}") } else { model };
                self.flush()
            }
            TurnEvent::Reasoning { .. } => {
                "thinking".clone_into(&mut self.activity);
                Vec::new()
            }
            TurnEvent::Text { delta } => {
                "writing".clone_into(&mut self.activity);
                let chunks = self.stream.push(&delta);
                self.spoken(chunks)
            }
            TurnEvent::Restarted { reason } => self.restarted(&reason),
            TurnEvent::ToolStarted { call, tool, preview } => {
                let blocks = self.flush();
                self.tools.push(RunningTool { call, tool, preview, started: now, tail: Tail::default() });
                blocks
            }
            TurnEvent::ToolOutput { call, text } => {
                if let Some(tool) = self.tools.iter_mut().find(|tool| tool.call == call) {
                    tool.tail.push(&text);
                }
                Vec::new()
            }
            TurnEvent::ToolFinished { call, tool, outcome, summary, diff, duration } => {
                let preview = self.end_tool(&call);
                let line = finished_line(&tool, &preview, outcome, &summary, duration);
                self.with_flush([Block::line(line)].into_iter().chain(diff.as_deref().map_or(Vec::new(), diff::blocks)))
            }
            TurnEvent::Compressed { before, after } => {
                let text = format!("the conversation was shortened: {before} messages became {after}");
                self.with_flush([Block::line(Line::of(&text, Tone::Faint))])
            }
            TurnEvent::Used { usage } => {
                self.usage += usage;
                Vec::new()
            }
            TurnEvent::Notice { text } => self.with_flush([Block::line(Line::of(&format!("! {text}"), Tone::Alert))]),
        }
    }

    /// The end of the turn.
    pub(crate) fn finish(&mut self, end: &TurnEnd, now: Instant) -> Vec<Block> {
        let mut blocks = self.flush();
        self.tools.clear();
        match &end.ending {
            Ending::Answered => {}
            Ending::Interrupted => blocks.push(Block::line(Line::of("interrupted", Tone::Alert))),
            Ending::OutOfRounds => {
                let text = format!("stopped after {} rounds (--max-turns)", end.rounds);
                blocks.push(Block::line(Line::of(&text, Tone::Alert)));
            }
            Ending::Failed { message, hint, .. } => {
                blocks.push(Block::line(Line::of(&format!("✗ {message}"), Tone::Bad)));
                blocks.extend(hint.as_ref().map(|hint| Block::line(Line::of(&format!("hint: {hint}"), Tone::Faint))));
            }
        }
        let elapsed = elapsed(now.saturating_duration_since(self.started));
        let text = match end.usage.total() {
            // A model that counts nothing costs nothing.
            0 => elapsed,
            _ => format!("{} · {elapsed}", usage_text(&end.usage)),
        };
        blocks.push(Block::line(Line::of(&text, Tone::Faint)));
        blocks
    }

    pub(crate) fn running_for(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }

    pub(crate) fn tools(&self) -> &[RunningTool] {
        &self.tools
    }

    /// What is going on, in a few words, and for how long.
    pub(crate) fn activity(&self, now: Instant) -> Line {
        let duration = |since: Instant| elapsed(now.saturating_duration_since(since));
        let line = match self.tools.as_slice() {
            [] => Line::of(&self.activity, Tone::Faint),
            [tool] => Line::plain(&tool.tool).and(&format!("  {}", tool.preview), Tone::Faint),
            [.., last] => {
                Line::plain(&format!("{} tools", self.tools.len())).and(&format!("  {}", last.preview), Tone::Faint)
            }
        };
        let since = self.tools.first().map_or(self.started, |tool| tool.started);
        let mut with_time = Line::of(&format!("{} ", duration(since)), Tone::Plain);
        with_time.0.extend(line.0);
        with_time
    }

    /// The block that is being written, as far as it has come.
    pub(crate) fn preview(&self, page: Page, rows: usize) -> Vec<Line> {
        let (block, line) = self.stream.pending();
        let text = format!("{block}{line}");
        let mut start = text.len().saturating_sub(PREVIEW);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        let mut lines = render(&text[start..], page);
        lines.drain(..lines.len().saturating_sub(rows));
        lines
    }

    fn end_tool(&mut self, call: &ToolCallId) -> String {
        match self.tools.iter().position(|tool| tool.call == *call) {
            Some(at) => self.tools.remove(at).preview,
            None => String::new(),
        }
    }

    fn restarted(&mut self, reason: &str) -> Vec<Block> {
        // What was already shown cannot be taken back; that it does not count can be said.
        drop(self.stream.finish());
        self.spoke = false;
        vec![Block::line(Line::of(
            &format!("! starting again ({reason}); what was written above is void"),
            Tone::Alert,
        ))]
    }

    fn flush(&mut self) -> Vec<Block> {
        let chunks = self.stream.finish();
        let mut blocks = self.spoken(chunks);
        if std::mem::take(&mut self.spoke) {
            blocks.push(Block::Markdown(Chunk::Gap));
        }
        blocks
    }

    fn with_flush(&mut self, more: impl IntoIterator<Item = Block>) -> Vec<Block> {
        let mut blocks = self.flush();
        blocks.extend(more);
        blocks
    }

    fn spoken(&mut self, chunks: Vec<Chunk>) -> Vec<Block> {
        self.spoke |= !chunks.is_empty();
        chunks.into_iter().map(Block::Markdown).collect()
    }
}

/// One line about a tool that has ended. The mark has a word beside it wherever it is not good news.
fn finished_line(tool: &str, preview: &str, outcome: ToolOutcome, summary: &str, duration: Duration) -> Line {
    let (mark, tone) = match outcome {
        ToolOutcome::Done => ("✓", Tone::Good),
        ToolOutcome::Failed => ("✗ failed", Tone::Bad),
        ToolOutcome::Refused => ("⊘ refused", Tone::Alert),
        ToolOutcome::Interrupted => ("◌ interrupted", Tone::Alert),
    };
    let mut line = Line::of(mark, tone).and(&format!(" {tool} "), Ink { strong: true, ..Ink::default() });
    if !preview.is_empty() {
        line = line.and(&format!(" {preview} "), Tone::Plain);
    }
    line = line.and(&format!(" {}", elapsed(duration)), Tone::Faint);
    if !summary.is_empty() && summary != preview {
        line = line.and(&format!("  {summary}"), Tone::Faint);
    }
    line
}

/// Tokens in words.
fn usage_text(usage: &Usage) -> String {
    let cached =
        if usage.cached_input > 0 { format!(" ({} cached)", grouped(usage.cached_input)) } else { String::new() };
    format!("{} tokens in{cached}, {} out", grouped(usage.input), grouped(usage.output))
}

/// `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A page for a paint.
impl Page {
    pub(crate) fn new(width: usize, paint: crate::text::Paint) -> Self {
        let marks = if paint == crate::text::Paint::Nothing { Marks::Kept } else { Marks::Styled };
        Self { width, marks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Page = Page { width: 60, marks: Marks::Kept };

    fn shown(blocks: &[Block]) -> Vec<String> {
        blocks.iter().flat_map(|block| block.lines(PAGE)).map(|line| line.text()).collect()
    }

    fn end(ending: Ending) -> TurnEnd {
        let usage = Usage { input: 1234, output: 56, cached_input: 1000, ..Usage::default() };
        TurnEnd { ending, answer: String::new(), usage, model: "m".into(), session: "s".into(), rounds: 3 }
    }

    fn finished(outcome: ToolOutcome, diff: Option<&str>) -> TurnEvent {
        TurnEvent::ToolFinished {
            call: "1".into(),
            tool: "terminal".to_owned(),
            outcome,
            summary: "exit 0".to_owned(),
            diff: diff.map(str::to_owned),
            duration: Duration::from_millis(1200),
        }
    }

    fn started() -> TurnEvent {
        TurnEvent::ToolStarted { call: "1".into(), tool: "terminal".to_owned(), preview: "ls -l".to_owned() }
    }

    #[test]
    fn a_turn_is_told_in_order() {
        let now = Instant::now();
        let mut narrator = Narrator::new(now);
        let mut blocks = Vec::new();
        for event in [
            TurnEvent::Thinking { round: 1, model: "m".to_owned() },
            TurnEvent::Text { delta: "Let me **look**".to_owned() },
            started(),
            TurnEvent::ToolOutput { call: "1".into(), text: "total 0\n".to_owned() },
            finished(ToolOutcome::Done, Some("-a\n+b")),
            TurnEvent::Text { delta: "Done.\n".to_owned() },
        ] {
            blocks.extend(narrator.saw(event, now));
        }
        blocks.extend(narrator.finish(&end(Ending::Answered), now));
        assert_eq!(
            shown(&blocks),
            [
                "Let me **look**",
                "",
                "✓ terminal  ls -l  1.2s  exit 0",
                "    -a",
                "    +b",
                "Done.",
                "",
                "1,234 tokens in (1,000 cached), 56 out · 0.0s"
            ]
        );
    }

    #[test]
    fn every_outcome_is_a_word_too() {
        for (outcome, word) in [
            (ToolOutcome::Failed, "failed"),
            (ToolOutcome::Refused, "refused"),
            (ToolOutcome::Interrupted, "interrupted"),
        ] {
            let blocks = Narrator::new(Instant::now()).saw(finished(outcome, None), Instant::now());
            assert!(shown(&blocks)[0].contains(word), "{blocks:?}");
        }
        for (ending, words) in [
            (Ending::Interrupted, "interrupted"),
            (Ending::OutOfRounds, "stopped after 3 rounds (--max-turns)"),
            (
                Ending::Failed {
                    message: "no key".to_owned(),
                    hint: Some("set one".to_owned()),
                    fault: hermes_proto::Fault::Configuration,
                },
                "✗ no key\nhint: set one",
            ),
        ] {
            let lines = shown(&Narrator::new(Instant::now()).finish(&end(ending), Instant::now())).join("\n");
            assert!(lines.starts_with(words), "{lines}");
        }
    }

    #[test]
    fn what_runs_is_seen_live() {
        let now = Instant::now();
        let mut narrator = Narrator::new(now);
        narrator.saw(started(), now);
        narrator.saw(TurnEvent::ToolOutput { call: "1".into(), text: "a\nb\n".to_owned() }, now);
        assert_eq!(narrator.tools()[0].tail.newest(1), ["b"]);
        assert_eq!(narrator.activity(now + Duration::from_secs(12)).text(), "12s terminal  ls -l");
        narrator.saw(finished(ToolOutcome::Done, None), now);
        narrator.saw(TurnEvent::Text { delta: "half a **sentence".to_owned() }, now);
        assert_eq!(narrator.activity(now).text(), "0.0s writing");
        assert_eq!(narrator.preview(PAGE, 3)[0].text(), "half a **sentence");
    }

    #[test]
    fn nothing_hostile_in_any_event_reaches_the_screen() {
        let now = Instant::now();
        let evil = "\u{1b}]0;owned\u{7}\r\u{9b}2J\u{202e}".to_owned();
        let mut narrator = Narrator::new(now);
        let mut blocks = Vec::new();
        for event in [
            TurnEvent::Thinking { round: 2, model: evil.clone() },
            TurnEvent::Text { delta: format!("{evil}\n```{evil}\n{evil}\n```\n| {evil} |\n|---|\n") },
            TurnEvent::ToolStarted { call: "1".into(), tool: evil.clone(), preview: evil.clone() },
            TurnEvent::ToolOutput { call: "1".into(), text: evil.clone() },
            TurnEvent::Notice { text: evil.clone() },
            TurnEvent::Restarted { reason: evil.clone() },
            TurnEvent::ToolFinished {
                call: "2".into(),
                tool: evil.clone(),
                outcome: ToolOutcome::Failed,
                summary: evil.clone(),
                diff: Some(format!("+{evil}")),
                duration: Duration::ZERO,
            },
        ] {
            blocks.extend(narrator.saw(event, now));
        }
        let mut lines = shown(&blocks);
        lines.push(narrator.activity(now).text());
        lines.extend(shown(&narrator.finish(
            &end(Ending::Failed { message: evil.clone(), hint: Some(evil), fault: hermes_proto::Fault::Failed }),
            now,
        )));
        for line in lines {
            assert!(!line.chars().any(|character| character.is_control() || character == '\u{202e}'), "{line:?}");
        }
    }
}
