//! A command that has been started, up to its result.

use std::time::Instant;

use hermes_approval::Ticket;
use hermes_proto::executor::{Answer, CommandResult, CommandText, INITIAL_WINDOW, Request, RunCommand, Stdin};
use hermes_proto::turn::TurnContext;

use crate::link::{Event, Input, Link, LinkError, Pending};
use crate::outcome;
use crate::session_folder::SessionFolder;

/// A started command. Dropped, it is given up, and everything it started ends.
#[derive(Debug)]
pub struct RunningCommand {
    pending: Pending,
    record: Option<Record>,
}

/// What is noted when it ends.
#[derive(Debug)]
struct Record {
    ticket: Ticket,
    folder: SessionFolder,
}

impl RunningCommand {
    /// One whose end is recorded here.
    pub(crate) fn recorded(pending: Pending, ticket: Ticket, folder: SessionFolder) -> Self {
        Self { pending, record: Some(Record { ticket, folder }) }
    }

    /// One that another process permits and records.
    pub(crate) fn elsewhere(pending: Pending) -> Self {
        Self { pending, record: None }
    }

    /// The same, for a session whose folder is kept in another place.
    pub(crate) fn moving(mut self, folder: SessionFolder) -> Self {
        self.record = self.record.map(|record| Record { folder, ..record });
        self
    }

    /// Its input.
    pub fn input(&self) -> Input {
        self.pending.input()
    }

    /// What it does next: output as it comes, then its answer. Output that is not taken stops the
    /// command after a while. Safe to be dropped while waiting.
    pub async fn next(&mut self) -> Result<Event, LinkError> {
        self.step(Ticket::ended).await
    }

    async fn step(&mut self, record: fn(Ticket, String)) -> Result<Event, LinkError> {
        match self.pending.next().await {
            Ok(Event::Output(bytes)) => Ok(Event::Output(bytes)),
            Ok(Event::Answer(answer)) => {
                let answer = self.ended(Ok(*answer), record)?;
                Ok(Event::Answer(Box::new(answer)))
            }
            Err(error) => self.ended(Err(error), record).map(|answer| Event::Answer(Box::new(answer))),
        }
    }

    /// Asks for its end; the answer still comes.
    pub fn interrupt(&self) {
        self.pending.cancel();
    }

    /// Waits for its end, which goes on record with the turn's next entry. A cancelled turn interrupts it; the result still comes, with what
    /// was printed until then.
    pub async fn finish(
        mut self,
        turn: &TurnContext,
        output: &mut impl FnMut(&[u8]),
    ) -> Result<CommandResult, LinkError> {
        let mut is_cancelled = false;
        loop {
            let event = tokio::select! {
                event = self.step(Ticket::ended_in_turn) => event?,
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

    fn ended(&mut self, answer: Result<Answer, LinkError>, record: fn(Ticket, String)) -> Result<Answer, LinkError> {
        if let Some(Record { ticket, folder }) = self.record.take() {
            if let Ok(Answer::Command(result)) = &answer {
                folder.moved(&result.working_directory);
            }
            record(ticket, outcome::of_answer(&answer));
        }
        answer
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

/// Sends a command and, before anything else can be, its first input.
pub(crate) fn begin(
    link: &Link,
    turn: &TurnContext,
    mut command: CommandText,
    environment: Vec<(String, String)>,
    stdin: Stdin,
) -> Result<Pending, LinkError> {
    let Some(first) = command.first_input.take() else {
        return link.request(turn, &request(command, turn, environment, stdin));
    };
    let bytes = first.expose().as_bytes();
    // It is sent without waiting for credit, and a fresh request has that of one window.
    if bytes.len() > INITIAL_WINDOW as usize {
        return Err(LinkError::FirstInputTooLong { bytes: bytes.len() });
    }
    let pending = link.request(turn, &request(command, turn, environment, Stdin::Streamed))?;
    let input = pending.input();
    input.send_first(bytes);
    if stdin == Stdin::Closed {
        input.finish();
    }
    Ok(pending)
}

/// The request for a command in this turn, whose deadline it keeps.
fn request(command: CommandText, turn: &TurnContext, environment: Vec<(String, String)>, stdin: Stdin) -> Request {
    let until_deadline = turn.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let timeout = command.timeout.into_iter().chain(until_deadline).min();
    Request::Run(RunCommand {
        command: command.text,
        environment,
        working_directory: command.working_directory,
        timeout_ms: timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
        stdin,
        streams_output: true,
        limits: command.limits,
    })
}
