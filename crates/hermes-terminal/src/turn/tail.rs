//! The last lines of a running tool's output. Whatever it floods, only these are kept.

use std::collections::VecDeque;

const LINES: usize = 200;
const LONGEST: usize = 400;

#[derive(Debug, Clone, Default)]
pub(crate) struct Tail {
    lines: VecDeque<String>,
    /// The line that is being written.
    current: String,
    /// A carriage return came: what follows overwrites the line, as progress bars do.
    overwrites: bool,
    count: u64,
}

impl Tail {
    pub(crate) fn push(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '\n' => self.end_line(),
                '\r' => self.overwrites = true,
                _ => {
                    if std::mem::take(&mut self.overwrites) {
                        self.current.clear();
                    }
                    if self.current.len() < LONGEST {
                        self.current.push(character);
                    }
                }
            }
        }
    }

    fn end_line(&mut self) {
        self.overwrites = false;
        self.count += 1;
        if self.lines.len() == LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(std::mem::take(&mut self.current));
    }

    /// The newest lines, oldest of them first.
    pub(crate) fn newest(&self, count: usize) -> Vec<&str> {
        let current = Some(self.current.as_str()).filter(|line| !line.is_empty());
        let mut lines: Vec<&str> =
            current.into_iter().chain(self.lines.iter().rev().map(String::as_str)).take(count).collect();
        lines.reverse();
        lines
    }

    /// Lines that there were altogether.
    pub(crate) fn count(&self) -> u64 {
        self.count + u64::from(!self.current.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::{LINES, LONGEST, Tail};

    #[test]
    fn the_newest_lines_are_kept_and_the_rest_is_counted() {
        let mut tail = Tail::default();
        tail.push("a\nb\nc");
        assert_eq!((tail.newest(2), tail.count()), (vec!["b", "c"], 3));
        tail.push("d\r\n10%\r20%\r");
        assert_eq!(tail.newest(2), ["cd", "20%"]);
        tail.push("30%");
        assert_eq!(tail.newest(1), ["30%"]);
    }

    #[test]
    fn a_flood_is_bounded() {
        let mut tail = Tail::default();
        tail.push(&"x".repeat(1_000_000));
        tail.push(&"\ny".repeat(100_000));
        assert_eq!(tail.count(), 100_001);
        assert_eq!(tail.newest(usize::MAX).len(), LINES + 1);
        assert!(tail.newest(usize::MAX).iter().all(|line| line.len() <= LONGEST));
    }
}
