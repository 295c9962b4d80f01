//! config.yaml: what the operator decided, typed, with the place of everything that
//! is wrong in it.
//!
//! Order of precedence: command line, config.yaml, the environment and `.env`,
//! defaults. Nothing is cached: another process may change the file at any time.

#[macro_use]
mod declare;
mod draft;
mod error;
mod expand;
mod finding;
mod get;
mod good_copy;
mod key_path;
mod list;
mod load;
mod mask;
mod reader;
mod secret_key;
mod sections;
mod set;
mod setting;
mod shape;
mod show;
mod value;

pub use draft::{Draft, Edited};
pub use error::ConfigError;
pub use finding::{Finding, Origin, Problem, Severity, Siblings};
pub use get::{get, nearest};
pub use key_path::{InvalidKeyPath, KeyPath};
pub use list::{add_to_list, list, remove_from_list};
pub use load::{Fallback, Loaded, Overrides, check, load, load_for_running_program};
pub use secret_key::secret_variable;
pub use sections::*;
pub use set::{set, unset};
pub use show::show;
pub use value::Value;

pub use crate::yaml::{EditError, ParseError, Position};

#[cfg(test)]
mod tests;
