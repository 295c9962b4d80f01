//! How one value is read: the types that settings are declared with.
//!
//! The original took what YAML 1.1 gave it and converted late, so existing files hold
//! `"180"` for a number and `yes` for a flag. What can only be meant one way is
//! accepted; everything else is reported.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hermes_proto::Secret;
use serde_json::{Map, Value as Json};

use super::finding::Problem;
use super::reader::Reader;
use super::shape::Shape;
use crate::yaml::{Content, Entry, Kind, Node, Scalar};

/// A type that settings can have.
pub(crate) trait Setting: Sized {
    const SHAPE: Shape;

    /// The value, or `None` after its problem was reported.
    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self>;

    /// The value as JSON, secrets masked.
    fn to_json(&self) -> Json;
}

/// A section as a map: where a bare value is short for one of its settings, that setting alone.
pub(super) fn spelled_out<'n>(node: &'n Node, short: &[&str]) -> Cow<'n, Node> {
    match (&node.content, short) {
        (Content::Scalar(scalar), [name, ..]) if scalar.kind == Kind::Text => {
            let content = Content::Map(vec![Entry::new(name, node.clone())]);
            Cow::Owned(Node { position: node.position, content, aliased: node.aliased })
        }
        _ => Cow::Borrowed(node),
    }
}

/// The number a scalar means, quoted or not.
fn number(node: &Node) -> Option<Kind> {
    match &node.content {
        Content::Scalar(Scalar { kind: Kind::Text, text }) => Some(Scalar::plain(text.trim()).kind),
        Content::Scalar(scalar) => Some(scalar.kind),
        _ => None,
    }
}

/// The text of a scalar, whatever it looks like.
fn text(node: &Node) -> Option<&str> {
    match &node.content {
        Content::Scalar(scalar) => Some(&scalar.text),
        _ => None,
    }
}

impl Setting for bool {
    const SHAPE: Shape = Shape::Flag;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let flag = match &node.content {
            Content::Scalar(scalar) => scalar.flag(),
            _ => None,
        };
        reader.expect(flag, node, &Self::SHAPE)
    }

    fn to_json(&self) -> Json {
        Json::Bool(*self)
    }
}

macro_rules! integers {
    ($($type:ty),+) => {$(
        impl Setting for $type {
            const SHAPE: Shape = Shape::Integer { least: <$type>::MIN as u64, most: <$type>::MAX as u64 };

            fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
                let value = match number(node) {
                    Some(Kind::Integer(value)) => <$type>::try_from(value).ok(),
                    _ => None,
                };
                reader.expect(value, node, &Self::SHAPE)
            }

            fn to_json(&self) -> Json {
                Json::from(*self)
            }
        }
    )+};
}

integers!(u16, u32, u64);

impl Setting for f64 {
    const SHAPE: Shape = Shape::Number;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let value = match number(node) {
            Some(Kind::Float(value)) => Some(value),
            // Beyond 2^53 the nearest float is meant.
            Some(Kind::Integer(value)) => value.to_string().parse().ok(),
            _ => None,
        };
        reader.expect(value.filter(|value: &f64| value.is_finite()), node, &Self::SHAPE)
    }

    fn to_json(&self) -> Json {
        Json::from(*self)
    }
}

impl Setting for String {
    const SHAPE: Shape = Shape::Text;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.expect(text(node).map(str::to_owned), node, &Self::SHAPE)
    }

    fn to_json(&self) -> Json {
        Json::from(self.as_str())
    }
}

impl Setting for Secret {
    const SHAPE: Shape = Shape::Secret;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.expect(text(node).map(Self::new), node, &Self::SHAPE)
    }

    fn to_json(&self) -> Json {
        Json::from(if self.is_empty() { String::new() } else { self.masked() })
    }
}

impl<T: Setting> Setting for Option<T> {
    const SHAPE: Shape = T::SHAPE;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        T::read(node, reader).map(Some)
    }

    fn to_json(&self) -> Json {
        self.as_ref().map_or(Json::Null, T::to_json)
    }
}

impl<T: Setting> Setting for Vec<T> {
    const SHAPE: Shape = Shape::List;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Content::List(items) = &node.content else {
            return reader.expect(None, node, &Self::SHAPE);
        };
        let read = |(index, item): (usize, &Node)| reader.within(&index.to_string(), |reader| T::read(item, reader));
        Some(items.iter().enumerate().filter_map(read).collect())
    }

    fn to_json(&self) -> Json {
        Json::Array(self.iter().map(T::to_json).collect())
    }
}

impl<T: Setting> Setting for BTreeMap<String, T> {
    const SHAPE: Shape = Shape::Table;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Content::Map(entries) = &node.content else {
            return reader.expect(None, node, &Self::SHAPE);
        };
        let mut table = Self::new();
        for entry in entries.iter().filter(|entry| !entry.value.is_null()) {
            if let Some(value) = reader.within(&entry.key.text, |reader| T::read(&entry.value, reader)) {
                table.insert(entry.key.text.clone(), value);
            }
        }
        Some(table)
    }

    fn to_json(&self) -> Json {
        let pairs = self.iter().map(|(key, value)| (key.clone(), value.to_json()));
        Json::Object(pairs.collect::<Map<_, _>>())
    }
}

impl Setting for Json {
    const SHAPE: Shape = Shape::Anything;

    fn read(node: &Node, _: &mut Reader<'_>) -> Option<Self> {
        Some(node.to_json())
    }

    fn to_json(&self) -> Json {
        self.clone()
    }
}

/// Reads one of a closed set of words; `known` lists each with its meaning.
pub(super) fn choose<T: Copy>(
    node: &Node,
    reader: &mut Reader<'_>,
    known: &[(&str, T)],
    choices: &'static [&'static str],
) -> Option<T> {
    let Some(word) = text(node) else {
        return reader.expect(None, node, &Shape::Choice(choices));
    };
    let meant = known.iter().find(|(name, _)| name.eq_ignore_ascii_case(word.trim()));
    if meant.is_none() {
        reader.report(node, Problem::NotAChoice { value: word.to_owned(), choices });
    }
    meant.map(|(_, choice)| *choice)
}
