//! Background jobs over a real link.

use hermes_proto::executor::{
    Answer, JobAction, JobId, JobRequest, JobSnapshot, JobState, NoticeCause, Request, RequestFailure, StartJob,
};

use super::client::{Client, await_process_end};

fn job(text: &str) -> StartJob {
    StartJob {
        command: text.to_owned(),
        environment: vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())],
        working_directory: None,
        terminal: None,
        notify_on_complete: false,
        watch_patterns: Vec::new(),
        persists: false,
    }
}

impl Client {
    fn start_job(&mut self, job: StartJob) -> JobSnapshot {
        self.job(JobRequest::Start(self.marked(job))).unwrap()
    }

    fn job(&mut self, request: JobRequest) -> Result<JobSnapshot, RequestFailure> {
        let id = self.ask(&Request::Job(request));
        match self.answer(id) {
            Answer::Job(snapshot) => Ok(snapshot),
            Answer::Failed(failure) => Err(failure),
            other => panic!("{other:?}"),
        }
    }

    fn act(&mut self, id: &JobId, action: JobAction) -> JobSnapshot {
        self.job(JobRequest::One { id: id.clone(), action }).unwrap()
    }

    fn wait_job(&mut self, id: &JobId) -> JobSnapshot {
        let snapshot = self.act(id, JobAction::Wait { timeout_ms: 30_000 });
        assert_ne!(snapshot.state, JobState::Running, "{snapshot:?}");
        snapshot
    }
}

#[test]
fn a_job_runs_beside_and_can_be_asked_about() {
    let mut client = Client::start();
    client.output("cd /usr; export A=exported; f() { echo \"from $PWD with $A $PYTHONUNBUFFERED\"; }");
    let started = client.start_job(job("f; read -r line; echo \"got $line\"; exit 3"));
    assert_eq!(started.state, JobState::Running);
    assert!(started.pid.is_some());
    assert!(started.id.as_str().starts_with("proc_") && started.id.as_str().len() == 17, "{}", started.id);
    client.act(&started.id, JobAction::Submit { line: "a line".to_owned() });
    let ended = client.wait_job(&started.id);
    assert_eq!((ended.state, ended.exit_code), (JobState::Exited, Some(3)));
    assert_eq!(ended.output, "from /usr with exported 1\ngot a line\n");
    assert_eq!(client.output("pwd"), "/usr\n", "a job moves nothing");
}

#[test]
fn list_poll_log_write_and_close() {
    let mut client = Client::start();
    let id = client.start_job(job("seq 1000; cat; echo end")).id;
    client.act(&id, JobAction::Write { data: "typed".to_owned() });
    client.act(&id, JobAction::Close);
    let refused = client.job(JobRequest::One { id: id.clone(), action: JobAction::Write { data: "x".to_owned() } });
    assert!(matches!(refused, Err(RequestFailure::JobRefused { .. })), "{refused:?}");
    let ended = client.wait_job(&id);
    assert_eq!(ended.output.chars().count(), 1000, "a preview");
    assert!(ended.output.ends_with("1000\ntypedend\n"));
    assert_eq!(ended.total_characters, 3893 + 9);
    let log = client.act(&id, JobAction::Log { offset: None, lines: 2 });
    assert_eq!(log.output, "1000\ntypedend");
    let log = client.act(&id, JobAction::Log { offset: Some(9), lines: 2 });
    assert_eq!(log.output, "10\n11");
    assert_eq!(client.act(&id, JobAction::Log { offset: None, lines: 0 }).output.lines().count(), 200);
    let number = client.ask(&Request::Job(JobRequest::List));
    match client.answer(number) {
        Answer::Jobs(jobs) => assert_eq!(jobs.iter().map(|job| job.id.clone()).collect::<Vec<_>>(), [id]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_job_that_is_not_is_not_found() {
    let mut client = Client::start();
    let unknown = JobId::from("proc_0123456789ab".to_owned());
    let answer = client.job(JobRequest::One { id: unknown, action: JobAction::Poll });
    assert_eq!(answer, Err(RequestFailure::NoSuchJob { id: "proc_0123456789ab".to_owned() }));
    assert_eq!(client.job(JobRequest::Start(job("a\0b"))), Err(RequestFailure::NulInCommand));
}

#[test]
fn a_job_that_cannot_start_says_so() {
    let mut client = Client::start();
    let mut impossible = job("true");
    impossible.environment.push(("BIG".to_owned(), "x".repeat(200_000)));
    let failed = client.start_job(impossible);
    assert_eq!(failed.state, JobState::FailedStart);
    assert!(failed.notes[0].starts_with("bash cannot be executed"), "{:?}", failed.notes);
}

#[test]
fn the_buffer_rolls() {
    let mut client = Client::start();
    let id = client.start_job(job("seq 100000")).id;
    let ended = client.wait_job(&id);
    assert_eq!((ended.total_characters, ended.dropped_characters), (588_895, 388_895));
    let log = client.act(&id, JobAction::Log { offset: Some(0), lines: 1_000_000 });
    assert!(log.output.ends_with("\n100000") && log.output.len() == 199_999, "{}", log.output.len());
}

#[test]
fn a_wait_ends_with_its_time_or_when_it_is_given_up() {
    use hermes_proto::executor::{Frame, FrameKind};
    let mut client = Client::start();
    let id = client.start_job(job("sleep 300")).id;
    let waited = client.act(&id, JobAction::Wait { timeout_ms: 50 });
    assert_eq!((waited.state, waited.notes), (JobState::Running, vec!["still running".to_owned()]));
    let action = JobAction::Wait { timeout_ms: 600_000 };
    let number = client.ask(&Request::Job(JobRequest::One { id, action }));
    client.send(&Frame::new(FrameKind::Cancel, number, Vec::new()));
    match client.answer(number) {
        Answer::Job(snapshot) => assert!(snapshot.notes[0].contains("given up"), "{:?}", snapshot.notes),
        other => panic!("{other:?}"),
    }
}

#[test]
fn killing_a_job_ends_everything_it_started() {
    let mut client = Client::start();
    let mut wanted = job("trap '' TERM; (setsid sleep 300 &); sleep 300 & echo ready; wait");
    wanted.watch_patterns = vec!["ready".to_owned()];
    let id = client.start_job(wanted).id;
    client.notice();
    let killed = client.act(&id, JobAction::Kill);
    assert_eq!((killed.state, killed.exit_code), (JobState::Killed, Some(137)));
    assert_eq!(client.leftovers(), [""; 0]);
    assert_eq!(client.act(&id, JobAction::Kill).state, JobState::Killed, "again is no harm");
}

#[test]
fn a_job_has_a_terminal_if_it_wants_one() {
    let mut client = Client::start();
    let mut wanted =
        job("tty; stty size; ps -o tty= -p $$ | tr -d ' '; read -r line; echo \"got $line\"; cat; echo end");
    wanted.terminal = Some((30, 120));
    let id = client.start_job(wanted).id;
    client.act(&id, JobAction::Submit { line: "typed".to_owned() });
    client.act(&id, JobAction::Close);
    let ended = client.wait_job(&id);
    let lines: Vec<_> = ended.output.lines().map(str::trim_end).collect();
    let terminal = lines.iter().find_map(|line| line.strip_prefix("/dev/")).unwrap();
    assert!(lines.contains(&terminal), "it is the shell's own terminal: {lines:?}");
    assert!(lines.contains(&"30 120") && lines.contains(&"got typed"), "{lines:?}");
    assert_eq!(lines.last(), Some(&"end"), "{lines:?}");
}

#[test]
fn its_end_is_told_if_wanted() {
    let mut client = Client::start();
    let mut wanted = job("seq 1000; exit 4");
    wanted.notify_on_complete = true;
    wanted.watch_patterns = vec!["1000".to_owned()];
    let started = client.start_job(wanted);
    assert_eq!(started.notes, ["watch patterns are dropped: the job's end is told anyway"]);
    let notice = client.notice();
    assert_eq!((notice.cause, notice.job.exit_code), (NoticeCause::Completed, Some(4)));
    assert_eq!(notice.job.output.chars().count(), 2000);
}

#[test]
fn a_line_that_matches_is_told_once_per_window() {
    let mut client = Client::start();
    let mut wanted = job("echo loading; echo server ready on 80; for n in 1 2 3; do echo ready again; done; read -r _");
    wanted.watch_patterns = vec!["nothing".to_owned(), "ready".to_owned()];
    let id = client.start_job(wanted).id;
    let notice = client.notice();
    let line = "server ready on 80".to_owned();
    assert_eq!(notice.cause, NoticeCause::Matched { pattern: "ready".to_owned(), line });
    client.act(&id, JobAction::Close);
    client.wait_job(&id);
    assert!(client.frames_waiting().is_empty(), "{:?}", client.frames_waiting());
}

#[test]
fn sixty_four_are_tracked_and_a_running_one_is_never_forgotten() {
    let mut client = Client::start();
    let first = client.start_job(job("true")).id;
    client.wait_job(&first);
    let running: Vec<_> = (0..63).map(|_| client.start_job(job("sleep 300")).id).collect();
    let next = client.start_job(job("sleep 300")).id;
    let gone = client.job(JobRequest::One { id: first, action: JobAction::Poll });
    assert!(matches!(gone, Err(RequestFailure::NoSuchJob { .. })), "{gone:?}");
    let refused = client.job(JobRequest::Start(job("true"))).unwrap_err().to_string();
    assert_eq!(refused, "too much is under way: 64 jobs are running; kill one first");
    client.act(&running[7], JobAction::Kill);
    client.start_job(job("true"));
    assert_eq!(client.act(&next, JobAction::Poll).state, JobState::Running);
    assert_eq!(client.close(), Some(0));
    client.assert_nothing_left();
}

#[test]
fn a_job_that_persists_outlives_the_link_and_the_executor_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    let mut client = Client::start();
    client.output(&format!("mkfifo {}", fifo.display()));
    let mut wanted = job(&format!("echo $$ > {0}; read -r _ < {0}; sleep 0.05", fifo.display()));
    wanted.persists = true;
    client.start_job(wanted);
    let shell = client.output(&format!("cat {}", fifo.display()));
    client.start_job(job("sleep 300"));
    client.close_input();
    client.await_link_end();
    assert_eq!(client.leftovers().iter().filter(|line| line.contains("sleep 300")).count(), 0);
    assert!(client.leftovers().iter().any(|line| line.starts_with(shell.trim())), "{:?}", client.leftovers());
    std::fs::write(&fifo, "end\n").unwrap();
    await_process_end(&shell);
    assert_eq!(client.await_end(), Some(0));
    client.assert_nothing_left();
}

#[test]
fn a_job_whose_guard_is_killed_has_ended() {
    let mut client = Client::start();
    let id = client.start_job(job("(setsid sleep 300 &); kill -KILL $PPID; sleep 300")).id;
    let ended = client.wait_job(&id);
    assert_eq!(ended.exit_code, Some(137));
    assert!(ended.notes[0].contains("was killed"), "{:?}", ended.notes);
    client.act(&id, JobAction::Kill);
    assert_eq!(client.leftovers(), [""; 0]);
}
