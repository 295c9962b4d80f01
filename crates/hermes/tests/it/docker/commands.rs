//! Commands in a real container: what keeps them in, what they see, how they end.

use std::time::{Duration, Instant};

use hermes_environment::CommandText;
use hermes_environment::docker::{Begun, DockerError, Origin};
use hermes_proto::Secret;
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::executor::{CommandEnd, FileAnswer, FileRequest, PutFile, ReadFile, StartJob, Stdin};
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Delivery, Edge, Hosting, Surface, TurnContext};
use hermes_testkit::{Permits, permit};

use super::support::{Place, output, run, told, try_run, turn};

#[tokio::test]
async fn a_container_is_labelled_limited_and_stripped() {
    let mut place = Place::new();
    place.terminal.docker_network = false;
    let environment = place.start("limits").await;
    let id = environment.container_id().await.unwrap();
    assert_eq!(environment.origin().await, Some(Origin::Made));
    let labels = told(&["inspect", "--format", "{{json .Config.Labels}}", &id]);
    for label in [
        "\"hermes-agent\":\"1\"",
        "\"hermes-task-id\":\"limits\"",
        &format!("\"hermes-profile\":\"{}\"", place.profile),
    ] {
        assert!(labels.contains(label), "{labels}");
    }
    // CHOWN, DAC_OVERRIDE, FOWNER, SETGID, SETUID: bits 0, 1, 3, 6 and 7.
    let status = output(&environment, "grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status").await;
    assert_eq!(
        status.split_whitespace().collect::<Vec<_>>().join(" "),
        "CapEff: 00000000000000cb CapBnd: 00000000000000cb NoNewPrivs: 1"
    );
    let memory = "cat /sys/fs/cgroup/memory.max 2>/dev/null || cat /sys/fs/cgroup/memory/memory.limit_in_bytes";
    assert_eq!(output(&environment, memory).await, (256u64 << 20).to_string());
    let processes = "cat /sys/fs/cgroup/pids.max 2>/dev/null || cat /sys/fs/cgroup/pids/pids.max";
    assert_eq!(output(&environment, processes).await, "256");
    assert_eq!(output(&environment, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").await, "lo");
    let written = run(&environment, "touch /opt/hermes-executor/x").await;
    assert!(written.exit_code != 0 && written.output.contains("Read-only file system"), "{written:?}");
    environment.close().await.unwrap();
    assert_eq!(told(&["inspect", "--format", "{{.State.Status}}", &id]), "exited");
}

#[tokio::test]
async fn a_session_remembers_and_two_sessions_share_only_files() {
    let place = Place::new();
    let (one, other) = (place.start("shared").await, place.start("shared").await);
    assert_eq!(one.container_id().await, other.container_id().await);
    assert_eq!(other.origin().await, Some(Origin::Attached));
    output(&one, "cd /tmp; export MINE=1; f() { echo function; }; echo from-one > /workspace/file").await;
    assert_eq!(output(&one, "pwd; echo $MINE; f").await, "/tmp\n1\nfunction");
    assert_eq!(output(&other, "cat /workspace/file; pwd; echo ${MINE-unset}").await, "from-one\n/root\nunset");
    let job = StartJob {
        command: "sleep 60".to_owned(),
        environment: Vec::new(),
        working_directory: None,
        terminal: None,
        notify_on_complete: false,
        watch_patterns: Vec::new(),
        persists: false,
    };
    let starter = turn();
    one.start_job(&starter, permit(&starter, &one.place(), job)).await.unwrap();
    assert!(one.has_running_jobs(&turn()).await);
    assert!(!other.has_running_jobs(&turn()).await);
    let id = one.container_id().await.unwrap();
    one.close().await.unwrap();
    assert_eq!(told(&["inspect", "--format", "{{.State.Running}}", &id]), "true", "the other session is still there");
    assert_eq!(output(&other, "cat /workspace/file").await, "from-one");
    other.close().await.unwrap();
    assert_eq!(told(&["inspect", "--format", "{{.State.Running}}", &id]), "false");
}

#[tokio::test]
async fn secrets_travel_over_the_link_and_stand_nowhere() {
    let mut place = Place::new();
    place.terminal.docker_forward_env = vec!["OPENAI_API_KEY".to_owned(), "FROM_FILE".to_owned()];
    place.terminal.docker_env.insert("OPEN".to_owned(), "visible".into());
    place.variables = vec![
        ("OPENAI_API_KEY".to_owned(), "sk-very-secret".to_owned()),
        ("ANTHROPIC_API_KEY".to_owned(), "sk-not-named".to_owned()),
    ];
    std::fs::write(place.home().path().join(".env"), "FROM_FILE=from-dotenv\n").unwrap();
    let environment = place.start("secrets").await;
    let seen = output(&environment, "echo $OPENAI_API_KEY $FROM_FILE $OPEN ${ANTHROPIC_API_KEY-absent}").await;
    assert_eq!(seen, "sk-very-secret from-dotenv visible absent");
    // A value that changes is the new one for the next command.
    std::fs::write(place.home().path().join(".env"), "FROM_FILE=changed\n").unwrap();
    assert_eq!(output(&environment, "echo $FROM_FILE").await, "changed");
    let inspected = told(&["inspect", &environment.container_id().await.unwrap()]);
    assert!(inspected.contains("OPEN=visible"));
    assert!(!inspected.contains("sk-very-secret") && !inspected.contains("from-dotenv"));
    let mut arguments = String::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        arguments.push_str(&String::from_utf8_lossy(&std::fs::read(entry.path().join("cmdline")).unwrap_or_default()));
    }
    assert!(!arguments.contains("sk-very-secret"));
    environment.close().await.unwrap();
}

#[tokio::test]
async fn a_turn_gives_its_own_session_variables() {
    let place = Place::new();
    let environment = place.start("identity").await;
    let hosting = Hosting::new();
    let arrived = || TurnContext::arrived(&hosting, Edge::new(Surface::Gateway, std::sync::Arc::new(NobodyToAsk)));
    let seen = async |turn: &TurnContext| {
        let command = CommandText::new("echo ${HERMES_SESSION_CHAT_ID-absent}");
        try_run(&environment, turn, command, &mut |_| ()).await.unwrap().output
    };
    let bound = arrived().bind([(SessionVariable::ChatId, "42".to_owned())], Delivery::Unset);
    assert_eq!(seen(&bound).await, "42\n");
    assert_eq!(seen(&arrived()).await, "absent\n");
    environment.close().await.unwrap();
}

#[tokio::test]
async fn a_timeout_and_an_interrupt_leave_nothing_in_the_container() {
    let place = Place::new();
    let environment = place.start("timeout").await;
    // The container's own first process is one of them.
    let count = "cat /proc/[0-9]*/comm | grep -cx sleep";
    assert_eq!(output(&environment, count).await, "1");
    let hostile = "trap '' TERM INT; (setsid sleep 1000 &) ; nohup sleep 1000 & sleep 1000 & wait; sleep 1000";
    let command = CommandText { timeout: Some(Duration::from_millis(500)), ..CommandText::new(hostile) };
    let began = Instant::now();
    let result = try_run(&environment, &turn(), command, &mut |_| ()).await.unwrap();
    assert_eq!((result.exit_code, result.end), (124, CommandEnd::TimedOut));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(output(&environment, count).await, "1");
    let turn = turn();
    let cancellation = turn.cancellation().clone();
    let command = CommandText::new("echo started; sleep 1000");
    let interrupted = try_run(&environment, &turn, command, &mut |_| cancellation.cancel()).await.unwrap();
    assert_eq!(interrupted.end, CommandEnd::Interrupted);
    assert_eq!(output(&environment, count).await, "1");
    environment.close().await.unwrap();
}

#[tokio::test]
async fn files_of_the_container_are_read_beside_the_commands() {
    let place = Place::new();
    let environment = place.start("files").await;
    output(&environment, "printf 'one\\ntwo\\n' > /etc/only-inside").await;
    let request = ReadFile { path: "/etc/only-inside".to_owned(), offset: 1, limit: 10 };
    let turn = turn();
    let permit = permit(&turn, &environment.place(), FileRequest::Read(request));
    let answer = environment.file(&turn, permit).await.unwrap();
    assert!(format!("{answer:?}").contains("two"), "{answer:?}");
    environment.close().await.unwrap();
}

#[tokio::test]
async fn a_file_from_outside_is_put_where_the_commands_of_the_container_are() {
    let place = Place::new();
    let (environment, turn) = (place.start("put").await, turn());
    let name = "../../etc/$(id) x.txt".to_owned();
    let request = PutFile { name, size: 5, offset: 0, bytes: "d29yZHM=".to_owned() };
    let permit = permit(&turn, &environment.place(), FileRequest::Put(request));
    let answer = environment.file(&turn, permit).await.unwrap();
    let FileAnswer::Put { path, size: 5 } = answer else { panic!("{answer:?}") };
    assert_eq!(output(&environment, &format!("stat -c %a {path}; cat {path}")).await.trim(), "600\nwords");
    environment.close().await.unwrap();
}

/// The permit is the session's, not the executor's: a linked command is redeemed, recorded and fed like any other.
#[tokio::test]
async fn a_command_in_a_container_is_recorded_and_fed_and_its_place_moves() {
    let place = Place::new();
    let (environment, permits, turn) = (place.start("recorded").await, Permits::new(), turn());
    let command = CommandText { first_input: Some(Secret::new("hunter2\n")), ..CommandText::new("cd /usr; cat") };
    let permit = permits.of(&turn, &environment.place(), command);
    let (begun, _) = environment.begin(&turn, permit, Stdin::Closed).await.unwrap();
    let Begun::Running(running) = begun else { panic!("there is an executor: {begun:?}") };
    assert_eq!(running.finish(&turn, &mut |_| ()).await.unwrap().output, "hunter2\n");
    assert_eq!(permits.journal.ends(), ["exit 0"]);
    assert_eq!(environment.place().context.folder.as_deref(), Some("/usr"));
    let other = place.start("recorded").await;
    let foreign = permits.of(&turn, &other.place(), CommandText::new("true"));
    assert!(matches!(environment.run(&turn, foreign, &mut |_| ()).await, Err(DockerError::Permit(_))));
    assert_eq!(permits.journal.starts(), 1);
    other.close().await.unwrap();
    environment.close().await.unwrap();
}

#[tokio::test]
async fn without_persistence_nothing_stays() {
    let mut place = Place::new();
    place.terminal.docker_persist_across_processes = false;
    place.terminal.container_persistent = false;
    let environment = place.start("temporary").await;
    assert_eq!(output(&environment, "echo x > /workspace/x; stat -f -c %T /workspace").await, "tmpfs");
    environment.close().await.unwrap();
    assert_eq!(place.containers(), Vec::<String>::new());
    let sandboxes = place.home().path().join("sandboxes/docker");
    assert_eq!(std::fs::read_dir(sandboxes).unwrap().count(), 0);
}

/// A future that is dropped in the middle does not leave a container running.
#[tokio::test]
async fn a_start_that_is_given_up_is_cleaned_up() {
    let mut place = Place::new();
    place.terminal.docker_persist_across_processes = false;
    let environment = place.start("dropped").await;
    let id = environment.container_id().await.unwrap();
    drop(environment);
    let gone = quiet_wait(&id);
    assert!(gone, "{id} is still there");
}

/// Waits for the engine to say that a container has been removed.
fn quiet_wait(id: &str) -> bool {
    // `docker wait` returns when it has stopped; it is removed a moment later.
    super::support::docker(&["wait", "--condition", "removed", id]);
    let deadline = Instant::now() + Duration::from_secs(30);
    while Instant::now() < deadline {
        if !super::support::docker(&["inspect", id]).status.success() {
            return true;
        }
    }
    false
}
