//! The three labels by which a container is found again.

use super::digest::short_digest;

const LONGEST: usize = 63;
/// What is kept of a shared key beside its digest.
const SHARED_STEM: usize = 50;
/// What a value becomes that has nothing in it.
const UNKNOWN: &str = "unknown";

pub(super) const AGENT: &str = "hermes-agent";
pub(super) const TASK: &str = "hermes-task-id";
pub(super) const PROFILE: &str = "hermes-profile";

/// Who a container belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    task: String,
    profile: String,
}

impl Labels {
    pub fn new(task: &str, profile: &str) -> Self {
        Self { task: sanitized(task), profile: sanitized(profile) }
    }

    /// Of a container that all processes with this key share, whatever their profile.
    pub fn shared(task: &str, key: &str) -> Self {
        Self { task: sanitized(task), profile: shared_value(key) }
    }

    pub fn task(&self) -> &str {
        &self.task
    }

    pub fn profile(&self) -> &str {
        &self.profile
    }

    /// As `docker run` gets them.
    pub fn pairs(&self) -> [(&'static str, &str); 3] {
        [(AGENT, "1"), (TASK, &self.task), (PROFILE, &self.profile)]
    }
}

/// A value that every engine takes: one underscore for each character it would not.
pub fn sanitized(value: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
    let clean: String = value.chars().map(keep).take(LONGEST).collect();
    if clean.is_empty() { UNKNOWN.to_owned() } else { clean }
}

/// Cut keys must not meet: a digest of the whole keeps them apart.
fn shared_value(key: &str) -> String {
    let stem: String = sanitized(key).chars().take(SHARED_STEM).collect();
    format!("{stem}-{}", short_digest(key.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{Labels, sanitized};

    #[test]
    fn long_shared_keys_stay_apart_and_fit() {
        let (one, other) = ("k".repeat(80) + "1", "k".repeat(80) + "2");
        let (one, other) = (Labels::shared("t", &one), Labels::shared("t", &other));
        assert_ne!(one.profile(), other.profile());
        assert!(one.profile().len() <= 63, "{}", one.profile());
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        assert_eq!(sanitized("ä😀z"), "__z");
        assert_eq!(sanitized(&"é".repeat(100)).len(), 63);
    }
}
