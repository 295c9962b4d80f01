//! The bytes of an answer, whatever form the server chose for them.
//!
//! Some servers answer with one JSON document although a stream was asked for, and some of these call it a stream in their
//! headers. The first byte tells: no line of a stream begins with a brace.

use crate::Event;
use crate::dialect::{Decode, Wrong};
use crate::sse::{EventReader, LONGEST_EVENT, ServerEvent};

/// Bytes an answer may have altogether.
pub(super) const LARGEST_ANSWER: usize = 64 * 1024 * 1024;
/// Bytes an answer may have that comes as one document.
const LARGEST_DOCUMENT: usize = 2 * LONGEST_EVENT;

/// What is wrong with the bytes or with what they say.
#[derive(Debug)]
pub(super) enum BodyError {
    TooLarge { what: &'static str, limit: usize },
    Wrong(Wrong),
}

impl From<Wrong> for BodyError {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}

/// The bytes so far.
pub(super) struct Body {
    form: Form,
    length: usize,
    decoder: Box<dyn Decode>,
}

enum Form {
    /// Nothing but blanks has come.
    Unknown,
    Events(EventReader),
    Document(Vec<u8>),
}

impl Body {
    pub(super) fn new(decoder: Box<dyn Decode>) -> Self {
        Self { form: Form::Unknown, length: 0, decoder }
    }

    pub(super) fn decoder(&mut self) -> &mut dyn Decode {
        self.decoder.as_mut()
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, BodyError> {
        self.length = self.length.saturating_add(bytes.len());
        if self.length > LARGEST_ANSWER {
            return Err(BodyError::TooLarge { what: "the answer", limit: LARGEST_ANSWER });
        }
        if let Form::Unknown = self.form
            && let Some(first) = bytes.iter().find(|byte| !byte.is_ascii_whitespace())
        {
            let is_document = matches!(first, b'{' | b'[');
            self.form = if is_document { Form::Document(Vec::new()) } else { Form::Events(EventReader::default()) };
        }
        match &mut self.form {
            Form::Unknown => Ok(Vec::new()),
            Form::Document(document) if document.len() + bytes.len() > LARGEST_DOCUMENT => {
                Err(BodyError::TooLarge { what: "the answer", limit: LARGEST_DOCUMENT })
            }
            Form::Document(document) => {
                document.extend_from_slice(bytes);
                Ok(Vec::new())
            }
            Form::Events(reader) => {
                let too_long = |_| BodyError::TooLarge { what: "an event in the answer", limit: LONGEST_EVENT };
                let events = reader.push(bytes).map_err(too_long)?;
                Ok(self.decode(&events)?)
            }
        }
    }

    /// What the end of the bytes completes.
    pub(super) fn finish(&mut self) -> Result<Vec<Event>, Wrong> {
        match &mut self.form {
            Form::Unknown => Ok(Vec::new()),
            Form::Document(document) => {
                let text = String::from_utf8_lossy(&std::mem::take(document)).into_owned();
                self.decoder.document(&text)
            }
            Form::Events(reader) => {
                let left = reader.finish();
                self.decode(left.as_slice())
            }
        }
    }

    fn decode(&mut self, events: &[ServerEvent]) -> Result<Vec<Event>, Wrong> {
        let mut told = Vec::new();
        for event in events {
            told.extend(self.decoder.event(&event.name, &event.data)?);
        }
        Ok(told)
    }
}
