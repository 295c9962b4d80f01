//! Tables: columns as wide as their cells, narrowed where the page is too narrow.

use crate::text::{Ink, Line, Piece, Tone, width_of, wrap};

const BETWEEN: &str = " │ ";
/// Narrower than this a column says nothing.
const NARROWEST: usize = 4;

/// The rows as they come; the first is the head.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<Vec<Piece>>>,
}

impl Table {
    pub(super) fn start_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn add_cell(&mut self, pieces: Vec<Piece>) {
        if let Some(row) = self.rows.last_mut() {
            row.push(pieces);
        }
    }

    pub(super) fn lines(&self, width: usize) -> Vec<Line> {
        let widths = self.widths(width);
        let mut lines = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            lines.extend(row_lines(row, &widths));
            if number == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(Line::of(&rule.join("─┼─"), Tone::Faint));
            }
        }
        lines
    }

    /// The widest column gives way first.
    fn widths(&self, width: usize) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![1; columns];
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                widths[column] = widths[column].max(cell_width(cell).min(width));
            }
        }
        let room = width.saturating_sub(width_of(BETWEEN) * columns.saturating_sub(1));
        let mut excess = widths.iter().sum::<usize>().saturating_sub(room);
        while excess > 0 {
            let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > NARROWEST) else { break };
            let step = excess.min((*widest - NARROWEST).div_ceil(2)).max(1);
            *widest -= step;
            excess -= step;
        }
        widths
    }
}

fn cell_width(cell: &[Piece]) -> usize {
    cell.iter().map(|piece| width_of(piece.text())).sum()
}

fn row_lines(row: &[Vec<Piece>], widths: &[usize]) -> Vec<Line> {
    let nothing = Line::default();
    let cells: Vec<Vec<Line>> = widths
        .iter()
        .enumerate()
        .map(|(column, width)| wrap(row.get(column).map_or(&[][..], Vec::as_slice), *width, &nothing, &nothing))
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    (0..height).map(|at| joined(&cells, widths, at)).collect()
}

fn joined(cells: &[Vec<Line>], widths: &[usize], at: usize) -> Line {
    let mut line = Line::default();
    for (column, cell) in cells.iter().enumerate() {
        if column > 0 {
            line = line.and(BETWEEN, Tone::Faint);
        }
        let pieces = cell.get(at).map_or(&[][..], |line| line.0.as_slice());
        line.0.extend_from_slice(pieces);
        let missing = widths[column].saturating_sub(cell_width(pieces));
        if column + 1 < cells.len() && missing > 0 {
            line = line.and(&" ".repeat(missing), Ink::default());
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::{Marks, Page, render};
    use crate::text::{Line, width_of};

    fn table(source: &str, width: usize) -> Vec<String> {
        render(source, Page { width, marks: Marks::Kept }).iter().map(Line::text).collect()
    }

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        assert_eq!(
            table("| name | what |\n|---|:-:|\n| a | **x** |\n| 漢字漢字 |\n", 40),
            ["name     │ what", "─────────┼──────", "a        │ **x**", "漢字漢字 │ "]
        );
    }

    #[test]
    fn a_table_that_is_too_wide_folds_its_cells() {
        let lines = table("| a | b |\n|---|---|\n| one two three four five six seven | short |\n", 20);
        assert!(lines.iter().all(|line| width_of(line.trim_end()) <= 20), "{lines:#?}");
        assert!(lines.len() > 4, "{lines:#?}");
    }
}
