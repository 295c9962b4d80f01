//! Sessions that nobody uses are closed, unless something runs in them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hermes_environment::held::{Attachment, Claim, Holder, MakeEnvironment, Terms};
use hermes_environment::{CommandText, Environment};
use hermes_proto::executor::{Attach, AttachRefused, StartJob, Stdin};
use hermes_proto::turn::Hosting;
use hermes_testkit::{Permits, permit};
use tokio_util::sync::CancellationToken;

use super::{Place, Server, until};
use crate::environment::{arrived, environment, polluted_host};

#[test]
fn a_session_is_closed_when_it_is_not_used_for_its_lifetime() {
    let place = Place::configured("terminal:\n  lifetime_seconds: 1\n");
    let server = Server::start(&place);
    // Longer than the lifetime: that is use.
    place.in_session("one", "export COLOUR=blue; sleep 1.5");
    assert_eq!(place.in_session("one", "echo -$COLOUR-"), "-blue-\n");
    until("the session is closed", || server.executors().is_empty());
    assert_eq!(place.in_session("one", "echo -$COLOUR-"), "--\n");
    // Nothing is left of it but what holds output.
    let folders = || std::fs::read_dir(place.sandbox.file("cache/terminal-output")).unwrap().count();
    until("its folder is gone", || folders() == 0 || server.executors().len() == 1 && folders() == 1);
}

/// Makes environments in which a job may be running from the start.
#[derive(Debug)]
struct Maker {
    made: Arc<AtomicUsize>,
    job: Option<&'static str>,
}

impl MakeEnvironment for Maker {
    async fn make(&self, workspace: &Path) -> Result<Environment, AttachRefused> {
        self.made.fetch_add(1, Ordering::SeqCst);
        let environment = environment(workspace, polluted_host()).await;
        if let Some(command) = self.job {
            let job = StartJob {
                command: command.to_owned(),
                environment: Vec::new(),
                working_directory: None,
                terminal: None,
                notify_on_complete: false,
                watch_patterns: Vec::new(),
                persists: false,
            };
            let turn = arrived(&Hosting::new());
            environment.start_job(&turn, permit(&turn, &environment.place(), job)).await.unwrap();
        }
        Ok(environment)
    }
}

/// Uses a session, leaves it alone for several lifetimes, and uses it again: how often it was made.
async fn made_after_a_pause(job: Option<&'static str>) -> usize {
    let home = tempfile::tempdir().unwrap();
    let made = Arc::new(AtomicUsize::new(0));
    let terms = Terms { most_sessions: 4, lifetime: Duration::from_millis(50) };
    let (claim, listener) = Claim::take(home.path()).unwrap();
    let holder = Holder::new(Maker { made: made.clone(), job }, terms, Hosting::new(), Permits::new().guard, "test");
    let shutdown = CancellationToken::new();
    let use_it = async {
        for _ in 0..2 {
            use_once(home.path()).await;
            tokio::time::sleep(Duration::from_millis(400)).await;
        }
        shutdown.cancel();
    };
    tokio::join!(holder.run(listener, shutdown.clone()), use_it);
    drop(claim);
    made.load(Ordering::SeqCst)
}

async fn use_once(home: &Path) {
    let attach = Attach {
        build: "test".to_owned(),
        session: "one".parse().unwrap(),
        working_directory: home.to_str().unwrap().to_owned(),
    };
    let attachment = Attachment::open(home, &attach).await.unwrap().unwrap();
    let turn = arrived(&Hosting::new());
    let running = attachment.begin(&turn, CommandText::new("echo here"), Stdin::Closed).unwrap();
    assert_eq!(running.finish(&turn, &mut |_| ()).await.unwrap().output, "here\n");
}

#[tokio::test]
async fn a_running_job_keeps_its_session() {
    assert_eq!(made_after_a_pause(Some("sleep 1000")).await, 1);
}

#[tokio::test]
async fn neither_a_finished_job_nor_none_does() {
    assert_eq!(made_after_a_pause(Some("true")).await, 2);
    assert_eq!(made_after_a_pause(None).await, 2);
}
