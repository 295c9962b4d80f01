//! What was said, folded to the width of the screen, up to a bound.

use std::collections::VecDeque;

use crate::markdown::{Chunk, Page};
use crate::text::{Line, wrap};
use crate::turn::Block;

/// What is kept of a long conversation, about. The store has it all.
const HEAVIEST: usize = 4 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Transcript {
    blocks: VecDeque<Block>,
    weight: usize,
    /// The blocks as lines of this page.
    lines: Vec<Line>,
    page: Page,
}

impl Transcript {
    pub(super) fn new(page: Page) -> Self {
        Self { blocks: VecDeque::new(), weight: 0, lines: Vec::new(), page }
    }

    pub(super) fn add(&mut self, blocks: impl IntoIterator<Item = Block>) {
        for block in blocks {
            self.lines.extend(folded(&block, self.page));
            self.weight += block.weight();
            self.blocks.push_back(block);
        }
        if self.weight > HEAVIEST {
            self.forget();
        }
    }

    /// Drops the older half: rarely, since it folds everything again.
    fn forget(&mut self) {
        while self.weight > HEAVIEST / 2
            && let Some(block) = self.blocks.pop_front()
        {
            self.weight -= block.weight();
        }
        self.blocks.push_front(Block::line(Line::plain("… what was before is in the session's transcript")));
        self.fold();
    }

    pub(super) fn resize(&mut self, page: Page) {
        if page != self.page {
            self.page = page;
            self.fold();
        }
    }

    fn fold(&mut self) {
        self.lines = self.blocks.iter().flat_map(|block| folded(block, self.page)).collect();
    }

    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    pub(super) fn page(&self) -> Page {
        self.page
    }
}

/// A full screen has no scrollback to the right: code is folded too.
fn folded(block: &Block, page: Page) -> Vec<Line> {
    let lines = block.lines(page);
    match block {
        Block::Rigid(_) | Block::Markdown(Chunk::CodeLine(_)) => {
            let nothing = Line::default();
            lines.iter().flat_map(|line| wrap(&line.0, page.width, &nothing, &nothing)).collect()
        }
        Block::Markdown(_) | Block::Line { .. } => lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::Marks;
    use crate::text::width_of;

    #[test]
    fn a_long_conversation_is_bounded_and_says_so() {
        let mut transcript = Transcript::new(Page { width: 40, marks: Marks::Styled });
        for _ in 0..3000 {
            transcript.add([Block::Rigid(Line::plain(&"x".repeat(4000)))]);
        }
        assert!(transcript.weight <= HEAVIEST);
        assert!(transcript.lines()[0].text().starts_with("… what was before"));
    }

    #[test]
    fn resizing_folds_everything_again() {
        let mut transcript = Transcript::new(Page { width: 40, marks: Marks::Styled });
        transcript.add([Block::Rigid(Line::plain(&"word ".repeat(20))), Block::line(Line::plain(&"y ".repeat(60)))]);
        transcript.resize(Page { width: 15, marks: Marks::Styled });
        assert!(transcript.lines().iter().all(|line| width_of(&line.text()) <= 15));
    }
}
