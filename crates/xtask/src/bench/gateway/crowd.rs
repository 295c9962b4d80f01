//! Five hundred sessions at once, three of which misbehave: what the others lose by it.

use std::time::{Duration, Instant};

use anyhow::ensure;

use super::{Caller, Ground, at_once};
use crate::bench::Bench;
use crate::bench::start_up::median;
use crate::bench::table::{Figure, Limit, Row};

const SESSIONS: usize = 500;
const CALLS: usize = 3;
/// Each is measured so often, alternately; single runs differ by a third.
const ROUNDS: usize = 5;
/// They never end by themselves: output without end, processes without end, a model that never answers.
const BAD: [&str; 3] = ["run 1 yes", "run 1 while true; do sleep 0.2 & done", "never"];
/// 80 % of the rate.
const SLOWER: f64 = 1.25;
/// What a gateway with as many open sessions may hold.
const MEMORY: u64 = 150_000_000;

pub(in crate::bench) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let good = SESSIONS - BAD.len();
    let (mut alone, mut together, mut memory) = (Vec::new(), Vec::new(), 0);
    for round in 0..ROUNDS {
        alone.push(others(bench, &format!("crowd-alone-{round}"), &[])?.0);
        let (taken, held) = others(bench, &format!("crowd-{round}"), &BAD)?;
        together.push(taken);
        memory = memory.max(held);
    }
    Ok(vec![
        Row {
            what: format!("{good} sessions beside {} bad ones", BAD.len()),
            figure: Figure::Time(median(&mut together)),
            baseline_name: "without them",
            baseline: Figure::Time(median(&mut alone)),
            limit: Limit::Ratio(SLOWER),
        },
        Row {
            what: format!("gateway of {SESSIONS} sessions"),
            figure: Figure::Bytes(memory),
            baseline_name: "original noted, 10",
            baseline: Figure::Bytes(255_000_000),
            limit: Limit::Bytes(MEMORY),
        },
    ])
}

/// How long the well-behaved ones take, all together, and what the gateway holds then.
fn others(bench: &Bench, name: &str, bad: &[&'static str]) -> anyhow::Result<(Duration, u64)> {
    let ground = Ground::new(bench, name)?;
    let gateway = ground.start()?;
    let mut misbehaving = Vec::new();
    for (number, text) in bad.iter().copied().enumerate() {
        let mut caller = Caller::new(&ground, format!("bad-{number}"))?;
        // It ends with the gateway, and so does its thread.
        misbehaving.push((text, std::thread::spawn(move || caller.say(text))));
    }
    // Each opens its place first: what is compared is work, not starts.
    let people = at_once((0..SESSIONS - BAD.len()).map(|number| {
        let ground = &ground;
        move || {
            let mut caller = Caller::new(ground, format!("good-{number}"))?;
            caller.say("run 1 true")?;
            Ok(caller)
        }
    }))?;
    let start = Instant::now();
    at_once(people.into_iter().map(|mut caller| move || caller.say(&format!("run {CALLS} true"))))?;
    let taken = start.elapsed();
    let memory = gateway.memory()?;
    let ended = misbehaving.iter().find(|(_, thread)| thread.is_finished());
    ensure!(ended.is_none(), "one of the bad ones ended before the others: {:?}", ended.map(|(text, _)| text));
    gateway.kill()?;
    Ok((taken, memory))
}
