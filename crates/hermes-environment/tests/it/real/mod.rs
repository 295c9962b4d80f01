//! A container's life on a real engine, without the program's executor.
//!
//! These tests need an engine that answers and the image `debian:bookworm-slim`; without them
//! they fail and say so. Every container carries a profile of its own test, and is removed
//! with it. What needs the executor is tested beside the program.

use std::sync::Arc;
use std::time::Duration;

use hermes_environment::CommandText;
use hermes_environment::docker::{Client, Container, DockerEnvironment, Origin, OrphanSweep, RECREATED, Search, list};
use hermes_proto::HostEnvironment;
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use hermes_sandbox::process::Helper;
use hermes_testkit::permit;

use crate::support::Fixture;

const IMAGE: &str = "debian:bookworm-slim";
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
const LONG: Duration = Duration::from_secs(60);

/// A fixture whose docker is the real one.
struct Real(Fixture);

impl Real {
    fn new(task: &str) -> Self {
        let there = docker(&["image", "inspect", "--format", "{{.Id}}", IMAGE]);
        assert!(
            there.is_ok(),
            "these tests need a Docker engine that answers and the image {IMAGE} (scripts/docker-engine, \
             scripts/base-image): {there:?}"
        );
        let mut fixture = Fixture::new(task);
        let unique =
            fixture.folder.path().file_name().unwrap().to_str().unwrap().trim_start_matches('.').to_lowercase();
        fixture.profile = Some(format!("{unique}-{}", std::process::id()));
        fixture.terminal.docker_image = IMAGE.to_owned();
        // Comes after the recording one, and so counts.
        fixture.variables = vec![("PATH".to_owned(), PATH.to_owned())];
        Self(fixture)
    }

    fn profile(&self) -> &str {
        self.0.profile.as_deref().unwrap()
    }

    fn containers(&self) -> Vec<String> {
        let client = Client::connect(&Search::of(&HostEnvironment::from_pairs([("PATH", PATH)]))).unwrap();
        let own = list(&client).unwrap().into_iter().filter(|listed| listed.profile == self.profile());
        own.map(|listed| listed.id).collect()
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        for id in self.containers() {
            let _ = docker(&["rm", "-f", "-v", &id]);
        }
    }
}

fn docker(arguments: &[&str]) -> Result<String, String> {
    let helper = Helper::new("docker").environment([("PATH", PATH)]).time_limit(LONG).args(arguments.iter().copied());
    helper.run().map(|outcome| outcome.standard_output.text()).map_err(|error| error.to_string())
}

async fn end(container: &Container) {
    container.custody().cleanup();
    assert!(container.custody().wait_for_cleanup(LONG).await);
}

#[tokio::test]
async fn a_container_is_made_stopped_found_again_and_removed() {
    let mut real = Real::new("life/of:one");
    let first = real.0.acquire();
    assert_eq!(first.origin(), Origin::Made);
    let id = first.id().to_owned();
    let label = docker(&["inspect", "--format", "{{index .Config.Labels \"hermes-task-id\"}}", &id]).unwrap();
    assert_eq!(label, "life_of_one");
    end(&first).await;
    assert_eq!(docker(&["inspect", "--format", "{{.State.Status}}", &id]).unwrap(), "exited");
    let second = real.0.acquire();
    assert_eq!((second.origin(), second.id()), (Origin::Started, id.as_str()));
    let third = real.0.acquire();
    assert_eq!((third.origin(), third.id()), (Origin::Attached, id.as_str()));
    end(&second).await;
    end(&third).await;
    assert_eq!(real.containers(), std::slice::from_ref(&id));
    real.0.terminal.docker_persist_across_processes = false;
    let own = real.0.acquire();
    assert_ne!(own.id(), id);
    end(&own).await;
    assert_eq!(real.containers(), [id]);
}

#[tokio::test]
async fn commands_run_one_by_one_where_there_is_no_executor() {
    let mut real = Real::new("each");
    real.0.terminal.docker_persist_across_processes = false;
    let environment = DockerEnvironment::start(&real.0.settings(), &Arc::new(OrphanSweep::new())).await.unwrap().0;
    let turn = TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Headless, Arc::new(NobodyToAsk)));
    let run = async |command| environment.run(&turn, permit(&turn, &environment.place(), command), &mut |_| ()).await;
    let flood = CommandText::new("seq 1 100000; echo last >&2; exit 5");
    let result = run(flood).await.unwrap();
    assert!(result.exit_code == 5 && result.output.ends_with("last\n") && result.output.starts_with("1\n2\n"));
    assert!(result.output.contains("OUTPUT TRUNCATED") && result.output.len() < 51_000, "{}", result.output.len());
    let slow = CommandText { timeout: Some(Duration::from_millis(700)), ..CommandText::new("sleep 777 & sleep 777") };
    assert_eq!(run(slow).await.unwrap().exit_code, 124);
    // The container's own first process is the only one.
    let count = CommandText::new("cat /proc/[0-9]*/comm | grep -cx sleep");
    assert_eq!(run(count).await.unwrap().output, "1\n");
    docker(&["rm", "-f", &environment.container_id().await.unwrap()]).unwrap();
    let again = run(CommandText::new("echo again")).await.unwrap();
    assert_eq!(again.output, "again\n");
    assert!(again.notes.iter().any(|note| note.starts_with(RECREATED)), "{again:?}");
    environment.close().await.unwrap();
    assert_eq!(real.containers(), Vec::<String>::new());
}

#[tokio::test]
async fn containers_of_other_profiles_are_never_swept() {
    let (mine, other) = (Real::new("mine"), Real::new("other"));
    let theirs = other.0.acquire();
    end(&theirs).await;
    OrphanSweep::new().once(&mine.0.settings());
    assert_eq!(other.containers().len(), 1);
    // Nor one of this profile that has just ended.
    let own = mine.0.acquire();
    end(&own).await;
    OrphanSweep::new().once(&mine.0.settings());
    assert_eq!(mine.containers().len(), 1);
}
