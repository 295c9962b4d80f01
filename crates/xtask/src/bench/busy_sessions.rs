//! Many sessions at work at once: the slowest against the middle one.
//!
//! Were one session to wait for another beyond its share of the cores, some would finish long
//! after the rest although all do the same work.

use std::time::{Duration, Instant};

use hermes_home::config::Sandbox;
use tokio::task::JoinSet;

use super::Bench;
use super::place::{Place, run, runtime};
use super::start_up::median;
use super::table::{Figure, Limit, Row};

const SESSIONS: usize = 200;
const COMMANDS: usize = 10;

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let place = Place::new(bench)?;
    let mut times = runtime()?.block_on(all(&place))?;
    let slowest = times.iter().max().copied().unwrap_or_default();
    Ok(vec![Row {
        what: format!("slowest of {SESSIONS} busy sessions"),
        figure: Figure::Time(slowest),
        baseline_name: "the middle one",
        baseline: Figure::Time(median(&mut times)),
        limit: Limit::Ratio(1.5),
    }])
}

async fn all(place: &Place) -> anyhow::Result<Vec<Duration>> {
    let mut environments = Vec::new();
    for _ in 0..SESSIONS {
        environments.push(place.environment(Sandbox::Auto).await?);
    }
    let mut sessions = JoinSet::new();
    let start = Instant::now();
    for environment in environments {
        let turn = place.turn();
        sessions.spawn(async move {
            for _ in 0..COMMANDS {
                run(&environment, &turn, "true").await?;
            }
            Ok::<_, anyhow::Error>((start.elapsed(), environment))
        });
    }
    let mut times = Vec::new();
    for done in sessions.join_all().await {
        let (time, environment) = done?;
        times.push(time);
        environment.close().await?;
    }
    Ok(times)
}
