//! One value of the configuration, as a person types it and as it is shown.

use std::fmt;

use serde_json::Value as Json;

use crate::yaml::{self, Content, Kind, Node, Scalar};

/// A value to be set, or one that was found.
#[derive(Debug, Clone)]
pub struct Value(Node);

impl Value {
    /// What a person means by this word: a number, true, false or null where it
    /// looks like one, else text.
    pub fn natural(word: &str) -> Self {
        Self(Node::new(Content::Scalar(yaml::natural(word))))
    }

    /// Text, whatever it looks like.
    pub fn text(text: &str) -> Self {
        Self(Node::new(Content::Scalar(Scalar::text(text))))
    }

    pub fn from_json(json: &Json) -> Self {
        Self(Node::from_json(json))
    }

    pub fn to_json(&self) -> Json {
        self.0.to_json()
    }

    /// Its text, if it is neither a map nor a list.
    pub fn as_scalar(&self) -> Option<&str> {
        match &self.0.content {
            Content::Scalar(Scalar { kind: Kind::Null, text }) if text.is_empty() => Some("null"),
            Content::Scalar(scalar) => Some(&scalar.text),
            _ => None,
        }
    }

    pub(super) fn node(&self) -> &Node {
        &self.0
    }
}

impl From<Node> for Value {
    fn from(node: Node) -> Self {
        Self(node)
    }
}

/// A scalar is shown as it is, without quotes; a map or a list as YAML.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_scalar() {
            Some(text) => formatter.write_str(text),
            None => formatter.write_str(yaml::block(&self.0).trim_end_matches('\n')),
        }
    }
}
