//! The conversation that a terminal talks to: one session of the agent, and what runs beside it.

use std::sync::{Arc, Mutex, PoisonError};

use hermes_agent::{EndReason, Session, TurnError, UserInput};
use hermes_proto::message::ContentPart;
use hermes_proto::{Explain, Fault};
use hermes_terminal::{
    Candidates, Control, Conversation, Ending, Headline, News, Pending, Prompt, Reply, TurnEnd, Watch,
};
use tokio::sync::{Mutex as Held, mpsc};
use tokio::task::JoinSet;

use super::control;
use super::jobs::{self, Following};
use super::turns::Turns;
use crate::commands::compose::Composed;

/// One chat.
#[derive(Debug)]
pub(super) struct Talk {
    pub(super) composed: Composed,
    pub(super) turns: Arc<Turns>,
    /// Turns and controls come one at a time.
    pub(super) session: Held<Option<Session>>,
    /// Messages that are worked on beside the conversation.
    pub(super) beside: Held<JoinSet<()>>,
    pub(super) news: mpsc::Sender<News>,
    headline: Mutex<Headline>,
    following: Mutex<Option<Following>>,
}

impl Talk {
    pub(super) fn new(composed: Composed, session: Session, turns: Turns, news: mpsc::Sender<News>) -> Self {
        let talk = Self {
            composed,
            turns: Arc::new(turns),
            session: Held::new(None),
            beside: Held::new(JoinSet::new()),
            news,
            headline: Mutex::default(),
            following: Mutex::default(),
        };
        talk.shows(&session);
        Self { session: Held::new(Some(session)), ..talk }
    }

    /// The conversation stands here now.
    pub(super) fn shows(&self, session: &Session) {
        let headline = Headline {
            model: session.model().id().to_string(),
            session: session.title().map_or_else(|| session.id().to_string(), str::to_owned),
            place: self.composed.place().to_owned(),
            warning: control::yolo_word(self, session).to_owned(),
        };
        *self.headline.lock().unwrap_or_else(PoisonError::into_inner) = headline;
        let mut following = self.following.lock().unwrap_or_else(PoisonError::into_inner);
        if following.as_ref().is_none_or(|following| following.session != *session.id()) {
            *following = Some(Following::of(session, self.turns.clone(), self.news.clone()));
        }
    }

    /// Ends what runs for the chat; finished when this returns.
    pub(super) async fn close(&self) {
        self.following.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.beside.lock().await.shutdown().await;
        if let Some(session) = self.session.lock().await.take() {
            session.close().await;
        }
    }

    async fn turn(&self, prompt: Prompt, watch: Watch) -> TurnEnd {
        let mut held = self.session.lock().await;
        let Some(session) = held.as_mut() else { return closed() };
        let turn = self.turns.begin(session.id(), watch.cancellation);
        let audience = self.turns.audience(watch.observer);
        self.composed.get_ready(session).await;
        let agent = &self.composed.agent;
        let ended = match prompt {
            Prompt::Say(parts) => agent.turn(session, &turn, input(parts), &audience).await,
            Prompt::Again => agent.retry(session, &turn, &audience).await,
        };
        self.shows(session);
        jobs::list(session.workshop(), session.id(), &self.turns, &self.news).await;
        told(ended, session)
    }
}

impl Conversation for Talk {
    fn send(&self, prompt: Prompt, watch: Watch) -> Pending<'_, TurnEnd> {
        Box::pin(self.turn(prompt, watch))
    }

    fn control(&self, control: Control, watch: Watch) -> Pending<'_, Reply> {
        Box::pin(control::run(self, control, watch))
    }

    fn headline(&self) -> Headline {
        self.headline.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn candidates(&self, of: Candidates) -> Vec<String> {
        match of {
            Candidates::Models => control::model_names(&self.composed),
            Candidates::Sessions => control::session_names(&self.composed.store),
        }
    }
}

pub(super) fn input(parts: Vec<ContentPart>) -> UserInput {
    let mut input = UserInput::default();
    for part in parts {
        match part {
            ContentPart::Text { text } => input.text.push_str(&text),
            ContentPart::Image { media_type, source } => {
                input.images.push(hermes_agent::InputImage { media_type, source });
            }
            ContentPart::Unknown => {}
        }
    }
    input
}

/// How a turn ended, in the words of the terminal.
pub(super) fn told(ended: Result<hermes_agent::TurnEnd, TurnError>, session: &Session) -> TurnEnd {
    let (model, id) = (session.model().id().to_string(), session.id().to_string());
    match ended {
        Ok(end) => TurnEnd {
            ending: ending(&end.reason),
            answer: end.answer,
            usage: end.usage,
            model,
            session: id,
            rounds: end.rounds,
        },
        Err(error) => TurnEnd {
            ending: Ending::Failed { message: error.to_string(), hint: error.hint(), fault: error.fault() },
            answer: String::new(),
            usage: hermes_proto::message::Usage::default(),
            model,
            session: id,
            rounds: 0,
        },
    }
}

fn ending(reason: &EndReason) -> Ending {
    let failed = |message: String| Ending::Failed { message, hint: None, fault: Fault::Failed };
    match reason {
        EndReason::Answered => Ending::Answered,
        EndReason::Interrupted => Ending::Interrupted,
        EndReason::MaxTurns => Ending::OutOfRounds,
        EndReason::TimedOut => failed("the turn's time is up".to_owned()),
        EndReason::Stuck { tool } => failed(format!("the model made the same failing call to {tool} again and again")),
        EndReason::Empty => failed("the model said nothing".to_owned()),
        EndReason::Filtered => failed("the provider's content policy cut the answer off".to_owned()),
    }
}

fn closed() -> TurnEnd {
    TurnEnd {
        ending: Ending::Failed { message: "the chat is over".to_owned(), hint: None, fault: Fault::Failed },
        answer: String::new(),
        usage: hermes_proto::message::Usage::default(),
        model: String::new(),
        session: String::new(),
        rounds: 0,
    }
}
