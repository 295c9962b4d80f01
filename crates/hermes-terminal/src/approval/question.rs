//! How a question looks: what would be done, where, why it is asked, and what each answer would allow.

use std::borrow::Cow;

use hermes_agent::Answer;
use hermes_proto::consent::{ActionKind, Consent, ConsentRequest, Finding, Scope};
use tokio::time::Instant;

use super::{Asked, Attention, Given, QuestionView};
use crate::text::{Ink, Line, Piece, Tone};
use crate::turn::elapsed;

/// Lines of the action that are shown before somebody asks for all.
const SHOWN: usize = 12;
/// Characters of one line of it.
const LONGEST: usize = 400;
/// Reasons that are shown before somebody asks for all.
const FINDINGS: usize = 8;

/// Whether all of a long action is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Beginning,
    All,
}

/// What is asked.
pub(crate) fn question_lines(view: &QuestionView, waiting: usize, extent: Extent) -> Vec<Line> {
    let more = if waiting > 1 { format!(" ({} more after this one)", waiting - 1) } else { String::new() };
    match &view.asked {
        Asked::Consent(request) => consent_lines(request, &more, extent),
        Asked::Secret(request) => {
            let mut line = Line::of("? ", Tone::Alert);
            line.0.push(Piece::revealed(&request.purpose, Tone::Alert));
            vec![line.and(&more, Tone::Faint)]
        }
        Asked::Meaning(question) => meaning_lines(question, &more),
    }
}

/// A question of the model's own: its words are shown, nothing is allowed by answering.
fn meaning_lines(question: &hermes_agent::Question, more: &str) -> Vec<Line> {
    let mut text = question.text.lines();
    let mut title = Line::of("? ", Tone::Alert);
    title.0.push(Piece::revealed(text.next().unwrap_or_default(), Tone::Alert));
    let mut lines = vec![title.and(more, Tone::Faint)];
    let shown = |line: &str| Line(vec![Piece::new("  ", Tone::Plain), Piece::revealed(line, Tone::Plain)]);
    lines.extend(text.map(shown));
    for (number, choice) in (1..).zip(&question.choices) {
        let mut line = Line::plain("  ").and(&format!("{number} "), Ink { strong: true, ..Ink::default() });
        line.0.push(Piece::revealed(choice, Tone::Plain));
        lines.push(line);
    }
    lines
}

fn consent_lines(request: &ConsentRequest, more: &str, extent: Extent) -> Vec<Line> {
    let what = match request.kind {
        ActionKind::Command => "run this command",
        ActionKind::BackgroundJob => "start this background job",
        ActionKind::JobInput => "send this to a running job",
        ActionKind::Script => "run this script",
        ActionKind::FileWrite => "write this file",
        ActionKind::FileRead => "read this file",
    };
    let title = Line::of(&format!("? may the agent {what}"), Tone::Alert);
    let mut title = title.and(" in ", Tone::Alert);
    title.0.push(Piece::revealed(&request.place, Tone::Alert));
    let mut lines = vec![title.and("?", Tone::Alert).and(more, Tone::Faint)];
    lines.extend(action_lines(&request.action, extent));
    let findings = if extent == Extent::All { usize::MAX } else { FINDINGS };
    lines.extend(request.findings.iter().take(findings).map(finding_line));
    if let Some(more) = request.findings.len().checked_sub(findings).filter(|more| *more > 0) {
        lines.push(Line::of(&format!("  and {more} more reasons: v shows everything"), Tone::Alert));
    }
    for offer in &request.offers {
        let mut line =
            Line::plain("  ").and(&format!("{} ", name(offer.scope)), Ink { strong: true, ..Ink::default() });
        line = line.and("allows ", Tone::Faint);
        line.0.push(Piece::revealed(&offer.allows, Tone::Plain));
        lines.push(line);
    }
    lines
}

/// The action. Of a long one the beginning and the end, since either is where one would hide something.
fn action_lines(action: &str, extent: Extent) -> Vec<Line> {
    let lines: Vec<&str> = action.lines().collect();
    let shown =
        |line: &&str| Line(vec![Piece::new("    ", Tone::Plain), Piece::revealed(&clipped(line, extent), Tone::Code)]);
    if extent == Extent::All || lines.len() <= SHOWN {
        return lines.iter().map(shown).collect();
    }
    let (head, tail) = (lines.iter().take(SHOWN / 2), lines.iter().skip(lines.len() - SHOWN / 2));
    let missing = format!("    … {} lines are NOT SHOWN: v shows everything …", lines.len() - SHOWN / 2 * 2);
    let mut all: Vec<Line> = head.map(shown).collect();
    all.push(Line::of(&missing, Tone::Alert));
    all.extend(tail.map(shown));
    all
}

/// The beginning and the end of a line that is too long.
fn clipped(line: &str, extent: Extent) -> Cow<'_, str> {
    let length = line.chars().count();
    if extent == Extent::All || length <= LONGEST {
        return Cow::Borrowed(line);
    }
    let half = LONGEST / 2;
    let head: String = line.chars().take(half).collect();
    let tail: String = line.chars().skip(length - half).collect();
    Cow::Owned(format!("{head} [… {} characters are NOT SHOWN: v shows everything …] {tail}", length - 2 * half))
}

fn finding_line(finding: &Finding) -> Line {
    let mut line = Line::of("  because ", Tone::Faint);
    line.0.push(Piece::revealed(&finding.reason, Tone::Plain));
    if !finding.about.is_empty() {
        line = line.and(": ", Tone::Faint);
        line.0.push(Piece::revealed(&clipped(&finding.about, Extent::Beginning), Tone::Code));
    }
    line
}

/// The keys, and the time that is left; before keys count, a word about that.
pub(crate) fn keys_line(view: &QuestionView, attention: &Attention, now: Instant) -> Line {
    let left = format!("  {} left", elapsed(view.deadline.saturating_duration_since(now)));
    if !attention.is_armed(now) {
        return Line::of("  … read it first; keys count in a moment", Tone::Faint).and(&left, Tone::Faint);
    }
    let mut line = Line::plain(" ");
    match &view.asked {
        Asked::Consent(request) => {
            for offer in &request.offers {
                line = key(line, name(offer.scope));
            }
            line = key(key(line, "deny"), "view");
        }
        Asked::Secret(_) => line = line.and(" type it (it is not shown), Enter gives it, Esc gives none", Tone::Plain),
        Asked::Meaning(question) => line = meaning_keys(question, attention.words()),
    }
    line.and(&left, Tone::Faint)
}

/// What was typed of an answer, or how one is given.
fn meaning_keys(question: &hermes_agent::Question, words: &str) -> Line {
    if !words.is_empty() {
        return Line::of(&format!("  answer: {}", words.replace('\n', " ⏎ ")), Tone::Own)
            .and("  Enter gives it", Tone::Faint);
    }
    match question.choices.len() {
        0 => Line::plain("  type an answer and Enter; Esc gives none"),
        1 => Line::plain("  press 1, or type another answer and Enter; Esc gives none"),
        count => Line::plain(&format!("  press 1-{count}, or type another answer and Enter; Esc gives none")),
    }
}

/// `[o]nce`
fn key(line: Line, word: &str) -> Line {
    line.and(&format!(" [{}]", &word[..1]), Ink { strong: true, ..Ink::default() }).and(&word[1..], Tone::Plain)
}

fn name(scope: Scope) -> &'static str {
    match scope {
        Scope::Once => "once",
        Scope::Session => "session",
        Scope::Always => "always",
    }
}

/// What was answered, for the transcript.
pub(crate) fn answer_line(given: &Given) -> Line {
    match given {
        Given::Consent(Consent::Approved(scope)) => Line::of(&format!("  approved ({})", name(*scope)), Tone::Good),
        Given::Consent(Consent::Denied { .. }) => Line::of("  denied", Tone::Bad),
        Given::Consent(Consent::TimedOut | Consent::Cancelled | Consent::Undeliverable) => {
            Line::of("  not answered", Tone::Alert)
        }
        Given::Secret(Some(_)) => Line::of("  given", Tone::Good),
        Given::Secret(None) => Line::of("  not given", Tone::Bad),
        Given::Meaning(Answer::Said(text)) => {
            Line::of(&format!("  answered: {}", text.replace('\n', " ⏎ ")), Tone::Good)
        }
        Given::Meaning(_) => Line::of("  not answered", Tone::Alert),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hermes_proto::consent::Offer;

    use super::*;

    fn request(action: &str) -> ConsentRequest {
        ConsentRequest {
            request: "test".to_owned(),
            kind: ActionKind::Command,
            action: action.to_owned(),
            place: "the local sandbox".to_owned(),
            findings: vec![Finding {
                key: "removal".to_owned(),
                reason: "removes files".to_owned(),
                about: "rm -r build".to_owned(),
            }],
            offers: vec![
                Offer { scope: Scope::Once, allows: "this command, now".to_owned() },
                Offer { scope: Scope::Session, allows: "removal in this session".to_owned() },
            ],
            patience: Duration::from_secs(60),
        }
    }

    fn view(action: &str) -> QuestionView {
        QuestionView {
            number: 1,
            asked: Asked::Consent(request(action)),
            deadline: Instant::now() + Duration::from_secs(60),
        }
    }

    fn texts(lines: &[Line]) -> Vec<String> {
        lines.iter().map(Line::text).collect()
    }

    #[test]
    fn a_question_says_what_where_why_and_what_each_answer_allows() {
        let view = view("cd build\nrm -r build");
        assert_eq!(
            texts(&question_lines(&view, 3, Extent::Beginning)),
            [
                "? may the agent run this command in the local sandbox? (2 more after this one)",
                "    cd build",
                "    rm -r build",
                "  because removes files: rm -r build",
                "  once allows this command, now",
                "  session allows removal in this session",
            ]
        );
        let now = view.deadline - Duration::from_secs(30);
        let mut attention = Attention::new(now);
        attention.show(Some(1), now - Duration::from_secs(1));
        assert_eq!(keys_line(&view, &attention, now).text(), "  [o]nce [s]ession [d]eny [v]iew  30s left");
        assert!(!keys_line(&view, &Attention::new(now), now).text().contains("[o]"));
    }

    #[test]
    fn a_question_of_the_model_shows_its_choices_and_no_escape_sequences() {
        let question = hermes_agent::Question {
            text: "Which\u{1b}[2J one?\nsecond line".to_owned(),
            choices: vec!["red".to_owned(), "green\n[o]nce".to_owned()],
        };
        let view = QuestionView { asked: Asked::Meaning(question), ..view("") };
        let lines = texts(&question_lines(&view, 1, Extent::Beginning));
        assert_eq!(lines[..3], ["? Which␛[2J one?", "  second line", "  1 red"]);
        assert!(lines[3].starts_with("  2 green") && !lines[3].contains('\n'), "{lines:?}");
    }

    #[test]
    fn what_is_left_out_of_a_question_is_said() {
        let long = view(&"echo x\n".repeat(40));
        let lines = texts(&question_lines(&long, 1, Extent::Beginning)).join("\n");
        assert!(lines.contains("28 lines are NOT SHOWN"), "{lines}");
        assert!(!texts(&question_lines(&long, 1, Extent::All)).join("\n").contains("NOT SHOWN"));
        let wide = view(&format!("echo {} ; rm -rf /", " ".repeat(5000)));
        let lines = texts(&question_lines(&wide, 1, Extent::Beginning)).join("\n");
        assert!(lines.contains("characters are NOT SHOWN") && lines.contains("rm -rf /"), "{lines}");
        assert!(!texts(&question_lines(&wide, 1, Extent::All)).join("\n").contains("NOT SHOWN"));
        let end = view(&format!("{}rm -rf /\n", "echo x\n".repeat(40)));
        assert!(texts(&question_lines(&end, 1, Extent::Beginning)).join("\n").contains("rm -rf /"));
    }

    #[test]
    fn a_hostile_action_cannot_hide_itself() {
        let lines =
            texts(&question_lines(&view("echo ok\r\u{1b}[8mrm -rf /\u{200b}\u{202e}"), 1, Extent::All)).join("\n");
        assert!(lines.contains("echo ok␍␛[8mrm -rf /⟨U+200B⟩⟨U+202E⟩"), "{lines}");
    }
}
