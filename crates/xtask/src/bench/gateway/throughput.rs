//! Ten people at a time, ten commands a turn, against a bare loop on all cores that makes the same requests and starts as many shells.

use std::time::{Duration, Instant};

use anyhow::ensure;

use super::{Caller, Ground, at_once};
use crate::bench::Bench;
use crate::bench::table::{Figure, Limit, Row};
use crate::bench::turn::bare_requests;

const PEOPLE: usize = 10;
/// Turns of each conversation.
const TURNS: usize = 5;
const CALLS: usize = 10;
/// Each of these is measured in turn, and the middle one counts.
const ROUNDS: usize = 3;
/// The original: turns in a second, memory idle and after the load.
const ORIGINAL_TURN: Duration = Duration::from_secs(2);
const FASTER: u32 = 40;
const IDLE: u64 = 20_000_000;
const LOADED: u64 = 40_000_000;

pub(in crate::bench) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let ground = Ground::new(bench, "throughput")?;
    let gateway = ground.start()?;
    let idle = gateway.memory()?;
    // One alone, so that its requests are known in their order.
    conversation(&ground, "alone".to_owned())?;
    let bodies: Vec<String> = ground.server.requests().iter().map(|request| request.body.to_string()).collect();
    ensure!(bodies.len() == TURNS * (CALLS + 1), "a conversation made {} requests", bodies.len());
    let (mut subject, mut baseline) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let url = ground.server.openai_url();
        baseline.push(each_turn(|_| bare_requests(&url, &bodies, |index| index % (CALLS + 1) < CALLS))?);
        subject.push(each_turn(|person| conversation(&ground, format!("round-{round}-{person}")))?);
    }
    subject.sort_unstable();
    baseline.sort_unstable();
    let (taken, bare) = (subject[ROUNDS / 2], baseline[ROUNDS / 2]);
    let row =
        |what: String, figure, baseline_name, baseline, limit| Row { what, figure, baseline_name, baseline, limit };
    let noted = "original noted";
    Ok(vec![
        row(
            format!("gateway turn, {PEOPLE} at a time"),
            Figure::Time(taken),
            "bare loop, all cores",
            Figure::Time(bare),
            Limit::Ratio(2.0),
        ),
        row(
            "the same, original".to_owned(),
            Figure::Time(taken),
            noted,
            Figure::Time(ORIGINAL_TURN),
            Limit::Time(ORIGINAL_TURN / FASTER),
        ),
        row("gateway, idle".to_owned(), Figure::Bytes(idle), noted, Figure::Bytes(96_000_000), Limit::Bytes(IDLE)),
        row(
            "gateway, after that".to_owned(),
            Figure::Bytes(gateway.memory()?),
            noted,
            Figure::Bytes(255_000_000),
            Limit::Bytes(LOADED),
        ),
    ])
}

/// All people at once; how long a turn takes on average, as seen from outside.
fn each_turn(person: impl Fn(usize) -> anyhow::Result<()> + Sync) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let person = &person;
    at_once((0..PEOPLE).map(|number| move || person(number)))?;
    let turns = u32::try_from(PEOPLE * TURNS).unwrap_or(u32::MAX);
    Ok(start.elapsed() / turns)
}

fn conversation(ground: &Ground, key: String) -> anyhow::Result<()> {
    let mut caller = Caller::new(ground, key)?;
    for _ in 0..TURNS {
        caller.say(&format!("run {CALLS} true"))?;
    }
    Ok(())
}
