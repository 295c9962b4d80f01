//! A command that has been started, up to its result.

use hermes_proto::executor::{Answer, CommandResult};
use hermes_proto::turn::TurnContext;

use crate::link::{Event, Input, LinkError, Pending};

/// A started command. Dropped, it is given up, and everything it started ends.
#[derive(Debug)]
pub struct RunningCommand {
    pending: Pending,
}

impl RunningCommand {
    pub fn new(pending: Pending) -> Self {
        Self { pending }
    }

    /// Its input.
    pub fn input(&self) -> Input {
        self.pending.input()
    }

    /// What it does next: output as it comes, then its answer. Output that is not taken stops the
    /// command after a while. Safe to be dropped while waiting.
    pub async fn next(&mut self) -> Result<Event, LinkError> {
        self.pending.next().await
    }

    /// Asks for its end; the answer still comes.
    pub fn interrupt(&self) {
        self.pending.cancel();
    }

    /// Waits for its end. A cancelled turn interrupts it; the result still comes, with what
    /// was printed until then.
    pub async fn finish(
        mut self,
        turn: &TurnContext,
        output: &mut impl FnMut(&[u8]),
    ) -> Result<CommandResult, LinkError> {
        let mut is_cancelled = false;
        loop {
            let event = tokio::select! {
                event = self.pending.next() => event?,
                () = turn.cancellation().cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    self.pending.cancel();
                    continue;
                }
            };
            match event {
                Event::Output(bytes) => output(&bytes),
                Event::Answer(answer) => return command_result(*answer),
            }
        }
    }
}

/// The answer to a command, as one.
pub fn command_result(answer: Answer) -> Result<CommandResult, LinkError> {
    match answer {
        Answer::Command(result) => Ok(result),
        Answer::Failed(failure) => Err(LinkError::Failed(failure)),
        _ => Err(LinkError::WrongAnswer),
    }
}
