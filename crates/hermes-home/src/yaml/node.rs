//! The tree of a document: values with the line and column they came from.
//!
//! A repeated key is kept (the last one counts), so that it can be reported.

use std::fmt;

use serde_json::{Map, Number, Value as Json};

use super::{Kind, Scalar};

/// Where something starts; both count from one, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// One value of a document.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) position: Position,
    pub(crate) content: Content,
    /// It stands here through an alias (`*name`): written elsewhere, not to be changed here.
    pub(crate) aliased: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Content {
    Scalar(Scalar),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One key of a map and its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: Scalar,
    pub(crate) position: Position,
    pub(crate) value: Node,
    /// It came from a merge key (`<<`) and is not written in this map.
    pub(crate) merged: bool,
}

impl Position {
    pub(crate) const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

impl Node {
    /// A value that is not (yet) written anywhere.
    pub(crate) fn new(content: Content) -> Self {
        Self { position: Position::START, content, aliased: false }
    }

    pub(crate) fn empty_map() -> Self {
        Self::new(Content::Map(Vec::new()))
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.content, Content::Scalar(Scalar { kind: Kind::Null, .. }))
    }

    /// The entry of this key that counts: the last one.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.content {
            Content::Map(entries) => entries.iter().rev().find(|entry| entry.key.text == key),
            _ => None,
        }
    }

    /// The value of a key, or of a position in a list.
    pub(crate) fn child(&self, segment: &str) -> Option<&Self> {
        match &self.content {
            Content::Map(_) => self.entry(segment).map(|entry| &entry.value),
            Content::List(items) => items.get(index(segment)?),
            Content::Scalar(_) => None,
        }
    }

    /// The value at a path.
    pub(crate) fn at(&self, path: &[String]) -> Option<&Self> {
        path.iter().try_fold(self, |node, segment| node.child(segment))
    }

    /// Puts a value at a path, making room for it where something else stands.
    pub(crate) fn assign(&mut self, path: &[String], value: Self) {
        let Some((segment, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        if let Content::List(items) = &mut self.content
            && let Some(item) = index(segment).and_then(|index| items.get_mut(index))
        {
            return item.assign(rest, value);
        }
        if !matches!(self.content, Content::Map(_)) {
            self.content = Content::Map(Vec::new());
        }
        let Content::Map(entries) = &mut self.content else { return };
        if entries.iter().all(|entry| entry.key.text != *segment) {
            entries.push(Entry::new(segment, Self::empty_map()));
        }
        if let Some(entry) = entries.iter_mut().rev().find(|entry| entry.key.text == *segment) {
            entry.value.assign(rest, value);
        }
    }

    /// What a person calls this kind of value.
    pub(crate) fn describe(&self) -> &'static str {
        match &self.content {
            Content::Map(_) => "a map",
            Content::List(_) => "a list",
            Content::Scalar(scalar) => match scalar.kind {
                Kind::Null => "null",
                Kind::Flag(_) => "true or false",
                Kind::Integer(_) => "an integer",
                Kind::Float(_) => "a number",
                Kind::Text => "text",
            },
        }
    }

    /// The value as JSON. Numbers JSON does not have (`.inf`, `.nan`) become their text.
    pub(crate) fn to_json(&self) -> Json {
        match &self.content {
            Content::Scalar(scalar) => scalar_to_json(scalar),
            Content::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Content::Map(entries) => {
                let pairs = entries.iter().map(|entry| (entry.key.text.clone(), entry.value.to_json()));
                Json::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// A tree that means this JSON.
    pub(crate) fn from_json(json: &Json) -> Self {
        Self::new(match json {
            Json::Null => Content::Scalar(Scalar::plain("null")),
            Json::Bool(_) | Json::Number(_) => Content::Scalar(Scalar::plain(json.to_string())),
            Json::String(text) => Content::Scalar(Scalar::text(text)),
            Json::Array(items) => Content::List(items.iter().map(Self::from_json).collect()),
            Json::Object(pairs) => {
                Content::Map(pairs.iter().map(|(key, value)| Entry::new(key, Self::from_json(value))).collect())
            }
        })
    }

    /// Same meaning: same keys in the same order, same values. Positions and quotes do not count.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (&self.content, &other.content) {
            (Content::Scalar(mine), Content::Scalar(others)) => mine.same(others),
            (Content::List(mine), Content::List(others)) => {
                mine.len() == others.len() && mine.iter().zip(others).all(|(mine, others)| mine.same(others))
            }
            (Content::Map(mine), Content::Map(others)) => {
                mine.len() == others.len() && mine.iter().zip(others).all(|(mine, others)| mine.same(others))
            }
            _ => false,
        }
    }
}

impl Entry {
    pub(crate) fn new(key: &str, value: Node) -> Self {
        Self { key: Scalar::text(key), position: Position::START, value, merged: false }
    }

    fn same(&self, other: &Self) -> bool {
        self.key.text == other.key.text && self.merged == other.merged && self.value.same(&other.value)
    }
}

/// The position in a list that a segment of a path names.
pub(super) fn index(segment: &str) -> Option<usize> {
    segment.bytes().all(|byte| byte.is_ascii_digit()).then(|| segment.parse().ok()).flatten()
}

fn scalar_to_json(scalar: &Scalar) -> Json {
    let number = match scalar.kind {
        Kind::Null => return Json::Null,
        Kind::Flag(flag) => return Json::Bool(flag),
        Kind::Text => None,
        Kind::Integer(value) => {
            i64::try_from(value).map(Number::from).or_else(|_| u64::try_from(value).map(Number::from)).ok()
        }
        Kind::Float(value) => Number::from_f64(value),
    };
    number.map_or_else(|| Json::String(scalar.text.clone()), Json::Number)
}
