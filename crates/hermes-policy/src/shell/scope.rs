//! What the text has said so far: variables, functions, aliases, positional
//! parameters and the working folder.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use brush_parser::ast::FunctionBody;

use super::UNKNOWN;
use super::limits::ALTERNATIVES;
use super::path::Place;

/// What a variable may hold: one list of words per way the text could have gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    /// Each is a scalar (one word) or an array.
    pub(super) options: Vec<Vec<String>>,
}

impl Value {
    pub(super) fn scalar(text: impl Into<String>) -> Self {
        Self { options: vec![vec![text.into()]] }
    }

    pub(super) fn unknown() -> Self {
        Self::scalar(UNKNOWN)
    }

    /// Joins what two ways of reading say, up to the bound.
    pub(super) fn or(&mut self, other: Value) {
        for option in other.options {
            if self.options.len() < ALTERNATIVES && !self.options.contains(&option) {
                self.options.push(option);
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Function {
    pub(super) body: FunctionBody,
    pub(super) walked: std::cell::Cell<usize>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    variables: HashMap<String, Value>,
    pub(super) functions: HashMap<String, Rc<Function>>,
    pub(super) aliases: HashMap<String, String>,
    /// `$0`, where a text was given one.
    pub(super) zero: Option<String>,
    /// `$1` …, where known.
    pub(super) positional: Option<Vec<String>>,
    pub(super) folder: Option<String>,
    /// What the text wrote into files.
    pub(super) files: HashMap<String, String>,
    /// Files that the text made executable.
    pub(super) executables: HashSet<String>,
    /// Inside a branch or loop: an assignment adds to what was there.
    pub(super) conditional: usize,
    changes: usize,
}

impl Scope {
    pub(super) fn new(place: &Place) -> Self {
        Self { folder: place.folder().map(ToOwned::to_owned), ..Self::default() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)
    }

    /// How often a variable came to hold something new.
    pub(super) fn changes(&self) -> usize {
        self.changes
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        if self.variables.get(name) != Some(&value) {
            self.changes += 1;
        }
        if self.conditional > 0 {
            match self.variables.get_mut(name) {
                Some(old) => old.or(value),
                None => {
                    self.variables.insert(name.to_owned(), value);
                }
            }
        } else {
            self.variables.insert(name.to_owned(), value);
        }
    }

    pub(super) fn unset(&mut self, name: &str) {
        if self.conditional == 0 {
            self.variables.remove(name);
        }
        self.functions.remove(name);
    }
}

/// What a variable holds that the text did not set.
pub(super) fn inherited(name: &str, place: &Place, folder: Option<&str>) -> Option<String> {
    Some(match name {
        "HOME" => place.home().to_owned(),
        "HERMES_HOME" => place.hermes_home().to_owned(),
        "PWD" => folder?.to_owned(),
        "IFS" => " \t\n".to_owned(),
        "SHELL" | "BASH" => "/bin/bash".to_owned(),
        // Its first characters are all that is certain.
        "PATH" => format!("/{UNKNOWN}"),
        "TMPDIR" => "/tmp".to_owned(),
        "UID" | "EUID" | "PPID" | "RANDOM" | "SECONDS" | "LINENO" | "SHLVL" => UNKNOWN.to_string(),
        _ => return None,
    })
}
