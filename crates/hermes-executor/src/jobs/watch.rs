//! Looks for patterns in a job's lines, and knows when to stop telling.
//!
//! One notice per 15 seconds. What matches in between is not told; a job that does so in three
//! windows in a row, or that was told of eight times, is not watched any more: from then on only
//! its end is told.

use std::time::Duration;

use tokio::time::Instant;

const WINDOW: Duration = Duration::from_secs(15);
const MOST_STRIKES: u32 = 3;
const MOST_HITS: u32 = 8;
/// Longest line that is looked at and told; the rest of it is passed over.
const LONGEST_LINE: usize = 2000;

/// The patterns of one job.
#[derive(Debug)]
pub(super) struct Watch {
    patterns: Vec<String>,
    line: String,
    /// When the current window began, and whether something was kept back in it.
    window: Option<(Instant, Kept)>,
    strikes: u32,
    hits: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Nothing,
    Something,
}

/// A line that matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) pattern: String,
    pub(super) line: String,
}

/// What is to be done about a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Tell it.
    Tell(Match),
    /// Tell it, and then nothing more but the end.
    TellAndStop(Match),
    /// It came too soon; that has happened too often. Tell that, and then only the end.
    Stop,
}

impl Watch {
    /// `None` if there is nothing to look for.
    pub(super) fn new(patterns: Vec<String>) -> Option<Self> {
        let patterns: Vec<_> = patterns.into_iter().filter(|pattern| !pattern.is_empty()).collect();
        (!patterns.is_empty()).then(|| Self { patterns, line: String::new(), window: None, strikes: 0, hits: 0 })
    }

    /// Takes more output. `admits` says whether a notice may be sent at all.
    pub(super) fn push(&mut self, text: &str, now: Instant, admits: &mut dyn FnMut() -> bool) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        let mut pieces = text.split('\n').peekable();
        while let Some(piece) = pieces.next() {
            let room = LONGEST_LINE.saturating_sub(self.line.len());
            self.line.push_str(piece.get(..piece.floor_char_boundary(room)).unwrap_or_default());
            if pieces.peek().is_some() {
                verdicts.extend(self.end_line(now, admits));
                if verdicts.last().is_some_and(Verdict::is_last) {
                    break;
                }
            }
        }
        verdicts
    }

    /// The last line, which may have no end.
    pub(super) fn finish(&mut self, now: Instant, admits: &mut dyn FnMut() -> bool) -> Option<Verdict> {
        self.end_line(now, admits)
    }

    fn end_line(&mut self, now: Instant, admits: &mut dyn FnMut() -> bool) -> Option<Verdict> {
        let line = std::mem::take(&mut self.line);
        let pattern = self.patterns.iter().find(|pattern| line.contains(pattern.as_str()))?.clone();
        self.judge(Match { pattern, line: line.trim_end_matches('\r').to_owned() }, now, admits)
    }

    fn judge(&mut self, found: Match, now: Instant, admits: &mut dyn FnMut() -> bool) -> Option<Verdict> {
        if let Some((began, kept)) = &mut self.window {
            if now.duration_since(*began) < WINDOW {
                if *kept == Kept::Nothing {
                    *kept = Kept::Something;
                    self.strikes += 1;
                    return (self.strikes >= MOST_STRIKES).then_some(Verdict::Stop);
                }
                return None;
            }
            if *kept == Kept::Nothing {
                self.strikes = 0;
            }
        }
        if !admits() {
            return None;
        }
        self.window = Some((now, Kept::Nothing));
        self.hits += 1;
        Some(if self.hits >= MOST_HITS { Verdict::TellAndStop(found) } else { Verdict::Tell(found) })
    }
}

impl Verdict {
    /// Whether nothing may follow it.
    pub(super) fn is_last(&self) -> bool {
        matches!(self, Self::TellAndStop(_) | Self::Stop)
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LINE, Verdict, Watch};
    use std::time::Duration;
    use tokio::time::Instant;

    /// T, L or S per line at the given second; `-` when nothing is told.
    fn verdicts(patterns: &[&str], lines: &[(u64, &str)]) -> String {
        let start = Instant::now();
        let mut watch = Watch::new(patterns.iter().map(|&pattern| pattern.to_owned()).collect()).unwrap();
        let mut told = String::new();
        for (second, line) in lines {
            let given = watch.push(line, start + Duration::from_secs(*second), &mut || true);
            told.push(match given.last() {
                None => '-',
                Some(Verdict::Tell(_)) => 'T',
                Some(Verdict::TellAndStop(_)) => 'L',
                Some(Verdict::Stop) => 'S',
            });
        }
        told
    }

    #[test]
    fn whole_lines_are_looked_at_whatever_pieces_they_come_in() {
        assert_eq!(verdicts(&["ready"], &[(0, "rea"), (0, "dy"), (0, " now\nmore")]), "--T");
        assert_eq!(verdicts(&["ready"], &[(0, "read\ny\n")]), "-");
        let mut watch = Watch::new(vec!["ready".to_owned()]).unwrap();
        let now = Instant::now();
        assert_eq!(watch.push("ready", now, &mut || true), []);
        assert!(matches!(watch.finish(now, &mut || true), Some(Verdict::Tell(found)) if found.line == "ready"));
    }

    #[test]
    fn one_notice_per_window() {
        assert_eq!(verdicts(&["x"], &[(0, "x\n"), (1, "x\n"), (14, "x\n"), (15, "x\n")]), "T--T");
    }

    #[test]
    fn three_busy_windows_in_a_row_end_it() {
        assert_eq!(
            verdicts(&["x"], &[(0, "x\n"), (1, "x\n"), (15, "x\n"), (16, "x\n"), (30, "x\n"), (31, "x\n")]),
            "T-T-TS"
        );
        // A quiet window in between starts the count anew.
        let lines = [(0, "x\n"), (1, "x\n"), (15, "x\n"), (30, "x\n"), (31, "x\n"), (45, "x\n"), (46, "x\n")];
        assert_eq!(verdicts(&["x"], &lines), "T-TT-T-");
    }

    #[test]
    fn eight_notices_end_it() {
        let lines: Vec<_> = (0..8).map(|index| (index * 20, "x\n")).collect();
        assert_eq!(verdicts(&["x"], &lines), "TTTTTTTL");
    }

    #[test]
    fn what_is_not_admitted_is_no_hit() {
        let mut watch = Watch::new(vec!["x".to_owned()]).unwrap();
        let now = Instant::now();
        assert_eq!(watch.push("x\n", now, &mut || false), []);
        assert_eq!(watch.push("x\n", now, &mut || true).len(), 1);
    }

    #[test]
    fn an_endless_line_costs_nothing() {
        let mut watch = Watch::new(vec!["x".to_owned()]).unwrap();
        for _ in 0..100 {
            watch.push(&"ä".repeat(1000), Instant::now(), &mut || true);
        }
        assert!(watch.line.len() <= LONGEST_LINE);
        assert!(Watch::new(vec![String::new()]).is_none());
    }
}
