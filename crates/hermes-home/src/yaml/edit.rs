//! Changing one key of a document and nothing else.
//!
//! A configuration file is somebody's work: comments, order, blank lines and quotes
//! stay. `yaml-edit` does the change; it reads YAML its own way, so no result is
//! believed before it was read back and found to be the old tree plus this change.

use super::node::index;
use super::splice::{append, edit};
use super::{Content, Entry, Node, ParseError, Position, Scalar, parse};

/// Why a key was not changed; the text it was asked for is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error(transparent)]
    Parse(#[from] ParseError),
    #[error("{parent} is {found} ({position}), so {key} cannot be set below it")]
    BelowValue { key: String, parent: String, found: &'static str, position: Position },
    #[error("{parent} has {length} items ({position}); {key} is past its end")]
    PastEnd { key: String, parent: String, length: usize, position: Position },
    #[error("{key} stands for another value by an alias ({position})")]
    Alias { key: String, position: Position },
    #[error("{key} comes from a merge key (<<) and is not written where it applies ({position})")]
    Merged { key: String, position: Position },
    #[error("{key} appears more than once; the last one ({position}) counts")]
    Duplicate { key: String, position: Position },
    #[error("{key} cannot be changed without changing something else in the file")]
    Unfaithful { key: String },
}

/// The text with this value at this path, which is created where it is missing.
pub(crate) fn set(text: &[u8], path: &[String], value: &Node) -> Result<String, EditError> {
    let tree = parse(text)?;
    let text = String::from_utf8_lossy(text);
    let spot = locate(&tree, path)?;
    let value = wrap(&path[spot.depth + 1..], value.clone());
    let mut expected = tree.clone();
    if let Some(container) = descend(&mut expected, &path[..spot.depth]) {
        put(container, &path[spot.depth], &value);
    }
    let steps = keys(&tree, path, spot.depth);
    let edited = edit(&text, &steps, |container| container.set(&steps[spot.depth], &value));
    let appended = (spot.depth == 0).then(|| append(&text, &path[0], &value));
    let candidates = edited.into_iter().chain(appended);
    faithful(candidates, &expected).ok_or_else(|| EditError::Unfaithful { key: path.join(".") })
}

/// The text with this value at the end of the list at this path. A list that is missing is created; the items that are there,
/// and what people wrote beside them, stay.
pub(crate) fn push(text: &[u8], path: &[String], value: &Node) -> Result<String, EditError> {
    let tree = parse(text)?;
    let mut items = match tree.at(path).map(|node| &node.content) {
        Some(Content::List(items)) => items.clone(),
        _ => return set(text, path, &Node::new(Content::List(vec![value.clone()]))),
    };
    written(&tree, path)?;
    items.push(value.clone());
    let whole = Node::new(Content::List(items));
    let mut expected = tree.clone();
    let (last, parents) = path.split_last().ok_or_else(|| EditError::Unfaithful { key: String::new() })?;
    if let Some(container) = descend(&mut expected, parents) {
        put(container, last, &whole);
    }
    let mut steps = keys(&tree, path, path.len() - 1);
    steps.push(Scalar::text("0"));
    let edited = edit(&String::from_utf8_lossy(text), &steps, |container| container.push(value));
    faithful(edited.into_iter(), &expected).map_or_else(|| set(text, path, &whole), Ok)
}

/// The text without this path, `None` if it has none. Maps that only led to it go
/// too, unless a comment would go with them.
pub(crate) fn unset(text: &[u8], path: &[String]) -> Result<Option<String>, EditError> {
    let tree = parse(text)?;
    if tree.at(path).is_none() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(text);
    let depth = path.len() - 1;
    written(&tree, path)?;
    let bare = remove(&text, &tree, path, depth)?;
    let mut best = bare.clone();
    for shallower in (0..depth).rev() {
        let leads_only_here = tree
            .at(&path[..=shallower])
            .is_some_and(|node| matches!(&node.content, Content::Map(entries) if entries.len() == 1));
        if !leads_only_here {
            break;
        }
        match remove(&text, &tree, path, shallower) {
            Ok(pruned) if comments(&pruned).eq(comments(&bare)) => best = pruned,
            _ => break,
        }
    }
    Ok(Some(best))
}

/// Removes the entry that the first `depth + 1` segments lead to.
fn remove(text: &str, tree: &Node, path: &[String], depth: usize) -> Result<String, EditError> {
    let mut expected = tree.clone();
    if let Some(container) = descend(&mut expected, &path[..depth]) {
        drop_child(container, &path[depth]);
    }
    let steps = keys(tree, path, depth);
    let edited = edit(text, &steps, |container| container.remove(&steps[depth]));
    let emptied = edited.as_ref().filter(|_| matches!(&expected.content, Content::Map(entries) if entries.is_empty()));
    // A file that has become empty is left without the `{}` that would make the next key a flow map.
    let tidy = emptied.map(|text| text.replacen("{}\r\n", "", 1).replacen("{}\n", "", 1));
    faithful(tidy.into_iter().chain(edited), &expected).ok_or_else(|| EditError::Unfaithful { key: path.join(".") })
}

/// How far a path exists as containers, and where the change has to be made.
struct Spot {
    /// The segment of the path that is a key of the deepest existing container.
    depth: usize,
}

fn locate(tree: &Node, path: &[String]) -> Result<Spot, EditError> {
    let mut node = tree;
    for (depth, segment) in path.iter().enumerate() {
        let key = || path.join(".");
        let parent = || path[..depth].join(".");
        let position = node.position;
        match &node.content {
            Content::Scalar(_) if node.is_null() => return Ok(Spot { depth: depth - 1 }),
            Content::Scalar(_) => {
                return Err(EditError::BelowValue { key: key(), parent: parent(), found: node.describe(), position });
            }
            Content::List(items) => match index(segment) {
                None => return Err(EditError::BelowValue { key: key(), parent: parent(), found: "a list", position }),
                Some(wanted) if wanted >= items.len() => {
                    return Err(EditError::PastEnd { key: key(), parent: parent(), length: items.len(), position });
                }
                Some(_) => {}
            },
            Content::Map(_) => {}
        }
        check_entry(node, segment, &path[..=depth])?;
        match node.child(segment) {
            Some(child) if depth + 1 < path.len() && !is_merged(node, segment) => {
                refuse_alias(child, &path[..=depth])?;
                node = child;
            }
            Some(_) if depth + 1 < path.len() => return Err(merged(node, segment, &path[..=depth])),
            _ => return Ok(Spot { depth }),
        }
    }
    Ok(Spot { depth: path.len() - 1 })
}

/// Everything on the path is written here, once.
fn written(tree: &Node, path: &[String]) -> Result<(), EditError> {
    let mut node = tree;
    for (depth, segment) in path.iter().enumerate() {
        check_entry(node, segment, &path[..=depth])?;
        if is_merged(node, segment) {
            return Err(merged(node, segment, &path[..=depth]));
        }
        let Some(child) = node.child(segment) else { return Ok(()) };
        if depth + 1 < path.len() {
            refuse_alias(child, &path[..=depth])?;
        }
        node = child;
    }
    Ok(())
}

fn check_entry(node: &Node, segment: &str, path: &[String]) -> Result<(), EditError> {
    let Content::Map(entries) = &node.content else { return Ok(()) };
    let mut found = entries.iter().filter(|entry| entry.key.text == segment);
    match (found.next(), found.next_back()) {
        (Some(_), Some(last)) => Err(EditError::Duplicate { key: path.join("."), position: last.position }),
        _ => Ok(()),
    }
}

fn is_merged(node: &Node, segment: &str) -> bool {
    node.entry(segment).is_some_and(|entry| entry.merged)
}

fn merged(node: &Node, segment: &str, path: &[String]) -> EditError {
    let position = node.entry(segment).map_or(node.position, |entry| entry.position);
    EditError::Merged { key: path.join("."), position }
}

fn refuse_alias(node: &Node, path: &[String]) -> Result<(), EditError> {
    match node.aliased {
        true => Err(EditError::Alias { key: path.join("."), position: node.position }),
        false => Ok(()),
    }
}

/// The value inside maps of these keys.
fn wrap(segments: &[String], value: Node) -> Node {
    let inside = |value, segment: &String| Node::new(Content::Map(vec![Entry::new(segment, value)]));
    segments.iter().rev().fold(value, inside)
}

fn descend<'tree>(node: &'tree mut Node, path: &[String]) -> Option<&'tree mut Node> {
    path.iter().try_fold(node, |node, segment| match &mut node.content {
        Content::Map(entries) => {
            entries.iter_mut().rev().find(|entry| entry.key.text == *segment).map(|entry| &mut entry.value)
        }
        Content::List(items) => items.get_mut(index(segment)?),
        Content::Scalar(_) => None,
    })
}

fn put(container: &mut Node, segment: &str, value: &Node) {
    match &mut container.content {
        Content::Map(entries) => match entries.iter_mut().find(|entry| entry.key.text == segment && !entry.merged) {
            Some(entry) => entry.value = value.clone(),
            None => {
                entries.retain(|entry| entry.key.text != segment);
                let own = entries.iter().filter(|entry| !entry.merged).count();
                entries.insert(own, Entry::new(segment, value.clone()));
            }
        },
        Content::List(items) => {
            if let Some(item) = index(segment).and_then(|index| items.get_mut(index)) {
                *item = value.clone();
            }
        }
        Content::Scalar(_) => {}
    }
}

fn drop_child(container: &mut Node, segment: &str) {
    match &mut container.content {
        Content::Map(entries) => entries.retain(|entry| entry.key.text != segment),
        Content::List(items) => {
            if let Some(index) = index(segment).filter(|index| *index < items.len()) {
                items.remove(index);
            }
        }
        Content::Scalar(_) => {}
    }
}

/// The segments of a path as the file writes them: a key that is a number there stays one.
fn keys(tree: &Node, path: &[String], depth: usize) -> Vec<Scalar> {
    let mut node = Some(tree);
    let key = |segment: &String| {
        let written = node.and_then(|node| node.entry(segment)).map(|entry| entry.key.clone());
        node = node.and_then(|node| node.child(segment));
        written.unwrap_or_else(|| Scalar::text(segment))
    };
    path[..=depth].iter().map(key).collect()
}

/// The first of these texts that means exactly what is expected.
fn faithful(candidates: impl Iterator<Item = String>, expected: &Node) -> Option<String> {
    let mut candidates = candidates;
    candidates.find(|text| parse(text.as_bytes()).is_ok_and(|tree| tree.same(expected)))
}

/// The comments that have a line of their own.
fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| line.starts_with('#'))
}
