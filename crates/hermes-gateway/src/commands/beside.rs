//! Commands that must work while a turn is running: they need nothing that the turn holds.

use hermes_approval::{Answer, AnswerError, Answered, Answerer, TypedAnswer, Yolo};
use hermes_proto::consent::Scope;
use hermes_proto::session::SessionKey;

use super::parse::TABLE;
use super::{Command, Switch};
use crate::host::{SessionStatus, Shared};
use crate::{Person, Role};

/// Answers a command that needs no session. `status` is how the conversation stands.
pub(crate) async fn answer_beside(
    shared: &Shared,
    key: &SessionKey,
    person: &Person,
    command: Command,
    status: Option<SessionStatus>,
) -> String {
    match command {
        Command::Help => help(person.role),
        Command::Whoami => who(key, person),
        Command::Status => standing(shared, key, status.as_ref()),
        Command::Yolo(switch) => yolo(shared, key, switch),
        Command::Answer(TypedAnswer::Answer { which, answer }) => {
            let (answer, remark) = narrowed(answer, person.role);
            let by = Answerer { session: key.clone(), person: person.id.to_string() };
            let broker = shared.broker.clone();
            let settled = tokio::task::spawn_blocking(move || broker.answer(&by, &which, &answer)).await;
            told(settled.unwrap_or(Err(AnswerError::NothingPending)), remark)
        }
        _ => String::new(),
    }
}

/// What is allowed for good is allowed to everybody: only administrators can.
fn narrowed(answer: Answer, role: Role) -> (Answer, &'static str) {
    match answer {
        Answer::Approve(Scope::Always) if role < Role::Admin => {
            (Answer::Approve(Scope::Session), " (for this session: only administrators can allow something for good)")
        }
        answer => (answer, ""),
    }
}

fn told(settled: Result<Answered, AnswerError>, remark: &str) -> String {
    match settled {
        Ok(answered) => {
            let outcomes: Vec<_> =
                answered.settled.iter().map(|(id, consent)| format!("{id}: {}", word(consent))).collect();
            format!("{}{remark}", outcomes.join("\n"))
        }
        Err(error) => error.to_string(),
    }
}

pub(crate) fn word(consent: &hermes_proto::consent::Consent) -> String {
    use hermes_proto::consent::Consent;
    match consent {
        Consent::Approved(scope) => format!("approved ({})", scope.name()),
        Consent::Denied { .. } => "denied".to_owned(),
        Consent::TimedOut => "nobody answered in time".to_owned(),
        Consent::Cancelled => "no longer asked".to_owned(),
        Consent::Undeliverable => "could not be asked".to_owned(),
    }
}

fn help(role: Role) -> String {
    let rows = TABLE.iter().filter(|row| row.role <= role);
    rows.map(|row| format!("/{} - {}", row.name, row.about)).collect::<Vec<_>>().join("\n")
}

fn who(key: &SessionKey, person: &Person) -> String {
    let may = match person.role {
        Role::User => "you talk, and decide about your own conversation",
        Role::Admin => "an administrator",
    };
    format!("you: {}\nhere: {may}\nconversation: {key}", person.id)
}

fn standing(shared: &Shared, key: &SessionKey, status: Option<&SessionStatus>) -> String {
    let work = match status {
        Some(SessionStatus { running_seconds: Some(seconds), queued, .. }) => {
            format!("working for {seconds} seconds, {queued} messages wait")
        }
        Some(SessionStatus { queued, .. }) => format!("waiting for its turn, {queued} messages"),
        None => "nothing to do".to_owned(),
    };
    let questions = shared.broker.pending(key).len();
    let asking = if shared.guard.yolo(key) == Yolo::On { "off" } else { "on" };
    let model = shared.agent.models().main.id();
    format!("{work}\nquestions that wait: {questions}\nasking: {asking}\nmodel: {model}\nconversation: {key}")
}

fn yolo(shared: &Shared, key: &SessionKey, switch: Option<Switch>) -> String {
    let wanted = match switch {
        Some(Switch::On) => Yolo::On,
        Some(Switch::Off) => Yolo::Off,
        None if shared.guard.yolo(key) == Yolo::On => Yolo::Off,
        None => Yolo::On,
    };
    shared.guard.set_yolo(key, wanted);
    match wanted {
        Yolo::On => "dangerous commands of this session run without asking; what is refused always stays refused",
        Yolo::Off => "dangerous commands ask first",
    }
    .to_owned()
}
