//! One `docker exec` per command, where the executor cannot run in the image.
//!
//! Slow, and without a shell that remembers; but bounded like everything else. Killing the
//! client leaves the command running in the container, so its process group is noted there
//! and killed by a second `docker exec`.

use std::process::Stdio;
use std::time::{Duration, Instant};

use hermes_proto::Secret;
use hermes_proto::executor::{CommandEnd, CommandResult};
use hermes_proto::turn::TurnContext;
use hermes_sandbox::process;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdout, Command};
use tokio::task::spawn_blocking;

use super::binary::Client;
use super::digest::hexadecimal;
use super::error::DockerError;
use super::executor_link::says_gone;
use super::kept_output::KeptOutput;
use super::variables::ContainerVariables;
use crate::CommandText;
use crate::environment::TurnVariables;
use crate::redeemed::Redeemed;

/// Said with every result.
const NOTE: &str =
    "the executor cannot run in this container: each command is a docker exec of its own and remembers nothing";
/// For the second `docker exec`.
const KILL: Duration = Duration::from_secs(10);
const LONGEST_COMPLAINT: u64 = 4096;
/// Runs `$2` in bash, or else in sh, and notes its process group in `$1` meanwhile.
const SCRIPT: &str = r#"exec 2>&1; echo $$ >"$1"; trap 'rm -f "$1"' EXIT
if command -v bash >/dev/null; then bash -c "$2"; else sh -c "$2"; fi"#;
/// `docker exec` makes every command the leader of its own session and group.
const KILL_SCRIPT: &str = r#"kill -s KILL -- "-$(cat "$1")"; rm -f "$1""#;

/// A container whose commands are started one by one.
#[derive(Debug, Clone)]
pub(super) struct ExecEach {
    pub(super) client: Client,
    pub(super) id: String,
    pub(super) working_directory: String,
    pub(super) variables: ContainerVariables,
}

/// How the waiting for a command ended.
enum Waited {
    Ended(i32),
    TimedOut,
    Interrupted,
}

impl ExecEach {
    /// Runs a command whose permit was redeemed; whoever did that records its end. If the container is
    /// gone, nothing was started, and it can be tried again in another.
    pub(super) async fn run(
        &self,
        turn: &TurnContext,
        redeemed: &Redeemed<CommandText>,
        output: &mut impl FnMut(&[u8]),
    ) -> Result<CommandResult, DockerError> {
        let (began, command) = (Instant::now(), &redeemed.action);
        let directory = command.working_directory.clone().unwrap_or_else(|| self.working_directory.clone());
        let mark = mark();
        let mut child = self.start(turn, &directory, &mark, command)?;
        feed(&mut child, command.first_input.as_ref()).await;
        let until_deadline = turn.deadline().map(|deadline| deadline.saturating_duration_since(began));
        let limit = command.timeout.into_iter().chain(until_deadline).min();
        let mut kept = KeptOutput::new(command.limits.returned_characters);
        let waited = wait(&mut child, turn, limit, &mut |bytes| {
            kept.push(bytes);
            output(bytes);
        })
        .await?;
        if !matches!(waited, Waited::Ended(_)) {
            self.kill(&mark).await;
            let _ = child.kill().await;
        } else if says_gone(&complaint(&mut child).await) {
            return Err(DockerError::Gone { id: self.id.clone() });
        }
        Ok(result(&waited, kept, directory, began.elapsed()))
    }

    /// Names only on the command line: the values are in the client's own environment.
    fn start(&self, turn: &TurnContext, directory: &str, mark: &str, text: &CommandText) -> Result<Child, DockerError> {
        let variables = self.variables.variables(turn);
        let mut command = process::command(&self.client.program);
        command.arg("exec");
        let stdin = if text.first_input.is_some() { Stdio::piped() } else { Stdio::null() };
        if text.first_input.is_some() {
            command.arg("-i");
        }
        command.args(["-w", directory]);
        for (name, _) in &variables {
            command.args(["-e", name]);
        }
        command.args([self.id.as_str(), "sh", "-c", SCRIPT, "sh", mark, &text.text]);
        command.envs(variables).envs(self.client.environment.iter().cloned()).current_dir("/");
        let mut command = Command::from(command);
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command.spawn().map_err(DockerError::Exec)
    }

    async fn kill(&self, mark: &str) {
        let (client, id, mark) = (self.client.clone(), self.id.clone(), mark.to_owned());
        let kill = move || client.call(KILL, ["exec", &id, "sh", "-c", KILL_SCRIPT, "sh", &mark]);
        if let Ok(Err(error)) = spawn_blocking(kill).await {
            tracing::warn!(%error, "a command may still be running in its container");
        }
    }
}

/// Gives a command its first input, and no other.
async fn feed(child: &mut Child, first: Option<&Secret>) {
    let (Some(first), Some(mut stdin)) = (first, child.stdin.take()) else { return };
    // One that does not read has its reasons; how it ends is what counts.
    let _ = stdin.write_all(first.expose().as_bytes()).await;
}

async fn wait(
    child: &mut Child,
    turn: &TurnContext,
    limit: Option<Duration>,
    output: &mut impl FnMut(&[u8]),
) -> Result<Waited, DockerError> {
    let mut stdout = child.stdout.take();
    let timeout = tokio::time::sleep(limit.unwrap_or(Duration::from_secs(365 * 24 * 60 * 60)));
    tokio::pin!(timeout);
    let mut piece = vec![0; 16 * 1024];
    loop {
        tokio::select! {
            length = read(stdout.as_mut(), &mut piece), if stdout.is_some() => match length {
                Ok(length @ 1..) => output(&piece[..length]),
                _ => stdout = None,
            },
            ended = child.wait(), if stdout.is_none() => {
                return Ok(Waited::Ended(ended.map_err(DockerError::Exec)?.code().unwrap_or(-1)));
            }
            () = &mut timeout => return Ok(Waited::TimedOut),
            () = turn.cancellation().cancelled() => return Ok(Waited::Interrupted),
        }
    }
}

/// What the client itself says: the command's own words go to standard output.
async fn complaint(child: &mut Child) -> String {
    let mut text = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        let _ = stderr.take(LONGEST_COMPLAINT).read_to_end(&mut text).await;
    }
    String::from_utf8_lossy(&text).into_owned()
}

async fn read(stdout: Option<&mut ChildStdout>, piece: &mut [u8]) -> std::io::Result<usize> {
    match stdout {
        Some(stdout) => stdout.read(piece).await,
        None => Ok(0),
    }
}

fn result(waited: &Waited, kept: KeptOutput, directory: String, took: Duration) -> CommandResult {
    let (exit_code, end) = match waited {
        Waited::Ended(code) => (*code, CommandEnd::Exited),
        Waited::TimedOut => (124, CommandEnd::TimedOut),
        Waited::Interrupted => (130, CommandEnd::Interrupted),
    };
    let (output, total_characters, omitted_characters) = kept.finish();
    CommandResult {
        output,
        total_characters,
        omitted_characters,
        spill_path: None,
        exit_code,
        end,
        working_directory: directory,
        notes: vec![NOTE.to_owned()],
        duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
    }
}

/// A file in the container that nobody guesses.
fn mark() -> String {
    let mut random = [0; 8];
    let _ = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    format!("/tmp/.hermes-command-{}", hexadecimal(&random))
}
