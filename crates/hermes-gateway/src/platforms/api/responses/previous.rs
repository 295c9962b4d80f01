//! Where a response goes on from.

use hermes_proto::message::Message;
use hermes_store::responses::{Continuation, Response, Responses};
use serde_json::Value;

use super::super::error::ApiError;
use super::super::incoming::{Caller, Conversation};
use super::super::said::Words;
use super::super::state::ApiState;
use super::request::Request;
use crate::Continuing;

/// Answers that are looked at to tell what was said before.
const DEEPEST: usize = 500;

/// The conversation and session of a response.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) conversation: Conversation,
    pub(super) continuing: Continuing,
    /// The answer before it.
    pub(super) previous: Option<String>,
}

impl Ground {
    pub(super) async fn find(
        state: &ApiState,
        caller: &Caller,
        request: &Request,
        history: Vec<Message>,
    ) -> Result<Self, ApiError> {
        let Some(previous) = previous(state, caller, request).await? else {
            return Self::begin(state, caller, request, history).await;
        };
        let id = previous.id.clone();
        // A session has its instructions already, and cannot be told what was said elsewhere.
        // One that was removed meanwhile is no loss: what was said is known.
        if request.instructions.is_none()
            && history.is_empty()
            && let Ok(conversation) = Conversation::of_session(state, caller, &previous.session).await
            && is_free(state, &previous).await?
        {
            return Ok(Self { conversation, continuing: Continuing::Session(previous.session), previous: Some(id) });
        }
        let mut said: Vec<Message> = request.instructions.iter().map(Message::system).collect();
        said.extend(told(state, previous).await?);
        said.extend(history);
        Ok(Self { conversation: Conversation::of(caller)?, continuing: Continuing::Fresh(said), previous: Some(id) })
    }

    /// Nothing was answered before.
    async fn begin(
        state: &ApiState,
        caller: &Caller,
        request: &Request,
        history: Vec<Message>,
    ) -> Result<Self, ApiError> {
        if let Some(id) = &caller.session {
            let conversation = Conversation::of_session(state, caller, id).await?;
            return Ok(Self { conversation, continuing: Continuing::Session(id.clone()), previous: None });
        }
        let said = request.instructions.iter().map(Message::system).chain(history).collect();
        Ok(Self { conversation: Conversation::of(caller)?, continuing: Continuing::Fresh(said), previous: None })
    }
}

async fn previous(state: &ApiState, caller: &Caller, request: &Request) -> Result<Option<Response>, ApiError> {
    let scope = caller.scope().to_owned();
    if let Some(id) = request.previous_response_id.clone() {
        let found = state.in_store(move |store| Responses::open(store).find(&scope, &id)).await?;
        return found.map(Some).ok_or_else(|| {
            ApiError::not_found("response").about("previous_response_id").with_code("previous_response_not_found")
        });
    }
    let Some(name) = request.series()? else { return Ok(None) };
    state.in_store(move |store| Responses::open(store).latest(&scope, &name)).await
}

async fn is_free(state: &ApiState, previous: &Response) -> Result<bool, ApiError> {
    let (scope, id) = (previous.scope.clone(), previous.id.clone());
    let taken = state.in_store(move |store| Responses::open(store).go_on(&scope, &id)).await?;
    Ok(taken == Continuation::Session)
}

/// What was said up to this answer, without images and without what tools did.
async fn told(state: &ApiState, previous: Response) -> Result<Vec<Message>, ApiError> {
    let (scope, id) = (previous.scope, previous.id);
    let chain = state.in_store(move |store| Responses::open(store).chain(&scope, &id, DEEPEST)).await?;
    let unreadable = |error| ApiError::internal("a response cannot be read", &error);
    let mut said = Vec::new();
    for response in chain {
        let words: Words = serde_json::from_str(&response.said).map_err(unreadable)?;
        let body: Value = serde_json::from_str(&response.body).map_err(unreadable)?;
        said.extend(words.messages);
        let answer = body["output"][0]["content"][0]["text"].as_str().unwrap_or_default();
        said.push(Message::assistant(answer));
    }
    Ok(said)
}
