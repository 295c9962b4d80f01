//! A session and the store: what is said is on disk before it counts.
//!
//! A write may have to wait for another process, so each is done apart from the turns of everybody else. A session is
//! written with its first message: one in which nothing was said leaves no trace.

use std::ops::Range;
use std::sync::Arc;

use hermes_proto::message::{Message, Usage};
use hermes_store::sessions::{self, Position, Said, SessionId, Sessions, Stored, Tail, Title};
use tokio::sync::Mutex;

use super::{KeepError, Record, Session, Which};
use crate::agent::Agent;
use crate::transcript::{Entry, Transcript, repaired};

/// Tasks that hand a question on before it is on the wire, with some to spare.
const HOPS: usize = 4;

/// A session as the store has it.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) session: sessions::Session,
    pub(super) prompt: Option<(String, Position)>,
    pub(super) transcript: Transcript,
}

/// What was said and is about to be written.
#[derive(Debug)]
pub(crate) struct Keeping {
    id: SessionId,
    /// The session itself, if it is not written either.
    begins: Option<Begins>,
    said: Vec<Said>,
    writing: Arc<Mutex<()>>,
}

#[derive(Debug)]
struct Begins {
    record: sessions::NewSession,
    prompt: String,
    title: Option<String>,
}

/// What was written, and where.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    begun: Option<Record>,
    title: Option<Title>,
    positions: Vec<Position>,
}

impl Session {
    /// Adds messages to the conversation. They are written by whoever goes on with it.
    pub(crate) fn say(&mut self, messages: Vec<Message>, usage: Option<Usage>) {
        let mut said: Vec<Said> = messages.iter().cloned().map(Said::from).collect();
        if let Some(first) = said.first_mut() {
            first.usage = usage;
        }
        self.unkept.append(&mut said);
        for message in messages {
            self.transcript.push(Entry { message, position: None });
        }
        self.usage += usage.unwrap_or_default();
    }

    /// What has to be written.
    pub(crate) fn keeping(&mut self) -> Keeping {
        let begins = match &self.record {
            Record::New(new) => {
                Some(Begins { record: new.clone(), prompt: self.prompt.clone(), title: self.title.clone() })
            }
            Record::Kept { .. } => None,
        };
        let said = std::mem::take(&mut self.unkept);
        Keeping { id: self.id.clone(), begins, said, writing: self.writing.clone() }
    }

    /// It was written; nothing was said since.
    pub(crate) fn is_kept(&mut self, kept: Kept) {
        if let Some(record) = kept.begun {
            self.record = record;
            self.title = kept.title.map(|title| title.to_string());
        }
        self.transcript.stand_at(&kept.positions);
    }
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
        session.say(messages, usage);
        self.keep_said(session).await
    }

    /// Writes what is not written yet: what was said, before it the session itself and its prompt.
    pub(crate) async fn keep_said(&self, session: &mut Session) -> Result<(), KeepError> {
        let kept = self.write(session.keeping()).await?;
        session.is_kept(kept);
        Ok(())
    }

    /// Asks while what was said is written. A write that fails ends the asking: nothing goes on that cannot be kept.
    pub(crate) async fn keep_while<T>(
        &self,
        keeping: Keeping,
        asking: impl Future<Output = T>,
    ) -> Result<(T, Kept), KeepError> {
        let writing = async {
            // On a thread that does both, the question is sent on its way first.
            for _ in 0..HOPS {
                tokio::task::yield_now().await;
            }
            self.write(keeping).await
        };
        tokio::try_join!(async { Ok(asking.await) }, writing)
    }

    async fn write(&self, keeping: Keeping) -> Result<Kept, KeepError> {
        let Keeping { id, begins, mut said, writing } = keeping;
        if begins.is_none() && said.is_empty() {
            return Ok(Kept::default());
        }
        let writing = writing.lock_owned().await;
        self.in_store(move |sessions| {
            let _writing = writing;
            let mut kept = Kept::default();
            let title = begins.as_ref().and_then(|begins| begins.title.as_deref().and_then(Title::from_any));
            let is_new = begins.is_some();
            if let Some(begins) = begins {
                sessions.create(&begins.record)?;
                said.insert(0, Said::from(Message::system(begins.prompt)));
            }
            let mut positions = sessions.append(&id, &said)?.into_iter();
            kept.begun = is_new.then(|| Record::Kept { prompt: positions.next() });
            kept.positions = positions.collect();
            if let Some(title) = title {
                kept.title = Some(sessions.rename_freely(&id, &title)?);
            }
            Ok(kept)
        })
        .await
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
        session.unkept.clear();
        // What was begun is still written.
        let written = session.writing.clone().lock_owned().await;
        let id = session.id.clone();
        let stored = match self.in_store(move |sessions| sessions.transcript(&id)).await {
            Err(KeepError::Store(sessions::SessionError::NotFound { .. })) if session.is_new() => Vec::new(),
            stored => stored?.messages,
        };
        drop(written);
        let is_written = !stored.is_empty();
        let (prompt, transcript) = told(stored);
        if is_written && session.is_new() {
            session.record = Record::Kept { prompt: prompt.map(|(_, position)| position) };
        }
        session.transcript = transcript;
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
