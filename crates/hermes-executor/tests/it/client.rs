//! A small runtime: starts an executor, asks, and waits for answers.
//!
//! Every wait has an end: a test that would hang fails instead. Every process that a test's
//! commands start carries a mark in its environment, by which leftovers are found.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use hermes_proto::executor::{
    Answer, CommandResult, Frame, FrameDecoder, FrameKind, JobNotice, LinkEnd, MessageAssembler, Open, OutputLimits,
    PREAMBLE_LENGTH, Ready, Request, RequestFailure, RequestId, RunCommand, StartJob, Started, Stdin, encode_message,
    preamble,
};
use hermes_sandbox::process::command;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

/// Longer than anything takes, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(60);
const MARK: &str = "HERMES_TEST_MARK";

pub(crate) struct Client {
    child: Child,
    input: Option<File>,
    output: File,
    decoder: FrameDecoder,
    assembler: MessageAssembler,
    waiting: VecDeque<Frame>,
    next: u32,
    mark: String,
    pub(crate) ready: Option<Ready>,
}

pub(crate) fn open(directory: &str) -> Open<String> {
    Open {
        build: "test".to_owned(),
        confinement: None,
        working_directory: directory.to_owned(),
        keeps_own_environment: false,
        spill_folder: None,
    }
}

pub(crate) fn run_command(text: &str) -> RunCommand {
    RunCommand {
        command: text.to_owned(),
        environment: vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())],
        working_directory: None,
        timeout_ms: None,
        stdin: Stdin::Closed,
        streams_output: false,
        limits: OutputLimits::default(),
    }
}

impl Client {
    /// An executor that was not spoken to yet.
    pub(crate) fn silent() -> Self {
        let mut child = command(env!("CARGO_BIN_EXE_executor-under-test"))
            .env("OWN_VARIABLE", "own")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = File::from(OwnedFd::from(child.stdin.take().unwrap()));
        let output = File::from(OwnedFd::from(child.stdout.take().unwrap()));
        let mark = format!("{}-{}", child.id(), Instant::now().elapsed().as_nanos());
        Self {
            child,
            input: Some(input),
            output,
            decoder: FrameDecoder::default(),
            assembler: MessageAssembler::default(),
            waiting: VecDeque::new(),
            next: 1,
            mark,
            ready: None,
        }
    }

    pub(crate) fn start() -> Self {
        Self::open(&open("/"))
    }

    pub(crate) fn open(open: &Open<String>) -> Self {
        let mut client = Self::silent();
        match client.shake_hands(&preamble(), &serde_json::to_string(open).unwrap()) {
            Started::Ready(ready) => client.ready = Some(ready),
            Started::Refused(refused) => panic!("{}", refused.reason),
        }
        client
    }

    /// One for which a shell waits, as after two commands that might have used one; and its number.
    pub(crate) fn with_waiting_shell(directory: &str) -> (Self, String) {
        let mut client = Self::open(&open(directory));
        client.output("true");
        assert_eq!(client.waiting_shell(), None, "who has run one command may not run another");
        client.output("true");
        let number = client.await_waiting_shell();
        (client, number)
    }

    /// Sends a beginning of a link, whatever it is worth, and reads the answer.
    pub(crate) fn shake_hands(&mut self, first: &[u8], open: &str) -> Started {
        self.send_bytes(first);
        self.send(&Frame::new(FrameKind::Handshake, RequestId::LINK, open));
        self.read_start()
    }

    pub(crate) fn read_start(&mut self) -> Started {
        let mut first = [0; PREAMBLE_LENGTH];
        self.wait_readable();
        self.output.read_exact(&mut first).unwrap();
        assert_eq!(first, preamble());
        let frame = self.frame().expect("an answer to the handshake");
        assert_eq!(frame.kind, FrameKind::Handshake);
        serde_json::from_slice(&frame.payload).unwrap()
    }

    /// Sends bytes. An executor that is gone takes none.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes);
        }
    }

    pub(crate) fn send(&mut self, frame: &Frame) {
        let mut bytes = Vec::new();
        frame.encode(&mut bytes);
        self.send_bytes(&bytes);
    }

    /// Sends a request and returns its number.
    pub(crate) fn ask(&mut self, request: &Request) -> RequestId {
        let id = RequestId(self.next);
        self.next += 1;
        for frame in encode_message(FrameKind::Request, id, &serde_json::to_vec(request).unwrap()) {
            self.send(&frame);
        }
        id
    }

    pub(crate) fn ask_run(&mut self, mut command: RunCommand) -> RequestId {
        command.environment.push((MARK.to_owned(), self.mark.clone()));
        self.ask(&Request::Run(command))
    }

    /// The next frame; `None` when the executor closed the link.
    pub(crate) fn frame(&mut self) -> Option<Frame> {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            while let Some(frame) = self.decoder.next_frame().unwrap() {
                if let Some(frame) = self.assembler.take(frame).unwrap() {
                    return Some(frame);
                }
            }
            self.wait_readable();
            match self.output.read(&mut buffer).unwrap() {
                0 => return None,
                length => self.decoder.extend(&buffer[..length]),
            }
        }
    }

    fn wait_readable(&self) {
        assert!(wait_for(&self.output, PATIENCE), "the executor says nothing");
    }

    /// The next frame that is wanted. Others wait for whoever wants them.
    pub(crate) fn frame_where(&mut self, wanted: impl Fn(&Frame) -> bool) -> Option<Frame> {
        if let Some(index) = self.waiting.iter().position(&wanted) {
            return self.waiting.remove(index);
        }
        loop {
            let frame = self.frame()?;
            if wanted(&frame) {
                return Some(frame);
            }
            self.waiting.push_back(frame);
        }
    }

    pub(crate) fn answer(&mut self, id: RequestId) -> Answer {
        let frame = self.frame_where(|frame| frame.kind == FrameKind::Result && frame.request == id);
        serde_json::from_slice(&frame.expect("an answer").payload).unwrap()
    }

    pub(crate) fn result(&mut self, id: RequestId) -> CommandResult {
        match self.answer(id) {
            Answer::Command(result) => result,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn failure(&mut self, id: RequestId) -> RequestFailure {
        match self.answer(id) {
            Answer::Failed(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn notice(&mut self) -> JobNotice {
        let frame = self.frame_where(|frame| frame.kind == FrameKind::Notice).expect("a notice");
        serde_json::from_slice(&frame.payload).unwrap()
    }

    /// Output of this request that is there, or comes, until its text is long enough.
    pub(crate) fn streamed(&mut self, id: RequestId, enough: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < enough {
            let frame = self.frame_where(|frame| frame.kind == FrameKind::Data && frame.request == id);
            bytes.extend_from_slice(&frame.expect("output").payload);
        }
        bytes
    }

    pub(crate) fn run(&mut self, text: &str) -> CommandResult {
        self.run_with(run_command(text))
    }

    pub(crate) fn run_with(&mut self, command: RunCommand) -> CommandResult {
        let id = self.ask_run(command);
        self.result(id)
    }

    /// The output of a command that must succeed.
    pub(crate) fn output(&mut self, text: &str) -> String {
        let result = self.run(text);
        assert_eq!(result.exit_code, 0, "{text}: {result:?}");
        result.output
    }

    /// Why the executor ended the link, all other frames passed over.
    pub(crate) fn end_reason(&mut self) -> Option<String> {
        let end = self.frame_where(|frame| frame.kind == FrameKind::End)?;
        Some(serde_json::from_slice::<LinkEnd>(&end.payload).unwrap().reason)
    }

    /// Whatever the executor says, until it closes the link.
    pub(crate) fn frame_or_garbage(&mut self) -> Option<usize> {
        self.wait_readable();
        let mut buffer = [0; 4096];
        Some(self.output.read(&mut buffer).unwrap()).filter(|length| *length > 0)
    }

    /// Frames that are here or come while one more command runs, and that nobody asked for.
    pub(crate) fn frames_waiting(&mut self) -> Vec<Frame> {
        self.output("true");
        self.waiting.iter().cloned().collect()
    }

    /// What every process of this test carries.
    pub(crate) fn mark(&self) -> (String, String) {
        (MARK.to_owned(), self.mark.clone())
    }

    /// Puts this test's mark on a job.
    pub(crate) fn marked(&self, mut job: StartJob) -> StartJob {
        job.environment.push((MARK.to_owned(), self.mark.clone()));
        job
    }

    /// Waits until the executor closes its side of the link.
    pub(crate) fn await_link_end(&mut self) {
        while self.frame_or_garbage().is_some() {}
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the link and waits for the executor's end.
    pub(crate) fn close(&mut self) -> Option<i32> {
        self.input = None;
        self.await_end()
    }

    pub(crate) fn await_end(&mut self) -> Option<i32> {
        let pidfd = pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty()).unwrap();
        assert!(wait_for(&pidfd, PATIENCE), "the executor does not end");
        self.child.wait().unwrap().code()
    }

    pub(crate) fn kill_executor(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::KILL).unwrap();
        self.await_end();
    }

    /// Processes of this test's commands that still run, by their mark. Forks that have not become a
    /// program carry the executor's environment and are found by their parent's death. The shell that
    /// waits for the next command is none of them.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        self.processes().into_iter().filter(|process| !is_waiting(process)).collect()
    }

    /// The shell that waits for the next command.
    pub(crate) fn waiting_shell(&self) -> Option<String> {
        let waiting = self.processes().into_iter().find(|process| is_waiting(process))?;
        Some(number_of(&waiting).to_owned())
    }

    /// The same, once it is there. It is nobody's news: it is looked for.
    pub(crate) fn await_waiting_shell(&self) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(number) = self.waiting_shell() {
                return number;
            }
            assert!(Instant::now() < deadline, "no shell waits for the next command");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn processes(&self) -> Vec<String> {
        let mark = format!("{MARK}={}", self.mark);
        let processes = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        });
        processes
            .map(|entry| {
                let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                format!("{} {}", entry.file_name().display(), String::from_utf8_lossy(&line).replace('\0', " "))
            })
            .collect()
    }

    /// Waits until nothing of this test runs any more.
    pub(crate) fn assert_nothing_left(&self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let leftovers = self.processes();
            let Some(first) = leftovers.first() else { return };
            let number = number_of(first).parse().unwrap();
            // Each one's end is an event; only which one comes first is not known.
            if let Ok(pidfd) = pidfd_open(Pid::from_raw(number).unwrap(), PidfdFlags::empty()) {
                let left = deadline.saturating_duration_since(Instant::now());
                assert!(wait_for(&pidfd, left), "left behind: {leftovers:?}");
            }
        }
    }

    /// The answer to one request, while another one floods: its frames are passed over.
    pub(crate) fn passing(&mut self, id: RequestId, flood: RequestId) -> CommandResult {
        loop {
            let frame = match self.waiting.pop_front() {
                Some(frame) => frame,
                None => self.frame().expect("an answer"),
            };
            if frame.kind == FrameKind::Data && frame.request == flood {
                continue;
            }
            if frame.kind == FrameKind::Result && frame.request == id {
                match serde_json::from_slice(&frame.payload).unwrap() {
                    Answer::Command(result) => return result,
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    pub(crate) fn raw_output(&self) -> &File {
        &self.output
    }

    /// Closes the side that the executor writes to.
    pub(crate) fn stop_reading(&mut self) {
        self.output = File::open("/dev/null").unwrap();
    }

    /// The most memory the executor ever had, in KiB.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Memory that is the executor's alone, in KiB. Clean pages are those of the program's file, which
    /// count as private whenever no other executor happens to run.
    pub(crate) fn private_memory(&self) -> u64 {
        let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.child.id())).unwrap();
        let line = rollup.lines().find_map(|line| line.strip_prefix("Private_Dirty:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Client {
    /// A failed test leaves nothing behind either: the executor's end is everything's end.
    fn drop(&mut self) {
        self.input = None;
        let pidfd = pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty());
        if !pidfd.is_ok_and(|pidfd| wait_for(&pidfd, Duration::from_secs(10))) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Of a line that begins with it.
fn number_of(process: &str) -> &str {
    process.split(' ').next().unwrap()
}

/// A shell that reads its command from elsewhere and still has that open; one that is over has closed its outputs.
fn is_waiting(process: &str) -> bool {
    let has = |descriptor: u32| fs::exists(format!("/proc/{}/fd/{descriptor}", number_of(process))).unwrap_or(false);
    process.contains(" -u 251 ") && has(251) && has(1)
}

/// Whether something is to be read there within this time.
pub(crate) fn wait_for(descriptor: &impl AsFd, time: Duration) -> bool {
    let timeout = Timespec::try_from(time).unwrap();
    poll(&mut [PollFd::new(descriptor, PollFlags::IN)], Some(&timeout)).unwrap() > 0
}

/// Waits until a process is gone that is not a child of the test.
pub(crate) fn await_process_end(number: &str) {
    let number = number.trim().parse().unwrap();
    if let Ok(pidfd) = pidfd_open(Pid::from_raw(number).unwrap(), PidfdFlags::empty()) {
        assert!(wait_for(&pidfd, PATIENCE), "process {number} is still running");
    }
}
