//! The walk from a tree of YAML to typed settings, collecting what is wrong.

use serde_json::Value as Json;

use super::finding::{Finding, Origin, Problem, Siblings};
use super::sections::Config;
use super::setting::Setting;
use super::shape::{Field, Shape};
use super::{KeyPath, expand};
use crate::dotenv::EnvFile;
use crate::yaml::{Content, Node, Position, Scalar};
use hermes_proto::HostEnvironment;

/// The process's environment first, then `.env`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variables<'a> {
    pub(crate) environment: &'a HostEnvironment,
    pub(crate) file: &'a EnvFile,
}

impl Variables<'_> {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.environment.text(name).or_else(|| self.file.get(name))
    }
}

/// Reads a whole configuration. Where a value is wrong its default stands in, and a
/// finding says so; findings are in the order of the file.
pub(crate) fn read(tree: &Node, variables: Variables<'_>) -> (Config, Vec<Finding>) {
    let mut reader = Reader { variables, path: Vec::new(), variable: None, findings: Vec::new() };
    let tree = expand::tree(tree, &mut reader);
    reader.repeated(&tree);
    let config = Config::read(&tree, &mut reader).unwrap_or_default();
    let mut findings = reader.findings;
    findings.sort_by(|one, other| one.origin.cmp(&other.origin));
    (config, findings)
}

pub(crate) struct Reader<'a> {
    pub(super) variables: Variables<'a>,
    path: Vec<String>,
    /// The variable whose value is being read instead of the file's.
    variable: Option<String>,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    /// Does something one step further down.
    pub(super) fn within<T>(&mut self, segment: &str, step: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(segment.to_owned());
        let outcome = step(self);
        self.path.pop();
        outcome
    }

    pub(super) fn report(&mut self, node: &Node, problem: Problem) {
        self.report_at(node.position, problem);
    }

    pub(super) fn report_at(&mut self, position: Position, problem: Problem) {
        let origin = match &self.variable {
            Some(name) => Origin::Variable(name.clone()),
            None => Origin::File(position),
        };
        self.findings.push(Finding { origin, key: KeyPath::of(&self.path), problem });
    }

    /// Passes a value on, or reports that there is none of this shape.
    pub(super) fn expect<T>(&mut self, value: Option<T>, node: &Node, shape: &Shape) -> Option<T> {
        if value.is_none() {
            self.report(node, Problem::WrongType { expected: shape.expected(), found: node.describe() });
        }
        value
    }

    /// Checks that this is a map of these fields, and names the keys that are none of them.
    pub(super) fn section(&mut self, node: &Node, fields: &'static [Field]) -> Option<()> {
        let Content::Map(entries) = &node.content else {
            return self.expect(None, node, &Shape::Section(fields));
        };
        let mut unknown: Vec<_> = entries.iter().filter(|entry| is_unknown(fields, &entry.key.text)).collect();
        unknown.dedup_by(|one, other| one.key.text == other.key.text);
        for entry in unknown {
            self.within(&entry.key.text, |reader| {
                reader.report_at(entry.position, Problem::UnknownKey(Siblings(fields)));
            });
        }
        Some(())
    }

    /// One field of a section: from the file, else from its variable; `None` leaves its default.
    pub(super) fn field<T: Setting>(&mut self, section: &Node, fields: &'static [Field], name: &str) -> Option<T> {
        let field = fields.iter().find(|field| field.name == name)?;
        let written = section.child(name).filter(|node| !node.is_null());
        self.within(name, |reader| match written {
            Some(node) => T::read(node, reader),
            None => reader.variable_value::<T>(field),
        })
    }

    fn variable_value<T: Setting>(&mut self, field: &Field) -> Option<T> {
        if matches!(T::SHAPE, Shape::Section(_)) {
            return T::read(&Node::empty_map(), self);
        }
        if self.variable.is_some() {
            return None;
        }
        let name = field.variable.name(field.name)?;
        let value = self.variables.get(&name).filter(|value| !value.is_empty())?;
        let node = variable_node(value, &T::SHAPE);
        self.variable = Some(name.into_owned());
        let read = T::read(&node, self);
        self.variable = None;
        read
    }

    /// Names the keys that a map has more than once.
    fn repeated(&mut self, node: &Node) {
        match &node.content {
            Content::Map(entries) => {
                let mut seen = std::collections::HashMap::new();
                for entry in entries {
                    self.within(&entry.key.text, |reader| {
                        if let Some(ignored) = seen.insert(entry.key.text.as_str(), entry.position) {
                            reader.report_at(entry.position, Problem::Repeated { ignored });
                        }
                        if !entry.value.aliased {
                            reader.repeated(&entry.value);
                        }
                    });
                }
            }
            Content::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.within(&index.to_string(), |reader| reader.repeated(item));
                }
            }
            Content::Scalar(_) => {}
        }
    }
}

/// A variable's text as a value: JSON where a list or a map is wanted, else a word.
pub(crate) fn variable_node(value: &str, shape: &Shape) -> Node {
    let word = || Node::new(Content::Scalar(Scalar::plain(value)));
    if !shape.is_composed() {
        return word();
    }
    serde_json::from_str::<Json>(value).map_or_else(|_| word(), |json| Node::from_json(&json))
}

fn is_unknown(fields: &[Field], name: &str) -> bool {
    fields.iter().all(|field| field.name != name)
}
