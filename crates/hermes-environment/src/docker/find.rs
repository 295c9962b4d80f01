//! The container of a task, found by its labels.

use std::time::Duration;

use super::binary::Client;
use super::labels::Labels;

const PROBE: Duration = Duration::from_secs(10);

/// A container with our labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) id: String,
    pub(super) state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Running,
    /// Exited, created, dead, paused: to be started.
    Other,
}

/// A running one, else the first. A probe that fails finds nothing: it is a convenience, and
/// a fresh container always works.
pub(super) fn find(client: &Client, labels: &Labels) -> Option<Found> {
    let mut arguments = vec!["ps".to_owned(), "-a".to_owned()];
    for (key, value) in labels.pairs() {
        arguments.extend(["--filter".to_owned(), format!("label={key}={value}")]);
    }
    arguments.push("--no-trunc".to_owned());
    arguments.extend(["--format".to_owned(), "{{.ID}}\t{{.State}}".to_owned()]);
    match client.call(PROBE, arguments) {
        Ok(outcome) => preferred(&outcome.standard_output.text()),
        Err(error) => {
            tracing::warn!(%error, "containers cannot be looked for; a fresh one is made");
            None
        }
    }
}

fn preferred(listing: &str) -> Option<Found> {
    let mut found = listing.lines().filter_map(parse);
    let first = found.next()?;
    if first.state == State::Running {
        return Some(first);
    }
    Some(found.find(|one| one.state == State::Running).unwrap_or(first))
}

fn parse(line: &str) -> Option<Found> {
    let (id, state) = line.split_once('\t')?;
    let state = if state.trim().eq_ignore_ascii_case("running") { State::Running } else { State::Other };
    let id = id.trim();
    (!id.is_empty()).then(|| Found { id: id.to_owned(), state })
}

#[cfg(test)]
mod tests {
    use super::preferred;

    #[test]
    fn a_running_one_is_preferred_and_nonsense_passed_over() {
        let check = |listing: &str, expected: Option<&str>| {
            assert_eq!(preferred(listing).map(|found| found.id).as_deref(), expected, "{listing:?}");
        };
        check("", None);
        check("a\texited", Some("a"));
        check("a\texited\nb\trunning\nc\trunning", Some("b"));
        check("nonsense\n\trunning\nb\tcreated", Some("b"));
    }
}
