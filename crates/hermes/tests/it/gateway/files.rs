//! Files that answers send: read where the agent's commands run, kept until they are delivered, and never a secret of this machine.

use std::path::PathBuf;
use std::time::Duration;

use hermes_gateway::control::{Answer, Client, Request};
use hermes_gateway::{Content, OutgoingFile};
use hermes_store::ledger::Ledger;
use hermes_store::{Settings, Store};

use super::process::{Ground, PATIENCE, say};

async fn next(listener: &mut Client) -> (Request, Content) {
    loop {
        let answer = tokio::time::timeout(PATIENCE, listener.next()).await.expect("nothing was delivered").unwrap();
        if let Answer::Delivery { id, content, .. } = answer {
            return (Request::Ack { delivery: id }, content);
        }
    }
}

async fn text(listener: &mut Client) -> String {
    let (ack, content) = next(listener).await;
    listener.send(&ack).await.unwrap();
    content.text().to_owned()
}

/// The file that comes next, and what is in it.
async fn file(listener: &mut Client) -> (OutgoingFile, Vec<u8>) {
    let (ack, content) = next(listener).await;
    let Content::File { file, .. } = content else { panic!("{content:?}") };
    let bytes = std::fs::read(&file.path).unwrap();
    listener.send(&ack).await.unwrap();
    (file, bytes)
}

fn waiting(ground: &Ground) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(ground.sandbox.home().join("cache/outgoing")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_an_answer_survives_a_kill_arrives_once_and_is_removed() {
    use std::os::unix::fs::PermissionsExt;
    let ground = Ground::new("");
    let gateway = ground.start();
    let mut client = gateway.client().await;
    say(&mut client, "a", "1", "run head -c 1500000 /dev/zero | tr '\\0' x > 'chart 1.png'; echo made").await;
    let mut listener = gateway.listener().await;
    assert_eq!(text(&mut listener).await.trim(), "made");
    // Nobody takes what is delivered any more, once the gateway knows that this has arrived.
    let ledger = Ledger::open(&Store::of(&ground.sandbox.home(), Settings::default()));
    let arrived = async {
        while ledger.due_count().unwrap() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, arrived).await.expect("it does not arrive");
    drop(listener);
    say(&mut client, "a", "2", "say here it is\nMEDIA:chart 1.png\nand that is all").await;
    let kept = async {
        while waiting(&ground).is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, kept).await.expect("the file is not kept");
    // The answer is settled with its files: when the status says that nothing runs, all is on disk.
    let settled = async {
        while client.ask(&Request::Sessions).await.unwrap() != (Answer::Sessions { sessions: Vec::new() }) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, settled).await.expect("the turn does not end");
    gateway.kill();
    assert_eq!(waiting(&ground).len(), 1);
    assert_eq!(std::fs::metadata(&waiting(&ground)[0]).unwrap().permissions().mode() & 0o777, 0o600);
    // What no delivery needs was left by a gateway that died.
    let orphan = ground.sandbox.home().join("cache/outgoing/orphan");
    std::fs::write(&orphan, "x").unwrap();

    let gateway = ground.start();
    let mut listener = gateway.listener().await;
    assert_eq!(text(&mut listener).await, "here it is\nand that is all");
    assert!(!orphan.exists());
    let (sent, bytes) = file(&mut listener).await;
    assert_eq!((sent.name.as_str(), sent.media_type.as_str(), sent.size), ("chart 1.png", "image/png", 1_500_000));
    assert!(bytes.len() == 1_500_000 && bytes.iter().all(|byte| *byte == b'x'));
    let mut client = gateway.client().await;
    // One thing per chat at a time: when this comes, the file's delivery is done with.
    say(&mut client, "a", "3", "say after").await;
    assert_eq!(text(&mut listener).await, "after");
    assert_eq!(waiting(&ground), Vec::<PathBuf>::new());
    gateway.signal(rustix::process::Signal::INT);
    assert_eq!(gateway.wait().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_cannot_send_what_the_agent_cannot_read() {
    let ground = Ground::new("");
    ground.sandbox.write(".env", "SECRET_OF_THE_HOME=hunter2-hunter2\n");
    let home = ground.sandbox.home().canonicalize().unwrap();
    let gateway = ground.start();
    let (mut client, mut listener) = (gateway.client().await, gateway.listener().await);
    // As if the agent had made them.
    let work = home.join("../work");
    std::os::unix::fs::symlink(home.join(".env"), work.join("innocent.txt")).unwrap();
    std::os::unix::fs::symlink(format!("/proc/{}/environ", gateway.pid()), work.join("other.txt")).unwrap();
    let hostile = [
        format!("{}/.env", home.display()),
        format!("{}/config.yaml", home.display()),
        format!("{}/state.db", home.display()),
        format!("/proc/{}/environ", gateway.pid()),
        format!("/proc/{}/root{}/.env", gateway.pid(), home.display()),
        "/proc/self/mem".to_owned(),
        "innocent.txt".to_owned(),
        "other.txt".to_owned(),
        "/dev/zero".to_owned(),
        ".".to_owned(),
        "/etc/shadow".to_owned(),
    ];
    for (number, path) in hostile.iter().enumerate() {
        say(&mut client, "a", &format!("m{number}"), &format!("say look\nMEDIA:{path}")).await;
        let heard = text(&mut listener).await;
        assert!(heard.contains("was not sent"), "{path}: {heard}");
        assert!(!heard.contains("hunter2"), "{heard}");
    }
    assert_eq!(waiting(&ground), Vec::<PathBuf>::new());
    gateway.signal(rustix::process::Signal::INT);
    assert_eq!(gateway.wait().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_too_large_or_endless_are_not_sent() {
    let ground = Ground::new("");
    let gateway = ground.start();
    let (mut client, mut listener) = (gateway.client().await, gateway.listener().await);
    say(&mut client, "a", "1", "run truncate -s 1T large.bin; mkfifo pipe; echo made").await;
    assert_eq!(text(&mut listener).await.trim(), "made");
    for (number, path) in ["large.bin", "pipe", "missing", "/dev/urandom"].into_iter().enumerate() {
        say(&mut client, "a", &format!("m{number}"), &format!("say look\nMEDIA:{path}")).await;
        let heard = text(&mut listener).await;
        assert!(heard.contains(&format!("{} was not sent", path.trim_start_matches("/dev/"))), "{heard}");
    }
    assert_eq!(waiting(&ground), Vec::<PathBuf>::new());
    gateway.signal(rustix::process::Signal::INT);
    assert_eq!(gateway.wait().code(), Some(0));
}
