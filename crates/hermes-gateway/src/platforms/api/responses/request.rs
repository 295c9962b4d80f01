//! What a caller asks for.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::error::ApiError;
use super::super::said::{Heard, Question, Said, heard};

/// Characters of a conversation's name.
const LONGEST_NAME: usize = 256;

#[derive(Debug, Deserialize)]
pub(super) struct Request {
    #[serde(default)]
    pub(super) model: Option<String>,
    input: Input,
    #[serde(default)]
    pub(super) instructions: Option<String>,
    #[serde(default)]
    pub(super) previous_response_id: Option<String>,
    #[serde(default)]
    conversation: Option<Series>,
    #[serde(default)]
    pub(super) store: Option<bool>,
    #[serde(default)]
    pub(super) stream: Option<bool>,
    #[serde(default)]
    pub(super) metadata: Option<Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a text or a list of items")]
enum Input {
    Text(String),
    Items(Vec<Said>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a name or an object with one as id")]
enum Series {
    Name(String),
    Object { id: String },
}

impl Request {
    pub(super) fn heard(&self) -> Result<Heard, ApiError> {
        match &self.input {
            Input::Text(text) if text.trim().is_empty() => Err(ApiError::invalid("it says nothing").about("input")),
            Input::Text(text) => {
                let question = Question { text: text.clone(), images: Vec::new() };
                Ok(Heard { history: Vec::new(), question })
            }
            Input::Items(items) => heard(items, "input"),
        }
    }

    /// The name of the series, if it is one.
    pub(super) fn series(&self) -> Result<Option<String>, ApiError> {
        let name = match &self.conversation {
            None => return Ok(None),
            Some(Series::Name(name) | Series::Object { id: name }) => name,
        };
        let wrong = |why: &str| Err(ApiError::invalid(why).about("conversation"));
        if self.previous_response_id.is_some() {
            return wrong("a conversation and a previous_response_id exclude each other");
        }
        if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
            return wrong("a conversation's name has 1 to 256 characters, none of which is a control character");
        }
        Ok(Some(name.clone()))
    }
}
