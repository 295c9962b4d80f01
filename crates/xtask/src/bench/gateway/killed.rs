//! kill -9 at a hundred random moments under load: every acknowledged message has exactly one answer.
//!
//! Messages go through the control socket, whose platform acknowledges what is on disk and gets answers by number.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use hermes_gateway::control::{Answer, Client, Request};
use hermes_store::ledger::Ledger;
use hermes_store::{Settings, Store};
use tokio::time::{Instant, timeout, timeout_at};

use super::{Ground, PATIENCE};
use crate::bench::Bench;
use crate::bench::place::runtime;
use crate::bench::table::{Figure, Limit, Row};

const KILLS: u64 = 100;
const CHATS: u64 = 6;
/// A kill comes at most this long after the gateway serves.
const LATEST: u64 = 400;

/// What was said and heard in all lives of the gateway.
#[derive(Default)]
struct Seen {
    acknowledged: Vec<String>,
    /// The deliveries of each message, by number.
    answers: BTreeMap<String, BTreeSet<i64>>,
}

pub(in crate::bench) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let ground = Ground::new(bench, "killed")?;
    let runtime = runtime()?;
    let mut seen = Seen::default();
    for life in 0..KILLS {
        let gateway = ground.start()?;
        runtime.block_on(one_life(&ground.home, life, &mut seen))?;
        gateway.kill()?;
    }
    let last = ground.start()?;
    runtime.block_on(the_rest(&ground.home, &mut seen))?;
    drop(last);
    let is_right = |message: &&String| seen.answers.get(*message).is_some_and(|numbers| numbers.len() == 1);
    let right = seen.acknowledged.iter().filter(is_right).count();
    Ok(vec![Row {
        what: format!("not answered once, {KILLS} kills"),
        figure: Figure::Count((seen.acknowledged.len() - right) as u64),
        baseline_name: "acknowledged",
        baseline: Figure::Count(seen.acknowledged.len() as u64),
        limit: Limit::Count(0),
    }])
}

/// Talks in all chats until the moment of this life's end.
async fn one_life(home: &Path, life: u64, seen: &mut Seen) -> anyhow::Result<()> {
    let end = Instant::now() + Duration::from_millis(moment(life));
    let (mut client, mut listener) = (connect(home).await?, listener(home).await?);
    for number in 0.. {
        let (chat, id) = (number % CHATS, format!("l{life}n{number}"));
        let text = if number % 2 == 0 { "run 2 true" } else { "say" };
        let request = Request::Say {
            chat: format!("c{chat}").parse()?,
            user: format!("u{chat}").parse()?,
            id: id.parse()?,
            text: text.to_owned(),
        };
        match timeout_at(end, client.ask(&request)).await {
            // It may be on disk although nobody was told: that is not a promise.
            Err(_) => return Ok(()),
            Ok(answer) => match answer.context("say something")? {
                Answer::Accepted { .. } => seen.acknowledged.push(id),
                // A chat that has too much to do already says so.
                Answer::Refused { .. } => {}
                other => anyhow::bail!("a message was answered by {other:?}"),
            },
        }
        while let Ok(answer) = timeout(Duration::from_millis(1), listener.next()).await {
            take(&mut listener, answer.context("listen")?, seen).await;
        }
    }
    Ok(())
}

/// Spread over the whole time by the golden ratio: no two lives end alike, and every run is the same.
fn moment(life: u64) -> u64 {
    (life * 618_034) % 1_000_000 * LATEST / 1_000_000
}

async fn the_rest(home: &Path, seen: &mut Seen) -> anyhow::Result<()> {
    let mut listener = listener(home).await?;
    let ledger = Ledger::open(&Store::of(home, Settings::default()));
    let end = Instant::now() + PATIENCE * 3;
    while !ledger.open_messages()?.is_empty() || ledger.due_count()? > 0 {
        ensure!(Instant::now() < end, "not everything was answered");
        if let Ok(answer) = timeout(Duration::from_millis(200), listener.next()).await {
            take(&mut listener, answer.context("listen")?, seen).await;
        }
    }
    Ok(())
}

async fn take(listener: &mut Client, answer: Answer, seen: &mut Seen) {
    if let Answer::Delivery { id, reply_to: Some(message), .. } = answer {
        // One that has died meanwhile cannot be told; it comes again with the same number.
        let _ = listener.send(&Request::Ack { delivery: id }).await;
        seen.answers.entry(message.to_string()).or_default().insert(id.0);
    }
}

async fn connect(home: &Path) -> anyhow::Result<Client> {
    Client::connect(home).await.context("connect to the control socket")
}

async fn listener(home: &Path) -> anyhow::Result<Client> {
    let mut client = connect(home).await?;
    ensure!(client.ask(&Request::Listen).await? == (Answer::Done { found: true }), "nobody may listen");
    Ok(client)
}
