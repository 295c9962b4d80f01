//! A question as people read it, in a terminal and in a chat.
//!
//! What is shown is what will run: characters that do not show are made visible, and of a long action the beginning, the end and
//! whatever was flagged are always there.

use std::fmt::Write;

use hermes_policy::{Newlines, visible};
use hermes_proto::consent::{ConsentRequest, Finding};

/// How much of an action is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Lines of the action; more are left out in the middle.
    pub lines: usize,
    /// Characters of a line; more are left out in the middle.
    pub columns: usize,
}

impl Style {
    /// A terminal of this width.
    pub fn terminal(columns: usize) -> Self {
        Self { lines: 30, columns: columns.clamp(40, 400).saturating_sub(INDENT.len()) }
    }

    /// A message on a platform that takes a few thousand characters.
    pub const CHAT: Self = Self { lines: 20, columns: 160 };
}

const INDENT: &str = "    ";
/// Characters of a flagged part.
const LONGEST_PART: usize = 400;
/// Findings that are listed.
const MOST_FINDINGS: usize = 12;

/// The question as lines of text, without a prompt for the answer.
pub fn render(request: &ConsentRequest, style: Style) -> String {
    let mut text = format!("This {} needs your consent.\n\n", request.kind.name());
    for line in shown(&request.action, style) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{INDENT}{line}");
    }
    let _ = writeln!(text, "\nwhere: {}", one_line(&request.place));
    for finding in request.findings.iter().take(MOST_FINDINGS) {
        text.push_str(&why(finding));
    }
    match request.findings.len().saturating_sub(MOST_FINDINGS) {
        0 => {}
        more => drop(writeln!(text, "why: {more} more findings")),
    }
    text.push('\n');
    for offer in &request.offers {
        let _ = writeln!(text, "{:8} {}", offer.scope.name(), clipped(&one_line(&offer.allows), 2 * LONGEST_PART));
    }
    let _ = writeln!(text, "{:8} it does not run", "deny");
    text
}

fn why(finding: &Finding) -> String {
    let mut line = format!("why: {} ({})\n", one_line(&finding.reason), one_line(&finding.key));
    let about = one_line(&finding.about);
    if !about.trim().is_empty() {
        let _ = writeln!(line, "{INDENT}in: {}", clipped(&about, LONGEST_PART));
    }
    line
}

fn one_line(text: &str) -> String {
    visible(text, Newlines::Shown).into_owned()
}

/// The lines of an action; the middle of too many is left out, and said so.
fn shown(action: &str, style: Style) -> Vec<String> {
    let visible = visible(action, Newlines::Kept);
    let lines: Vec<String> = visible.lines().map(|line| clipped(line, style.columns)).collect();
    if lines.len() <= style.lines {
        return lines;
    }
    let head = style.lines.div_ceil(2);
    let tail = style.lines - head;
    let hidden = lines.len() - head - tail;
    let mut shown = lines[..head].to_vec();
    shown.push(format!("[… {hidden} lines are not shown …]"));
    shown.extend_from_slice(&lines[lines.len() - tail..]);
    shown
}

/// The beginning and the end of a line that is too long.
fn clipped(line: &str, columns: usize) -> String {
    let length = line.chars().count();
    if length <= columns {
        return line.to_owned();
    }
    let head = columns.div_ceil(2);
    let tail = columns - head;
    let start: String = line.chars().take(head).collect();
    let end: String = line.chars().skip(length - tail).collect();
    format!("{start} [… {} characters are not shown …] {end}", length - head - tail)
}
