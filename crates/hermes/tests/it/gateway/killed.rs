//! kill -9 at many moments: every acknowledged message has one answer, and no answer comes twice. (Invariant 10.)

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hermes_store::ledger::Ledger;
use hermes_store::{Settings, Store};

use super::process::{Gateway, Ground, PATIENCE, delivered, say, taken};

const ROUNDS: usize = 16;
const CHATS: usize = 4;
const A_WHILE: Duration = Duration::from_millis(500);

#[derive(Default)]
struct Told {
    /// The deliveries of each message, by number.
    answers: BTreeMap<String, BTreeSet<i64>>,
}

impl Told {
    fn note(&mut self, (number, message, _text): (i64, String, String)) {
        self.answers.entry(message).or_default().insert(number);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_acknowledged_message_has_one_answer_whenever_it_is_killed() {
    let ground = Ground::new("display: {busy_input_mode: queue}");
    let (mut told, mut acknowledged) = (Told::default(), Vec::new());
    for round in 0..ROUNDS {
        let gateway = ground.start_with(&["--force"]);
        one_round(&gateway, round, &mut told, &mut acknowledged).await;
        gateway.kill();
    }
    let gateway = ground.start_with(&["--force"]);
    let mut listener = gateway.listener().await;
    let ledger = Ledger::open(&Store::of(&ground.sandbox.home(), Settings::default()));
    let rest = async {
        while !ledger.open_messages().unwrap().is_empty() || ledger.due_count().unwrap() > 0 {
            // The last acknowledgement may be on its way to the ledger.
            if let Ok(delivery) = tokio::time::timeout(A_WHILE, delivered(&mut listener)).await {
                told.note(delivery);
            }
        }
    };
    tokio::time::timeout(PATIENCE, rest).await.expect("not everything was answered");
    gateway.signal(rustix::process::Signal::INT);
    gateway.wait();
    for message in &acknowledged {
        assert_eq!(told.answers.get(message).map(BTreeSet::len), Some(1), "{message}: {:?}", told.answers.get(message));
    }
    assert_eq!(told.answers.len(), acknowledged.len());
}

/// Says something in each chat, and sees as many events as the round's number says.
async fn one_round(gateway: &Gateway, round: usize, told: &mut Told, acknowledged: &mut Vec<String>) {
    let (mut client, mut listener) = (gateway.client().await, gateway.listener().await);
    for chat in 0..CHATS {
        let id = format!("r{round}c{chat}");
        let text = if chat % 2 == 0 { format!("say {id}") } else { format!("run echo {id}") };
        say(&mut client, &format!("c{chat}"), &id, &text).await;
        acknowledged.push(id);
    }
    for _ in 0..round {
        // Once all is told there is nothing more to wait for.
        let answer = tokio::time::timeout(A_WHILE, listener.next()).await;
        let Ok(Ok(answer)) = answer else { return };
        if let Some(delivery) = taken(&mut listener, answer).await {
            told.note(delivery);
        }
    }
}
