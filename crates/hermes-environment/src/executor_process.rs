//! The process at the far end of a local link, from its start to its certain end.
//!
//! An executor that outlives its runtime would hold a workspace, a terminal and whatever its
//! commands do. It ends when its link closes; this side also kills it if it does not.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_sandbox::process;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;

/// How long an executor may take to end what it started after its link has closed.
const GRACE: Duration = Duration::from_secs(5);
/// How much of what it says on standard error is kept: the end.
const KEPT_COMPLAINTS: usize = 8 * 1024;

/// How an executor is started here: this very program, as `hermes executor`.
#[derive(Debug, Clone)]
pub struct ExecutorProgram {
    pub path: PathBuf,
    pub arguments: Vec<OsString>,
    /// Variables the executor itself needs; commands never see them.
    pub environment: Vec<(OsString, OsString)>,
}

impl ExecutorProgram {
    /// The running binary itself, whatever has become of its file since.
    pub fn own() -> Self {
        Self { path: "/proc/self/exe".into(), arguments: vec!["executor".into()], environment: Vec::new() }
    }
}

/// A started executor.
#[derive(Debug)]
pub(crate) struct ExecutorProcess {
    child: Child,
    complaints: Complaints,
    _reader: JoinSet<()>,
}

/// The two directions of its link.
pub(crate) type Ends = (ChildStdout, ChildStdin);

impl ExecutorProcess {
    pub(crate) fn start(program: &ExecutorProgram) -> std::io::Result<(Self, Ends)> {
        // Nothing is asked for that would take a fork: what copies this program's memory map takes longer the larger it is.
        let mut command = process::command(&program.path);
        command.args(&program.arguments).envs(program.environment.iter().cloned());
        // A terminal sends Ctrl-C to a whole group. The runtime decides what it means; an executor that
        // died of it could not say how its command ended.
        command.process_group(0);
        let mut command = Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let (Some(input), Some(output), Some(errors)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(std::io::Error::other("its standard streams are missing"));
        };
        let complaints = Complaints::default();
        let mut reader = JoinSet::new();
        reader.spawn(complaints.clone().collect(errors));
        Ok((Self { child, complaints, _reader: reader }, (output, input)))
    }

    /// Waits for its end after the link was closed; kills it when it takes too long.
    pub(crate) async fn finish(mut self) -> std::io::Result<()> {
        match tokio::time::timeout(GRACE, self.child.wait()).await {
            Ok(ended) => ended.map(drop),
            Err(_) => self.child.kill().await,
        }
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// What it last said on standard error.
    pub(crate) fn complaints(&self) -> String {
        self.complaints.text()
    }
}

/// The last words of an executor.
#[derive(Debug, Clone, Default)]
struct Complaints(Arc<Mutex<Vec<u8>>>);

impl Complaints {
    async fn collect(self, mut errors: ChildStderr) {
        self.read(&mut errors).await;
    }

    async fn read(&self, errors: &mut (impl AsyncRead + Unpin)) {
        let mut piece = [0; 1024];
        while let Ok(length @ 1..) = errors.read(&mut piece).await {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(&piece[..length]);
            let excess = kept.len().saturating_sub(KEPT_COMPLAINTS);
            kept.drain(..excess);
        }
    }

    fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{Complaints, KEPT_COMPLAINTS};

    #[tokio::test]
    async fn only_the_end_of_a_long_complaint_is_kept() {
        let complaints = Complaints::default();
        let text = format!("{}the reason\n", "x".repeat(10 * KEPT_COMPLAINTS));
        complaints.read(&mut text.as_bytes()).await;
        assert!(complaints.text().ends_with("the reason"));
        assert!(complaints.text().len() <= KEPT_COMPLAINTS);
    }
}
