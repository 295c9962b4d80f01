//! What a caller asks for.

use hermes_proto::message::Message;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::super::error::ApiError;
use super::super::said::{Heard, Question, Said, heard};

/// The body of `POST /v1/runs`.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(super) struct RunRequest {
    #[serde(default)]
    input: Option<Input>,
    /// In place of `input`.
    #[serde(default)]
    messages: Option<Vec<Said>>,
    /// What the model is told before the conversation.
    #[serde(default)]
    instructions: Option<String>,
    /// The session that it goes on with.
    #[serde(default)]
    pub(super) session_id: Option<String>,
    /// Whatever name is given: the model that the gateway is configured with answers.
    #[serde(default)]
    model: Option<String>,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "a text or a list of messages")]
enum Input {
    Text(String),
    Messages(Vec<Said>),
}

impl RunRequest {
    /// What is said now, and what was said before.
    pub(super) fn heard(&self) -> Result<Heard, ApiError> {
        let mut whole = match (&self.input, &self.messages) {
            (Some(Input::Text(text)), None) if text.trim().is_empty() => {
                return Err(ApiError::invalid("it says nothing").about("input"));
            }
            (Some(Input::Text(text)), None) => {
                let question = Question { text: text.clone(), images: Vec::new() };
                Heard { history: Vec::new(), question }
            }
            (Some(Input::Messages(messages)), None) => heard(messages, "input")?,
            (None, Some(messages)) => heard(messages, "messages")?,
            (Some(_), Some(_)) => return Err(ApiError::invalid("either input or messages").about("messages")),
            (None, None) => return Err(ApiError::invalid("there is no input").about("input")),
        };
        let instructions = self.instructions.iter().filter(|text| !text.trim().is_empty()).map(Message::system);
        whole.history.splice(0..0, instructions);
        Ok(whole)
    }

    /// The same for the same request, and for no other.
    pub(super) fn digest(&self) -> Result<String, ApiError> {
        let written =
            serde_json::to_vec(self).map_err(|error| ApiError::internal("the request cannot be written", &error))?;
        Ok(Sha256::digest(written).iter().map(|byte| format!("{byte:02x}")).collect())
    }
}
