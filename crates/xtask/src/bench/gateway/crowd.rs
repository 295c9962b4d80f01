//! Five hundred sessions at once, three of which misbehave: what the others lose by it.

use std::time::{Duration, Instant};

use super::{Caller, Ground, at_once};
use crate::bench::Bench;
use crate::bench::table::{Figure, Limit, Row};

const SESSIONS: usize = 500;
const CALLS: usize = 3;
/// They never end by themselves: output without end, processes without end, a model that never answers.
const BAD: [&str; 3] = ["run 1 yes", "run 1 while true; do sleep 1000 & done", "never"];
/// 80 % of the rate.
const SLOWER: f64 = 1.25;
/// What a gateway with as many open sessions may hold.
const MEMORY: u64 = 150_000_000;

pub(in crate::bench) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let good = SESSIONS - BAD.len();
    let (alone, _) = others(bench, "crowd-alone", &[])?;
    let (together, memory) = others(bench, "crowd", &BAD)?;
    Ok(vec![
        Row {
            what: format!("{good} sessions beside {} bad ones", BAD.len()),
            figure: Figure::Time(together),
            baseline_name: "without them",
            baseline: Figure::Time(alone),
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
    for (number, text) in bad.iter().copied().enumerate() {
        let mut caller = Caller::new(&ground, format!("bad-{number}"))?;
        // It ends with the gateway, and so does its thread.
        std::thread::spawn(move || caller.say(text));
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
    gateway.kill()?;
    Ok((taken, memory))
}
