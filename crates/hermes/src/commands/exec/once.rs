//! One command in an environment of its own.

use std::io::Write;
use std::sync::Arc;

use hermes_environment::{Environment, RunningCommand};
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::executor::{CommandEnd, CommandResult, LayerState, Stdin};
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Delivery, Edge, Hosting, Surface, TurnContext};
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::task::JoinSet;

use super::{Answer, Exec, signals};
use crate::commands::local;
use crate::context::Context;
use crate::exit::Failure;

pub(super) async fn run(exec: &Exec, context: &mut Context) -> Result<(), Failure> {
    let (environment, default_timeout) = local::start(context).await?;
    tell_isolation(&environment, context);
    let turn = turn_of(exec);
    let _signals = signals::cancel_on(turn.cancellation().clone())?;
    let running = environment.begin(&turn, exec.command(default_timeout), exec.stdin)?;
    let _input = exec.stdin.eq(&Stdin::Streamed).then(|| pass_input(&running));
    let mut shown = Shown { context, turn: &turn, answer: exec.answer, failure: None };
    let result = running.finish(&turn, &mut |bytes| shown.output(bytes)).await;
    let failure = shown.failure.take();
    environment.close().await?;
    failure.map_or(Ok(()), Err)?;
    finish(&result?, exec.answer, context)
}

/// A turn of nobody's: a one-shot command line passes on what it was started with.
fn turn_of(exec: &Exec) -> TurnContext {
    let turn = TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Headless, Arc::new(NobodyToAsk)));
    match &exec.session {
        Some(key) => turn.bind([(SessionVariable::Key, key.clone())], Delivery::Unsupported),
        None => turn,
    }
}

/// Says once what does not keep the command in.
fn tell_isolation(environment: &Environment, context: &Context) {
    let isolation = environment.isolation();
    if isolation.layers.iter().all(|layer| layer.state == LayerState::Off) {
        context.note("warning: commands are not confined (terminal.sandbox is off)");
    }
    for (layer, reason) in isolation.missing() {
        context.note(format_args!("note: no {layer}: {reason}"));
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
struct Shown<'a> {
    context: &'a mut Context,
    turn: &'a TurnContext,
    answer: Answer,
    failure: Option<Failure>,
}

impl Shown<'_> {
    fn output(&mut self, bytes: &[u8]) {
        if self.answer == Answer::Json || self.failure.is_some() {
            return;
        }
        let out = self.context.output();
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            // Nobody reads what it prints: end it.
            self.failure = Some(Failure::output(&error));
            self.turn.cancellation().cancel();
        }
    }
}

fn finish(result: &CommandResult, answer: Answer, context: &mut Context) -> Result<(), Failure> {
    for note in &result.notes {
        context.note(format_args!("note: {note}"));
    }
    if answer == Answer::Json {
        context.line(json!(result))?;
    } else {
        match result.end {
            CommandEnd::TimedOut => context.note(format_args!("timed out after {} ms", result.duration_ms)),
            CommandEnd::Interrupted => context.note("interrupted"),
            CommandEnd::Exited | CommandEnd::Signalled { .. } => {}
        }
    }
    match u8::try_from(result.exit_code) {
        Ok(0) => Ok(()),
        Ok(code) => Err(Failure::Code(code)),
        Err(_) => Err(Failure::Code(1)),
    }
}
