//! `hermes config check`: everything that is wrong or odd, each with its place.

use std::path::Path;

use clap::Args;
use hermes_home::config::{self, ConfigError, Finding, Origin, ParseError, Severity};
use hermes_proto::Fault;
use serde_json::{Value as Json, json};

use crate::context::Context;
use crate::exit::Failure;

/// Check config.yaml: unknown keys, wrong types and values, each with line and column
///
/// Ends with 78 if there are errors; warnings alone are fine.
#[derive(Debug, Args)]
pub(crate) struct Typed {
    /// Print a JSON list instead of lines
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let home = context.home()?;
    let path = home.config_path();
    let (lines, failed) = match config::check(&home, &context.environment) {
        Ok(findings) => {
            let failed = findings.iter().any(|finding| finding.severity() == Severity::Error);
            (findings.iter().map(|finding| Line::of(finding, &path)).collect(), failed)
        }
        Err(ConfigError::Unreadable { source, .. }) => (vec![Line::broken(&source, &path)], true),
        Err(error) => return Err(error.into()),
    };
    print(&lines, typed, context)?;
    if lines.is_empty() {
        context.note(format_args!("{}: nothing to mend", path.display()));
    }
    if failed { Err(Failure::Silent(Fault::Configuration)) } else { Ok(()) }
}

/// One finding, for people and for scripts.
struct Line {
    text: String,
    json: Json,
}

impl Line {
    fn of(finding: &Finding, path: &Path) -> Self {
        let severity = match finding.severity() {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let message = finding.to_string();
        let mut json = json!({ "severity": severity, "key": finding.key.to_string(), "message": message });
        let place = match &finding.origin {
            Origin::File(position) => {
                json["line"] = json!(position.line);
                json["column"] = json!(position.column);
                format!("{}:{}:{}", path.display(), position.line, position.column)
            }
            Origin::Variable(name) => {
                json["variable"] = json!(name);
                format!("variable {name}")
            }
        };
        Self { text: format!("{place}: {severity}: {message}"), json }
    }

    fn broken(error: &ParseError, path: &Path) -> Self {
        let position = error.position();
        let message = error.to_string();
        Self {
            text: format!("{}:{}:{}: error: {message}", path.display(), position.line, position.column),
            json: json!({ "severity": "error", "message": message, "line": position.line, "column": position.column }),
        }
    }
}

fn print(lines: &[Line], typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    if typed.json {
        let list: Vec<&Json> = lines.iter().map(|line| &line.json).collect();
        return context.line(format_args!("{:#}", json!(list)));
    }
    lines.iter().try_for_each(|line| context.line(&line.text))
}
