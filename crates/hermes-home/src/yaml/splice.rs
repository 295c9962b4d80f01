//! The change itself, made in `yaml-edit`'s loss-less tree of the text.
//!
//! Nothing here is checked: a step that does not fit answers `None`, and the caller
//! compares the text that comes out with what it should mean.

use std::str::FromStr;

use yaml_edit::{Document, Mapping, Sequence, YamlNode};

use super::node::index;
use super::{Content, Entry, Node, Scalar, render};

/// A map or a list of the document being changed.
pub(super) enum Container {
    Map(Mapping),
    List(Sequence),
}

impl Container {
    fn of(node: YamlNode) -> Option<Self> {
        match node {
            YamlNode::Mapping(mapping) => Some(Self::Map(mapping)),
            YamlNode::Sequence(sequence) => Some(Self::List(sequence)),
            YamlNode::TaggedNode(tagged) => {
                tagged.as_mapping().map(Self::Map).or_else(|| tagged.as_sequence().map(Self::List))
            }
            _ => None,
        }
    }

    fn child(&self, key: &Scalar) -> Option<Self> {
        match self {
            Self::Map(mapping) => mapping.get(key_node(key)?).and_then(Self::of),
            Self::List(sequence) => sequence.get(index(&key.text)?).and_then(Self::of),
        }
    }

    pub(super) fn set(&self, key: &Scalar, value: &Node) -> Option<()> {
        match self {
            Self::Map(mapping) => mapping.set(key_node(key)?, value_node(value)?),
            Self::List(sequence) => {
                sequence.set(index(&key.text)?, value_node(value)?);
            }
        }
        Some(())
    }

    pub(super) fn push(&self, value: &Node) -> Option<()> {
        let Self::List(sequence) = self else { return None };
        sequence.push(value_node(value)?);
        Some(())
    }

    pub(super) fn remove(&self, key: &Scalar) -> Option<()> {
        match self {
            Self::Map(mapping) => mapping.remove(key_node(key)?).map(drop),
            Self::List(sequence) => sequence.remove(index(&key.text)?).map(drop),
        }
    }
}

/// Changes the container that all but the last step lead to.
pub(super) fn edit(text: &str, steps: &[Scalar], change: impl FnOnce(&Container) -> Option<()>) -> Option<String> {
    let (head, body) = split_head(text);
    let document = Document::from_str(body).ok()?;
    let root = Container::Map(document.as_mapping()?);
    let (_, parents) = steps.split_last()?;
    let container = parents.iter().try_fold(root, |container, key| container.child(key))?;
    change(&container)?;
    Some(format!("{head}{document}"))
}

/// A new key at the end of a file that has no keys yet.
pub(super) fn append(text: &str, key: &str, value: &Node) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if text.is_empty() || text.ends_with(['\n', '\u{feff}']) { "" } else { newline };
    let entry = render::block(&Node::new(Content::Map(vec![Entry::new(key, value.clone())])));
    format!("{text}{gap}{}", entry.replace('\n', newline))
}

/// What stands before the document itself: a byte order mark, and directives up to `---`.
fn split_head(text: &str) -> (&str, &str) {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let directives = text[mark..].split_inclusive('\n').take_while(|line| !line.starts_with("---"));
    let length: usize = directives.clone().map(str::len).sum();
    let any = directives.clone().any(|line| line.starts_with('%'));
    text.split_at(if any { mark + length } else { mark })
}

fn key_node(key: &Scalar) -> Option<YamlNode> {
    document_value(&format!("v: {}\n", render::scalar(key)))
}

fn value_node(value: &Node) -> Option<YamlNode> {
    let text = render::block(value);
    match &value.content {
        Content::Map(entries) if !entries.is_empty() => document_value(&format!("v:\n{}", indented(&text))),
        Content::List(items) if !items.is_empty() => document_value(&format!("v:\n{}", indented(&text))),
        _ => document_value(&format!("v: {text}")),
    }
}

fn document_value(text: &str) -> Option<YamlNode> {
    Document::from_str(text).ok()?.get("v")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
