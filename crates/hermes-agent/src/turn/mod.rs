//! From a message to tool calls to an answer.
//!
//! Everything that was said is kept before anything comes of it: an answer before its tools run, the question and the results of
//! tools while the model is asked about them. What it answers is not taken before they are on disk, and never if they cannot be.

mod ask;
mod bound;
mod calls;
mod end;
mod guardrails;
mod looping;
mod run;
mod stop;

use hermes_proto::message::Message;
use hermes_proto::turn::TurnContext;

use crate::agent::{Agent, Audience};
use crate::clean;
use crate::event::TurnEvent;
use crate::session::{KeepError, Session};
use crate::tool::ToolReply;

pub(crate) use bound::shorten as shorten_text;
pub use end::{EndReason, InputImage, TurnEnd, TurnError, UserInput};
pub(crate) use looping::Looping;
pub(crate) use stop::{finishing, stopping};

impl Agent {
    /// Answers a message. The turn is over when this returns, also when it is dropped: nothing that was permitted
    /// in it is permitted any longer.
    pub async fn turn(
        &self,
        session: &mut Session,
        turn: &TurnContext,
        input: UserInput,
        audience: &Audience,
    ) -> Result<TurnEnd, TurnError> {
        let _finishing = finishing(turn);
        self.enter(session).await?;
        let mut said = self.news(session, audience);
        said.push(input.into_message());
        session.say(said, None);
        self.go_on(session, turn, audience).await
    }

    /// What background commands told since the last turn: the person sees it, the model reads it.
    fn news(&self, session: &Session, audience: &Audience) -> Vec<Message> {
        let mut told = String::new();
        for news in session.workshop().news().take() {
            if !news.is_shown {
                audience.observer.saw(TurnEvent::Notice { text: news.for_person });
            }
            told.push_str(&news.for_model);
            told.push('\n');
        }
        if told.is_empty() {
            return Vec::new();
        }
        let reply = self.cleaned(ToolReply::done(clean::plain(told.trim_end()).into(), ""));
        vec![Message::user(bound::text_of(reply.content))]
    }

    /// What a model may be told of a reply.
    pub(crate) fn cleaned(&self, reply: ToolReply) -> ToolReply {
        match self.parts.config.security.redact_secrets {
            true => clean::redacted(reply, &self.parts.redactor),
            false => reply,
        }
    }

    /// Takes the session for a turn.
    pub(crate) async fn enter(&self, session: &mut Session) -> Result<(), KeepError> {
        self.settle(session).await?;
        session.is_in_turn = true;
        Ok(())
    }

    /// Makes a session whole whose last turn was given up in the middle.
    pub(crate) async fn settle(&self, session: &mut Session) -> Result<(), KeepError> {
        if session.is_in_turn {
            self.reload(session).await?;
            session.is_in_turn = false;
        }
        Ok(())
    }

    /// Asks the model about the conversation as it is.
    pub(crate) async fn go_on(
        &self,
        session: &mut Session,
        turn: &TurnContext,
        audience: &Audience,
    ) -> Result<TurnEnd, TurnError> {
        let ended = Looping::new(self, session, turn, audience).run().await;
        self.parts.guard.settle().await;
        // A store that failed may have kept more or less than the session knows.
        session.is_in_turn = matches!(ended, Err(TurnError::Keep(_)));
        ended
    }
}
