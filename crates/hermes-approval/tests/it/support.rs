//! A journal that remembers, an approver that does what it is told, and turns of every kind.

use std::path::Path;
use std::sync::{Arc, Mutex};

use hermes_approval::{
    Entry, Guard, GuardParts, GuardSettings, Journal, JournalError, Moment, PermanentGrants, Permit, Place, PlaceId,
    Refusal,
};
use hermes_home::{Asked, Home, HomeRoot};
use hermes_policy::{Context, Isolation};
use hermes_proto::consent::{Approver, Consent, ConsentRequest, PendingConsent, PendingSecret, Reach, SecretRequest};
use hermes_proto::executor::CommandText;
use hermes_proto::session::{SessionKey, SessionVariable};
use hermes_proto::turn::{Delivery, Edge, Hosting, Surface, TurnContext};
use hermes_proto::{HostEnvironment, Secret};

/// Asks; harmless enough to stand in any test.
pub(crate) const FLAGGED: &str = "git push --force";
pub(crate) const RULE: &str = "git-push-force";

/// Keeps what it is given, or takes nothing.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) entries: Mutex<Vec<Entry>>,
    pub(crate) is_broken: bool,
}

impl Memory {
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.entries.lock().unwrap().clone()
    }

    /// One line for each entry.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.entries().iter().map(line).collect()
    }
}

fn line(entry: &Entry) -> String {
    let Entry { surface, place, subject, verdict, rule, .. } = entry;
    let about = format!("{surface}|{place}|{subject}|{verdict}|{rule}");
    match &entry.moment {
        Moment::Requested => format!("requested {about}"),
        Moment::Decided { is_allowed, outcome, by } => format!("decided {is_allowed} {outcome} by {by} {about}"),
        Moment::Started => format!("started {about}"),
        Moment::Ended { outcome } => format!("ended {outcome} {about}"),
        Moment::Answered { outcome, by } => format!("answered {outcome} by {by} {about}"),
    }
}

impl Journal for Memory {
    fn write(&self, entries: &[Entry]) -> Result<(), JournalError> {
        if self.is_broken {
            return Err(JournalError("the disk is full".into()));
        }
        self.entries.lock().unwrap().extend_from_slice(entries);
        Ok(())
    }
}

/// Gives the answers it was told, one after another, and keeps the questions.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    answers: Mutex<Vec<Answer>>,
    pub(crate) asked: Mutex<Vec<ConsentRequest>>,
    pub(crate) secrets: Mutex<Vec<String>>,
    pub(crate) secrets_asked: Mutex<usize>,
}

#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Now(Consent),
    Never,
}

impl Scripted {
    pub(crate) fn says(answers: impl IntoIterator<Item = Consent>) -> Arc<Self> {
        let mut answers: Vec<_> = answers.into_iter().map(Answer::Now).collect();
        answers.reverse();
        Arc::new(Self { answers: answers.into(), ..Self::default() })
    }

    pub(crate) fn silent() -> Arc<Self> {
        Arc::new(Self { answers: vec![Answer::Never].into(), ..Self::default() })
    }

    pub(crate) fn asked(&self) -> Vec<ConsentRequest> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn knows(self: &Arc<Self>, secret: &str) -> Arc<Self> {
        self.secrets.lock().unwrap().push(secret.to_owned());
        self.clone()
    }
}

impl Approver for Scripted {
    fn reach(&self) -> Reach {
        Reach::Person
    }

    fn ask<'a>(&'a self, request: &'a ConsentRequest) -> PendingConsent<'a> {
        self.asked.lock().unwrap().push(request.clone());
        let answer = self.answers.lock().unwrap().pop().expect("a question that the test did not expect");
        Box::pin(async move {
            match answer {
                Answer::Now(consent) => consent,
                Answer::Never => std::future::pending().await,
            }
        })
    }

    fn ask_secret<'a>(&'a self, _request: &'a SecretRequest) -> PendingSecret<'a> {
        *self.secrets_asked.lock().unwrap() += 1;
        let secret = self.secrets.lock().unwrap().pop().map(Secret::new);
        Box::pin(std::future::ready(secret))
    }
}

pub(crate) fn key(text: &str) -> SessionKey {
    text.parse().unwrap()
}

/// A turn of this session.
pub(crate) fn turn_at(edge: Edge, session: &str) -> TurnContext {
    let values = [(SessionVariable::Key, session.to_owned()), (SessionVariable::UserId, "ann".to_owned())];
    TurnContext::arrived(&Hosting::new(), edge).bind(values, Delivery::Unset)
}

pub(crate) fn turn(surface: Surface, approver: &Arc<Scripted>) -> TurnContext {
    turn_at(Edge::new(surface, approver.clone()), "one")
}

pub(crate) fn place(isolation: Isolation) -> Place {
    let context =
        Context { home: Some("/home/ann".to_owned()), folder: Some("/home/ann/work".to_owned()), ..Context::default() };
    Place { id: PlaceId::unique(), name: "here".to_owned(), isolation, context }
}

/// A guard, what it has recorded, and where it looks.
pub(crate) struct Bench {
    pub(crate) guard: Guard,
    pub(crate) journal: Arc<Memory>,
    pub(crate) place: Place,
}

impl Bench {
    /// Everything as configured by this text.
    pub(crate) fn configured(yaml: &str) -> Self {
        Self::with(settings(yaml), |_| ())
    }

    pub(crate) fn manual() -> Self {
        Self::configured("approvals: {mode: manual}\n")
    }

    pub(crate) fn with(settings: GuardSettings, change: impl FnOnce(&mut GuardParts)) -> Self {
        let journal = Arc::new(Memory::default());
        let mut parts = GuardParts::new(settings, journal.clone(), PermanentGrants::none());
        change(&mut parts);
        Self { guard: Guard::new(parts), journal, place: place(Isolation::Sandbox) }
    }

    pub(crate) async fn permit(&self, turn: &TurnContext, text: &str) -> Result<Permit<CommandText>, Refusal> {
        self.guard.permit(turn, &self.place, CommandText::new(text)).await
    }

    /// One command at a terminal whose person gives this answer.
    pub(crate) async fn answered(&self, consent: Consent, text: &str) -> Result<Permit<CommandText>, Refusal> {
        self.permit(&turn(Surface::Interactive, &Scripted::says([consent])), text).await
    }

    /// One command at a terminal where a question is an error.
    pub(crate) async fn unasked(&self, text: &str) -> Result<Permit<CommandText>, Refusal> {
        self.permit(&turn(Surface::Interactive, &Scripted::says([])), text).await
    }
}

/// A home with this configuration.
pub(crate) fn home_at(folder: &Path, yaml: &str) -> (Home, HostEnvironment) {
    let environment = HostEnvironment::from_pairs([("HERMES_HOME", folder)]);
    let home = HomeRoot::find(&environment).unwrap().select(&Asked::Nothing).unwrap();
    std::fs::write(home.config_path(), yaml).unwrap();
    (home, environment)
}

pub(crate) fn settings(yaml: &str) -> GuardSettings {
    use hermes_home::config::{Overrides, load};
    let folder = tempfile::tempdir().unwrap();
    let (home, environment) = home_at(folder.path(), yaml);
    let loaded = load(&home, &environment, &Overrides::none()).unwrap();
    GuardSettings::configured(&loaded.config, hermes_approval::Yolo::Off)
}
