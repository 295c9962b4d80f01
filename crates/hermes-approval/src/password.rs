//! The password for sudo: where it comes from, and to whom it never goes.
//!
//! It is put on the input of one command and nowhere else: not into an argument, an environment, a log or the record. A
//! password that somebody typed is this session's and dies with it; a delegated task never gets it.

use std::time::Duration;

use hermes_policy::sudo::with_password_on_stdin;
use hermes_policy::{Context, Isolation};
use hermes_proto::Secret;
use hermes_proto::consent::SecretRequest;
use hermes_proto::turn::{Origin, Surface, TurnContext};

use crate::guard::Guard;
use crate::place::Place;

/// How long somebody has to type it.
const PATIENCE: Duration = Duration::from_secs(45);

/// A text whose sudos read the password, and the lines that they read.
#[derive(Debug)]
pub(crate) struct Fed {
    pub(crate) text: String,
    pub(crate) lines: Secret,
}

/// Whether a password has any business there. In a container commands are root, or an account that no password of the host
/// fits: sudo would not read the line, and what it runs would, so that `sudo cat` showed it.
pub(crate) fn may_go_to(place: &Place) -> bool {
    match place.isolation {
        Isolation::Container | Isolation::ContainerWithHostMount => false,
        Isolation::Sandbox | Isolation::None => true,
    }
}

/// The text with the password for it, if it uses sudo and there is one. Without, sudo fails by itself.
pub(crate) async fn feed(guard: &Guard, turn: &TurnContext, text: &str, context: &Context) -> Option<Fed> {
    let rewritten = with_password_on_stdin(text, context)?;
    let password = password(guard, turn).await?;
    let lines = Secret::new(format!("{}\n", password.expose()).repeat(rewritten.prompts));
    Some(Fed { text: rewritten.text, lines })
}

async fn password(guard: &Guard, turn: &TurnContext) -> Option<Secret> {
    if let Some(configured) = guard.configured_password() {
        return Some(configured.clone());
    }
    if turn.origin() == Origin::Delegated {
        return None;
    }
    let session = turn.session();
    let known =
        session.as_ref().and_then(|session| guard.sessions().read(session, |held| held.password.clone())).flatten();
    if known.is_some() {
        return known;
    }
    let typed = ask(turn).await?;
    if let Some(session) = &session {
        guard.sessions().change(session, |held| held.password = Some(typed.clone()));
    }
    Some(typed)
}

/// Asks the person of this turn; only a terminal can hide what is typed.
async fn ask(turn: &TurnContext) -> Option<Secret> {
    match turn.surface() {
        Surface::Interactive => {}
        Surface::Gateway
        | Surface::Ask
        | Surface::Cron
        | Surface::SingleQuery
        | Surface::Unattended
        | Surface::Headless => return None,
    }
    let request = SecretRequest { purpose: "password for sudo".to_owned(), patience: PATIENCE };
    let typed = tokio::select! {
        biased;
        () = turn.cancellation().cancelled() => None,
        typed = turn.approver().ask_secret(&request) => typed,
        () = tokio::time::sleep(PATIENCE) => None,
    };
    // A line end inside would be read as the next command's input.
    typed.filter(|typed| !typed.expose().contains(['\n', '\r', '\0']))
}
