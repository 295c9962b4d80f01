//! Unified diffs, coloured, and cut where they are long.

use super::Block;
use crate::text::{Line, Piece, Tone};

/// More is not read on a terminal; the file itself has it all.
const SHOWN: usize = 60;

pub(super) fn blocks(diff: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = diff.lines().take(SHOWN).map(|line| Block::Rigid(painted(line))).collect();
    let left_out = diff.lines().count().saturating_sub(SHOWN);
    if left_out > 0 {
        blocks.push(Block::Rigid(Line::of(&format!("    … {left_out} more lines of the change"), Tone::Faint)));
    }
    blocks
}

fn painted(line: &str) -> Line {
    let tone = match line.as_bytes() {
        [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => Tone::Faint,
        [b'@', b'@', ..] => Tone::Hunk,
        [b'+', ..] => Tone::Added,
        [b'-', ..] => Tone::Removed,
        _ => Tone::Plain,
    };
    Line(vec![Piece::new("    ", Tone::Plain), Piece::new(line, tone)])
}

#[cfg(test)]
mod tests {
    use super::blocks;
    use crate::text::{Line, Tone};
    use crate::turn::Block;

    fn tones(diff: &str) -> Vec<(String, Tone)> {
        blocks(diff)
            .iter()
            .map(|block| match block {
                Block::Rigid(Line(pieces)) => {
                    let last = pieces.last().unwrap();
                    (last.text().to_owned(), last.ink().tone)
                }
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn lines_are_coloured_by_what_they_do() {
        assert_eq!(
            tones("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n--x\n")
                .iter()
                .map(|(_, tone)| *tone)
                .collect::<Vec<_>>(),
            [Tone::Faint, Tone::Faint, Tone::Hunk, Tone::Removed, Tone::Added, Tone::Plain, Tone::Removed]
        );
    }

    #[test]
    fn a_long_diff_is_cut_and_says_so() {
        let shown = tones(&"+x\n".repeat(100));
        assert_eq!(shown.len(), 61);
        assert_eq!(shown[60].0, "    … 40 more lines of the change");
    }
}
