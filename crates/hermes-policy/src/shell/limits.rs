//! How much of a text is read before it is refused.
//!
//! Hazard: a few characters can stand for a very large program (`{1..9}{1..9}…`,
//! functions that call functions). Every multiplication draws from one budget, so
//! the work stays linear in the text.

/// Longest text.
pub(super) const CHARACTERS: usize = 128_000;
/// Deepest nesting of compound commands, substitutions and payloads together.
pub(super) const DEPTH: usize = 32;
/// Most simple commands.
const COMMANDS: usize = 10_000;
/// Most text that expansion may produce.
const EXPANSION: usize = 1 << 20;
/// Most values one word or variable is followed with.
pub(super) const ALTERNATIVES: usize = 128;
/// Most words out of the braces of one word.
pub(super) const BRACES: usize = 512;
/// How often the body of one function is walked.
pub(super) const CALLS: usize = 6;
/// Most places in a text where the grammar could recurse.
pub(super) const OPENERS: usize = 4096;

/// What is left to spend on one text.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) commands: usize,
    pub(super) expansion: usize,
    pub(super) depth: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { commands: COMMANDS, expansion: EXPANSION, depth: DEPTH }
    }
}

impl Budget {
    /// Takes this much text off; false when there is not so much left.
    pub(super) fn spend(&mut self, text: usize) -> bool {
        let enough = self.expansion > text;
        self.expansion = self.expansion.saturating_sub(text);
        enough
    }
}
