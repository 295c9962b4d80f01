//! One command, from its start to this program's exit code.

use std::sync::Arc;

use hermes_approval::Yolo;
use hermes_environment::docker::Begun;
use hermes_environment::link::{Event, LinkError};
use hermes_environment::{RunningCommand, command_result};
use hermes_proto::Fault;
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::executor::{CommandEnd, CommandResult, Stdin};
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Delivery, Edge, Hosting, Surface, TurnContext};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::task::JoinSet;

use super::place::{Place, Typed};
use super::print::Printer;
use super::{Answer, Exec, backend, isolation, signals};
use crate::commands::local::Local;
use crate::context::Context;
use crate::exit::Failure;

pub(super) async fn run(exec: &Exec, context: &mut Context) -> Result<(), Failure> {
    let local = Local::of(context)?;
    let config = local.config()?;
    let terminal = &config.terminal;
    let audit = local.audit(&config, &local.store(&config)?);
    let guard = local.guard(&config, Yolo::Off, None, audit);
    let backend = backend(exec.backend, terminal)?;
    let turn = turn_of(exec);
    // Before anything is started: whoever interrupts us means all of it.
    let _signals = signals::cancel_on(turn.cancellation().clone())?;
    let place = Place::find(backend, exec, &local, terminal).await?;
    let isolation = place.isolation().cloned();
    if let Some(isolation) = &isolation {
        isolation::warn_if_off(isolation, context);
        if exec.answer == Answer::Output {
            isolation::tell_missing(isolation, context);
        }
    }
    place.notes().iter().for_each(|note| context.note(format_args!("note: {note}")));
    let mut shown = Shown::new(exec.answer)?;
    let typed = Typed { command: exec.command(terminal), stdin: exec.stdin };
    let result = match place.begin(&turn, &guard, typed).await {
        Err(failure) => {
            // What ended it is worth more than how the rest ends.
            let _ = place.close().await;
            return Err(failure);
        }
        Ok(Begun::Running(running)) => {
            let _input = exec.stdin.eq(&Stdin::Streamed).then(|| pass_input(&running));
            shown.follow(*running, &turn).await.map_err(|error| place.failure(error))
        }
        Ok(Begun::Finished(result)) => {
            shown.output(result.output.clone().into_bytes()).await;
            Ok(*result)
        }
    };
    let missing = isolation.map_or(Value::Array(Vec::new()), |isolation| isolation::missing_as_json(&isolation));
    place.close().await?;
    shown.failure.map_or(Ok(()), Err)?;
    finish(&result?, missing, exec.answer, context)
}

/// A turn of nobody's: a one-shot command line passes on what it was started with.
fn turn_of(exec: &Exec) -> TurnContext {
    let turn = TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Headless, Arc::new(NobodyToAsk)));
    match &exec.session {
        Some(key) => turn.bind([(SessionVariable::Key, key.to_string())], Delivery::Unsupported),
        None => turn,
    }
}

/// Sends this program's standard input to the command.
fn pass_input(running: &RunningCommand) -> JoinSet<()> {
    let input = running.input();
    let mut task = JoinSet::new();
    task.spawn(async move {
        let mut stdin = tokio::io::stdin();
        let mut bytes = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = stdin.read(&mut bytes).await {
            input.send(&bytes[..length]).await;
        }
        input.finish();
    });
    task
}

/// The output as the person sees it.
struct Shown {
    /// `None` when only the result is told.
    printer: Option<Printer>,
    failure: Option<Failure>,
}

impl Shown {
    fn new(answer: Answer) -> Result<Self, Failure> {
        let printer = match answer {
            Answer::Json => None,
            Answer::Output => Some(Printer::new().map_err(|error| {
                Failure::new(Fault::Failed, format_args!("standard output cannot be used: {error}"))
            })?),
        };
        Ok(Self { printer, failure: None })
    }

    /// Prints what comes until the result does. An interrupt ends the command, and does not wait
    /// for a reader that has stopped reading.
    async fn follow(&mut self, mut running: RunningCommand, turn: &TurnContext) -> Result<CommandResult, LinkError> {
        loop {
            tokio::select! {
                event = running.next() => match event? {
                    Event::Answer(answer) => return command_result(*answer),
                    Event::Output(bytes) => tokio::select! {
                        is_wanted = self.output(bytes) => if !is_wanted { break },
                        () = turn.cancellation().cancelled() => break,
                    },
                },
                () = turn.cancellation().cancelled() => break,
            }
        }
        running.interrupt();
        loop {
            if let Event::Answer(answer) = running.next().await? {
                return command_result(*answer);
            }
        }
    }

    /// Prints it; `false` when nobody reads any more.
    async fn output(&mut self, bytes: Vec<u8>) -> bool {
        let Some(printer) = &mut self.printer else { return true };
        match printer.print(bytes).await {
            Ok(()) => true,
            Err(error) => {
                self.failure = Some(Failure::output(&error));
                false
            }
        }
    }
}

fn finish(result: &CommandResult, missing: Value, answer: Answer, context: &mut Context) -> Result<(), Failure> {
    for note in &result.notes {
        context.note(format_args!("note: {note}"));
    }
    match answer {
        Answer::Json => {
            let mut object = json!(result);
            object["isolation_missing"] = missing;
            context.line(object)?;
        }
        Answer::Output => match result.end {
            CommandEnd::TimedOut => context.note(format_args!("timed out after {} ms", result.duration_ms)),
            CommandEnd::Interrupted => context.note("interrupted"),
            CommandEnd::Exited | CommandEnd::Signalled { .. } => {}
        },
    }
    match u8::try_from(result.exit_code) {
        Ok(0) => Ok(()),
        Ok(code) => Err(Failure::Code(code)),
        Err(_) => Err(Failure::Code(1)),
    }
}
