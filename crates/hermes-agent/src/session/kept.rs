//! A session and the store: what is said is on disk before it counts.
//!
//! A write may have to wait for another process, so each is done apart from the turns of everybody else. A session is
//! written with its first message: one in which nothing was said leaves no trace.

use std::ops::Range;

use hermes_proto::message::{Message, Usage};
use hermes_store::sessions::{self, Position, Said, Sessions, Stored, Tail, Title};

use super::{KeepError, Record, Session, Which};
use crate::agent::Agent;
use crate::transcript::{Entry, Transcript, repaired};

/// A session as the store has it.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) session: sessions::Session,
    pub(super) prompt: Option<(String, Position)>,
    pub(super) transcript: Transcript,
}

impl Agent {
    async fn in_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Sessions) -> Result<T, sessions::SessionError> + Send + 'static,
    ) -> Result<T, KeepError> {
        let sessions = Sessions::open(&self.parts.store);
        let done = hermes_store::apart(move || work(&sessions)).await;
        Ok(done.map_err(|_| KeepError::Broken)??)
    }

    /// Adds messages to the conversation; on disk when this returns.
    pub(crate) async fn keep(
        &self,
        session: &mut Session,
        messages: Vec<Message>,
        usage: Option<Usage>,
    ) -> Result<(), KeepError> {
        self.create(session).await?;
        let mut said: Vec<Said> = messages.iter().cloned().map(Said::from).collect();
        if let Some(first) = said.first_mut() {
            first.usage = usage;
        }
        let id = session.id.clone();
        let positions = self.in_store(move |sessions| sessions.append(&id, &said)).await?;
        for (message, position) in messages.into_iter().zip(positions) {
            session.transcript.push(Entry { message, position: Some(position) });
        }
        session.usage += usage.unwrap_or_default();
        Ok(())
    }

    /// Writes a session that is not written yet, with its prompt.
    pub(crate) async fn create(&self, session: &mut Session) -> Result<(), KeepError> {
        let Record::New(new) = &session.record else { return Ok(()) };
        let (new, prompt, title) = (new.clone(), session.prompt.clone(), session.title.clone());
        let work = move |sessions: &Sessions| {
            let id = sessions.create(&new)?;
            let positions = sessions.append(&id, &[Said::from(Message::system(prompt))])?;
            let title = match title.as_deref().and_then(Title::from_any) {
                Some(title) => Some(sessions.rename_freely(&id, &title)?),
                None => None,
            };
            Ok((positions.first().copied(), title))
        };
        let (prompt, title) = self.in_store(work).await?;
        session.title = title.map(|title| title.to_string());
        session.record = Record::Kept { prompt };
        Ok(())
    }

    /// Drops everything behind the first `keep` messages, for good.
    pub(crate) async fn truncate(&self, session: &mut Session, keep: usize) -> Result<(), KeepError> {
        if let Record::Kept { prompt } = &session.record {
            let last = session.transcript.stored(0..keep).map(|(_, last)| last).or(*prompt);
            let tail = last.map_or(Tail::Everything, Tail::After);
            let id = session.id.clone();
            self.in_store(move |sessions| sessions.replace_tail(&id, tail, &[])).await?;
        }
        session.transcript.truncate(keep);
        Ok(())
    }

    /// Puts one message in the place of several. The model no longer sees those; people still find them.
    pub(crate) async fn replace(
        &self,
        session: &mut Session,
        range: Range<usize>,
        message: Message,
    ) -> Result<(), KeepError> {
        let mut position = None;
        if let Some((first, last)) = session.transcript.stored(range.clone()) {
            let (id, said) = (session.id.clone(), [Said::from(message.clone())]);
            let positions = self.in_store(move |sessions| sessions.compact(&id, first, last, &said)).await?;
            position = positions.first().copied();
        }
        session.transcript.replace(range, Entry { message, position });
        Ok(())
    }

    /// Counts what belongs to no message.
    pub(crate) async fn count_usage(&self, session: &mut Session, usage: Usage) -> Result<(), KeepError> {
        let id = session.id.clone();
        self.in_store(move |sessions| sessions.add_usage(&id, usage)).await?;
        session.usage += usage;
        Ok(())
    }

    pub(super) async fn set_title(&self, session: &Session, title: &str) -> Result<Title, KeepError> {
        let (id, title) = (session.id.clone(), title.to_owned());
        self.in_store(move |sessions| sessions.rename(&id, &title)).await
    }

    pub(crate) async fn set_model(&self, session: &Session, model: String) -> Result<(), KeepError> {
        let id = session.id.clone();
        self.in_store(move |sessions| sessions.set_model(&id, &model)).await
    }

    /// Reads a session, whole.
    pub(super) async fn load(&self, which: Which) -> Result<Loaded, KeepError> {
        self.in_store(move |sessions| {
            let session = which.find(sessions)?;
            let (prompt, transcript) = told(sessions.transcript(&session.id)?.messages);
            Ok(Loaded { session, prompt, transcript })
        })
        .await
    }

    /// A turn that was given up in the middle may have kept more than the session knows.
    pub(crate) async fn reload(&self, session: &mut Session) -> Result<(), KeepError> {
        if matches!(session.record, Record::New(_)) {
            return Ok(());
        }
        let id = session.id.clone();
        let stored = self.in_store(move |sessions| sessions.transcript(&id)).await?;
        session.transcript = told(stored.messages).1;
        Ok(())
    }
}

/// The prompt and the conversation, made whole.
fn told(mut stored: Vec<Stored>) -> (Option<(String, Position)>, Transcript) {
    let is_prompt = matches!(stored.first(), Some(Stored { message: Message::System { .. }, .. }));
    let prompt = is_prompt.then(|| stored.remove(0)).map(|first| (first.message.text(), first.position));
    let entries = stored.into_iter().map(|stored| Entry { message: stored.message, position: Some(stored.position) });
    (prompt, Transcript::new(repaired(entries)))
}

impl Which {
    fn find(self, sessions: &Sessions) -> Result<sessions::Session, sessions::SessionError> {
        let latest = |found: Option<sessions::Session>| found.ok_or(sessions::SessionError::NoneYet);
        match self {
            Self::Named(asked) => sessions.find(&asked),
            Self::LatestOf { source } => latest(sessions.latest_of(&source)?),
            Self::LatestOfKey { key } => latest(sessions.latest_of_key(&key)?),
        }
    }
}
