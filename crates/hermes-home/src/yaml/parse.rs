//! Text to tree, within bounds.
//!
//! A configuration file is read before anything is known about it. Its size, its
//! depth and what its aliases expand to are bounded, so that neither `[[[[…` nor a
//! "billion laughs" can exhaust the stack or the memory.

use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};

use super::scalar;
use super::{Content, Entry, Kind, Node, Position, Scalar};

/// Bytes a document may have.
const LARGEST: usize = 1 << 20;
/// Maps and lists that may stand inside each other.
const DEEPEST: usize = 100;
/// Values a document may have after its aliases are resolved.
const MOST_NODES: usize = 100_000;

/// Why a text is not a document that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("not valid UTF-8")]
    Encoding { position: Position },
    #[error("{problem}")]
    Syntax { position: Position, problem: String },
    #[error("larger than {LARGEST} bytes")]
    TooLarge { position: Position },
    #[error("maps and lists nested more than {DEEPEST} deep")]
    TooDeep { position: Position },
    #[error("more than {MOST_NODES} values, counting what aliases stand for")]
    TooMany { position: Position },
    #[error("a second document starts here; only one is allowed")]
    SecondDocument { position: Position },
    #[error("a map or a list cannot be a key")]
    KeyNotScalar { position: Position },
    #[error("the alias stands for a value that contains it")]
    AliasOfItself { position: Position },
    #[error("a merge key (<<) takes a map or a list of maps")]
    MergeOfNonMap { position: Position },
    #[error("{found} at the top; a map of settings is expected")]
    TopNotMap { position: Position, found: &'static str },
}

impl ParseError {
    pub fn position(&self) -> Position {
        match self {
            Self::Encoding { position }
            | Self::Syntax { position, .. }
            | Self::TooLarge { position }
            | Self::TooDeep { position }
            | Self::TooMany { position }
            | Self::SecondDocument { position }
            | Self::KeyNotScalar { position }
            | Self::AliasOfItself { position }
            | Self::MergeOfNonMap { position }
            | Self::TopNotMap { position, .. } => *position,
        }
    }
}

/// Reads one document, which is a map. Nothing, comments only and null are an empty map.
pub(crate) fn parse(bytes: &[u8]) -> Result<Node, ParseError> {
    if bytes.len() > LARGEST {
        return Err(ParseError::TooLarge { position: Position::START });
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| ParseError::Encoding { position: position_of(&bytes[..error.valid_up_to()]) })?;
    let node = Builder::new(text.trim_start_matches('\u{feff}')).document()?;
    match node.content {
        Content::Map(_) => Ok(node),
        Content::Scalar(Scalar { kind: Kind::Null, .. }) => Ok(Node::empty_map()),
        _ => Err(ParseError::TopNotMap { position: node.position, found: node.describe() }),
    }
}

/// The position right after these bytes.
fn position_of(before: &[u8]) -> Position {
    let text = String::from_utf8_lossy(before);
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Position { line, column }
}

struct Builder<'text> {
    parser: Parser<'text, saphyr_parser::StrInput<'text>>,
    /// Finished values that have an anchor, by the parser's number for it.
    anchors: HashMap<usize, Node>,
    nodes: usize,
}

type Step<'text> = (Event<'text>, Position);

impl<'text> Builder<'text> {
    fn new(text: &'text str) -> Self {
        Self { parser: Parser::new_from_str(text), anchors: HashMap::new(), nodes: 0 }
    }

    fn document(mut self) -> Result<Node, ParseError> {
        let mut root = None;
        loop {
            let (event, position) = self.next()?;
            match event {
                Event::StreamEnd => break,
                Event::StreamStart | Event::DocumentEnd | Event::Nothing => {}
                Event::DocumentStart(_) if root.is_some() => return Err(ParseError::SecondDocument { position }),
                Event::DocumentStart(_) => {
                    let step = self.next()?;
                    root = Some(self.node(step, 0)?);
                }
                _ => return Err(unexpected(position)),
            }
        }
        Ok(root.unwrap_or_else(Node::empty_map))
    }

    fn next(&mut self) -> Result<Step<'text>, ParseError> {
        match self.parser.next() {
            Some(Ok((event, span))) => Ok((event, start(span))),
            Some(Err(error)) => Err(syntax(&error)),
            None => Ok((Event::StreamEnd, Position::START)),
        }
    }

    fn node(&mut self, (event, position): Step<'text>, depth: usize) -> Result<Node, ParseError> {
        if depth > DEEPEST {
            return Err(ParseError::TooDeep { position });
        }
        self.count(1, position)?;
        let (content, anchor) = match event {
            Event::Alias(anchor) => return self.alias(anchor, position, depth),
            Event::Scalar(text, style, anchor, tag) => {
                (Content::Scalar(scalar_of(text.into_owned(), style, tag.as_deref())), anchor)
            }
            Event::SequenceStart(anchor, _) => (Content::List(self.list(depth)?), anchor),
            Event::MappingStart(anchor, _) => (Content::Map(self.map(depth)?), anchor),
            _ => return Err(unexpected(position)),
        };
        let node = Node { position, content, aliased: false };
        if anchor != 0 {
            self.count(extent(&node).0, position)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node>, ParseError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                step => items.push(self.node(step, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<Entry>, ParseError> {
        let mut entries = Vec::new();
        let mut merges = Vec::new();
        loop {
            let step = match self.next()? {
                (Event::MappingEnd, _) => break,
                step => step,
            };
            let merge = matches!(&step.0, Event::Scalar(text, ScalarStyle::Plain, _, None) if text == "<<");
            let key = self.node(step, depth + 1)?;
            let Content::Scalar(name) = key.content else {
                return Err(ParseError::KeyNotScalar { position: key.position });
            };
            let step = self.next()?;
            let value = self.node(step, depth + 1)?;
            if merge {
                merges.push(value);
            } else {
                entries.push(Entry { key: name, position: key.position, value, merged: false });
            }
        }
        if !merges.is_empty() {
            Self::merge(&mut entries, merges)?;
        }
        Ok(entries)
    }

    /// Adds the keys of merged maps that the map does not have itself; earlier ones win.
    fn merge(entries: &mut Vec<Entry>, merges: Vec<Node>) -> Result<(), ParseError> {
        let mut present: HashSet<String> = entries.iter().map(|entry| entry.key.text.clone()).collect();
        let mut sources = Vec::new();
        for merge in merges {
            match merge.content {
                Content::List(items) => sources.extend(items),
                _ => sources.push(merge),
            }
        }
        for source in sources {
            let Content::Map(merged) = source.content else {
                return Err(ParseError::MergeOfNonMap { position: source.position });
            };
            for entry in merged {
                if present.insert(entry.key.text.clone()) {
                    entries.push(Entry { merged: true, ..entry });
                }
            }
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, position: Position, depth: usize) -> Result<Node, ParseError> {
        let Some(target) = self.anchors.get(&anchor) else {
            return Err(ParseError::AliasOfItself { position });
        };
        let (size, height) = extent(target);
        if depth + height > DEEPEST {
            return Err(ParseError::TooDeep { position });
        }
        let mut node = target.clone();
        node.position = position;
        node.aliased = true;
        self.count(size, position)?;
        Ok(node)
    }

    fn count(&mut self, more: usize, position: Position) -> Result<(), ParseError> {
        self.nodes += more;
        if self.nodes > MOST_NODES { Err(ParseError::TooMany { position }) } else { Ok(()) }
    }
}

/// How many values a tree has, and how many levels.
fn extent(node: &Node) -> (usize, usize) {
    let join = |(size, height): (usize, usize), child: &Node| {
        let (more, below) = extent(child);
        (size + more, height.max(below + 1))
    };
    match &node.content {
        Content::Scalar(_) => (1, 0),
        Content::List(items) => items.iter().fold((1, 0), join),
        Content::Map(entries) => entries.iter().map(|entry| &entry.value).fold((1, 0), join),
    }
}

/// A scalar by its style and its tag; tags we do not know leave it as it is.
fn scalar_of(text: String, style: ScalarStyle, tag: Option<&Tag>) -> Scalar {
    let known = tag.filter(|tag| tag.is_yaml_core_schema()).map(|tag| tag.suffix.as_str());
    let kind = match (known, style) {
        (Some("str"), _) => Kind::Text,
        (Some("float"), _) => match scalar::kind(&text) {
            Kind::Integer(_) => text.parse().map_or(Kind::Text, Kind::Float),
            other => other,
        },
        (Some("int" | "bool" | "null"), _) | (_, ScalarStyle::Plain) => scalar::kind(&text),
        _ => Kind::Text,
    };
    Scalar { text, kind }
}

fn start(span: Span) -> Position {
    Position { line: span.start.line().max(1), column: span.start.col() + 1 }
}

fn syntax(error: &ScanError) -> ParseError {
    let mark = error.marker();
    let position = Position { line: mark.line().max(1), column: mark.col() + 1 };
    ParseError::Syntax { position, problem: error.info().to_owned() }
}

fn unexpected(position: Position) -> ParseError {
    ParseError::Syntax { position, problem: "unexpected end of the document".to_owned() }
}
