//! Two hundred sessions, twenty thousand commands with pauses at random: each must report its own session and no other.

use anyhow::ensure;

use super::{Caller, Ground, at_once};
use crate::bench::Bench;
use crate::bench::table::{Figure, Limit, Row};

const SESSIONS: usize = 200;
const TURNS: usize = 5;
const CALLS: usize = 20;
/// Sleeps up to 30 ms on either side of what is asked about.
const REPORT: &str = "sleep 0.0$((RANDOM % 4)); echo \"key=$HERMES_SESSION_KEY id=$HERMES_SESSION_ID \
                      platform=$HERMES_SESSION_PLATFORM\"; sleep 0.0$((RANDOM % 3))";

pub(in crate::bench) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let ground = Ground::new(bench, "identity")?;
    let _gateway = ground.start()?;
    let ground = &ground;
    let wrong: u64 =
        at_once((0..SESSIONS).map(|number| move || person(ground, &format!("person-{number}"))))?.into_iter().sum();
    Ok(vec![Row {
        what: format!("foreign or missing identity, {SESSIONS} sessions"),
        figure: Figure::Count(wrong),
        baseline_name: "commands",
        baseline: Figure::Count((SESSIONS * TURNS * CALLS) as u64),
        limit: Limit::Count(0),
    }])
}

/// How many of its commands reported anything else than who it is.
fn person(ground: &Ground, key: &str) -> anyhow::Result<u64> {
    let mut caller = Caller::new(ground, key.to_owned())?;
    let mut wrong = 0;
    for _ in 0..TURNS {
        let answer = caller.say(&format!("run {CALLS} {REPORT}"))?;
        let expected = format!("key={key} id={} platform=api_server", caller.session.as_deref().unwrap_or_default());
        let reports: Vec<_> = answer.lines().filter(|line| line.starts_with("key=")).collect();
        ensure!(reports.len() == CALLS, "{key} has {} reports of {CALLS}: {answer}", reports.len());
        wrong += reports.iter().filter(|report| **report != expected).count() as u64;
    }
    Ok(wrong)
}
