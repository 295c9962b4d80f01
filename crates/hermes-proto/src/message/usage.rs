//! What a request to a model cost, in tokens.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Tokens as the provider counted them; one it does not tell is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Everything that was read, tokens from a cache included.
    pub input: u64,
    /// Everything that was written, reasoning included.
    pub output: u64,
    /// The part of `input` that came from the provider's cache.
    pub cached_input: u64,
    /// The part of `input` that was put into the provider's cache.
    pub cache_write: u64,
    /// The part of `output` that was reasoning.
    pub reasoning: u64,
}

impl Usage {
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cached_input: self.cached_input.saturating_add(other.cached_input),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
