//! One attempt: one request with one key, and its answer to the end.

use std::time::Duration;

use async_stream::try_stream;
use futures_core::Stream;
use hermes_proto::Secret;
use hermes_proto::message::Message;
use reqwest::Response;

use super::Server;
use super::body::{Body, BodyError};
use super::clock::Clock;
use crate::dialect::{Wrong, decoder};
use crate::{Event, FinishReason, Finished, ModelError, Status};

/// What may still come after the last word (the tokens, the end of the stream) is waited for this long.
const AFTERMATH: Duration = Duration::from_secs(5);
/// The end of the connection's answer is waited for this long, so that the next request can use the connection.
const END: Duration = Duration::from_millis(250);

impl Server {
    /// Asks once. Dropping the stream drops the connection.
    pub(crate) fn attempt(
        &self,
        body: Vec<u8>,
        key: Option<Secret>,
    ) -> impl Stream<Item = Result<Event, ModelError>> + Send {
        try_stream! {
            let mut clock = Clock::start(self.provider(), self.endpoint.timeouts);
            let mut response = self.open(&body, key.as_ref(), &mut clock).await?;
            let decoder = decoder(self.endpoint.dialect, &self.endpoint.id, fastrand::u64(..));
            let mut answer = Body::new(decoder);
            let broken = loop {
                match self.more(&mut response, &mut clock, &mut answer).await {
                    Ok(Some(bytes)) => {
                        let events = answer.push(&bytes).map_err(|error| self.body_error(error, key.as_ref()))?;
                        for event in events {
                            yield event;
                        }
                    }
                    Ok(None) => break None,
                    Err(error) => break Some(error),
                }
            };
            let (events, finished) = self.finish(&mut answer, broken, key.as_ref())?;
            for event in events {
                yield event;
            }
            yield Event::Finished(finished);
        }
    }

    /// The next bytes; `None` when there are none or when no more are needed.
    async fn more(
        &self,
        response: &mut Response,
        clock: &mut Clock,
        answer: &mut Body,
    ) -> Result<Option<Vec<u8>>, ModelError> {
        let patience = match answer.decoder() {
            decoder if decoder.is_done() => Some(END),
            decoder if decoder.is_complete() => Some(AFTERMATH),
            _ => None,
        };
        let bytes = match patience {
            None => clock.wait(response.chunk()).await?,
            Some(patience) => match clock.wait_shortly(patience, response.chunk()).await {
                Some(bytes) => bytes,
                None => return Ok(None),
            },
        };
        clock.heard();
        bytes.map(|bytes| bytes.map(|bytes| bytes.to_vec())).map_err(|error| self.broken(error))
    }

    /// The whole answer. A connection that breaks after it was complete took nothing away.
    fn finish(
        &self,
        answer: &mut Body,
        broken: Option<ModelError>,
        key: Option<&Secret>,
    ) -> Result<(Vec<Event>, Finished), ModelError> {
        let ended = answer.finish().and_then(|events| Ok((events, answer.decoder().end()?)));
        let (mut events, (last, reason, whole)) = match (ended, broken) {
            (Ok(ended), _) => ended,
            (Err(Wrong::CutOff | Wrong::Malformed(_)), Some(broken)) => return Err(broken),
            (Err(wrong), _) => return Err(self.wrong(wrong, key)),
        };
        events.extend(last);
        let (message, usage) = whole.into_message();
        let is_silent =
            matches!(&message, Message::Assistant { text, tool_calls, .. } if text.is_empty() && tool_calls.is_empty());
        if reason == FinishReason::ContentFilter && is_silent {
            return Err(ModelError::ContentPolicy { provider: self.provider(), said: crate::Said::default() });
        }
        Ok((events, Finished { reason, message, usage, model: self.endpoint.id.clone() }))
    }

    fn body_error(&self, error: BodyError, key: Option<&Secret>) -> ModelError {
        match error {
            BodyError::TooLarge { what, limit } => ModelError::TooLarge { provider: self.provider(), what, limit },
            BodyError::Wrong(wrong) => self.wrong(wrong, key),
        }
    }

    fn wrong(&self, wrong: Wrong, key: Option<&Secret>) -> ModelError {
        match wrong {
            Wrong::Told(body) => self.refused(key, Status::InStream, None, &body),
            Wrong::Malformed(what) => ModelError::Malformed { provider: self.provider(), what },
            Wrong::CutOff => ModelError::CutOff,
        }
    }
}
