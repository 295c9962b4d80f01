//! One setting, as cheaply as possible: one file is read, nothing is typed.

use super::load::tree;
use super::reader::variable_node;
use super::shape::{self, Field};
use super::{Config, ConfigError, KeyPath, Value};
use crate::yaml::{Content, Kind, Node, Scalar};
use crate::{Home, dotenv, files};
use hermes_proto::HostEnvironment;

/// The value of a setting as it is written, else of its variable, else its default.
pub fn get(home: &Home, environment: &HostEnvironment, key: &KeyPath) -> Result<Option<Value>, ConfigError> {
    let path = home.config_path();
    let bytes = files::read(&path)?.unwrap_or_default();
    let tree = tree(&path, &bytes)?;
    if let Some(node) = tree.at(key.segments()).filter(|node| !is_blank(node)) {
        return Ok(Some(node.clone().into()));
    }
    let Some(field) = shape::find(Config::FIELDS, key.segments()) else { return Ok(None) };
    if let Some(value) = from_variable(home, environment, field)? {
        return Ok(Some(value));
    }
    let default = (field.default)();
    Ok((!default.is_null()).then(|| Value::from_json(&default)))
}

/// The known setting that looks most like this key.
pub fn nearest(key: &KeyPath) -> Option<String> {
    shape::nearest(Config::FIELDS, key.segments())
}

fn from_variable(home: &Home, environment: &HostEnvironment, field: &Field) -> Result<Option<Value>, ConfigError> {
    let Some(name) = field.variable.name(field.name) else { return Ok(None) };
    let value = match environment.text(&name) {
        Some(value) => Some(value.to_owned()),
        None => dotenv::load(home)?.get(&name).map(str::to_owned),
    };
    let value = value.filter(|value| !value.is_empty());
    Ok(value.map(|value| variable_node(&value, &field.shape).into()))
}

/// A key with nothing behind it.
fn is_blank(node: &Node) -> bool {
    matches!(&node.content, Content::Scalar(Scalar { kind: Kind::Null, text }) if text.is_empty())
}
