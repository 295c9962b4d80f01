//! The report: aligned lines for people, one JSON object for scripts.

use std::io::{self, IsTerminal};

use hermes_proto::Fault;
use hermes_proto::HostEnvironment;
use serde::Serialize;

use super::checks::Area;
use super::finding::{Checked, Status};
use crate::context::Context;
use crate::exit::Failure;

/// Who the report is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Human,
    Json,
}

pub(super) fn print(form: Form, checked: &[Checked], context: &mut Context) -> Result<(), Failure> {
    match form {
        Form::Human => {
            let paint = Paint::fitting(&context.environment);
            context.print(human(checked, paint))
        }
        Form::Json => context.line(json(checked)?),
    }
}

/// Whether words may carry colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paint {
    Plain,
    Coloured,
}

impl Paint {
    /// Colour only for a terminal whose user did not ask for none.
    fn fitting(environment: &HostEnvironment) -> Self {
        let refused = environment.get("NO_COLOR").is_some_and(|value| !value.is_empty())
            || environment.text("TERM").is_none_or(|terminal| terminal == "dumb");
        if !refused && io::stdout().is_terminal() { Self::Coloured } else { Self::Plain }
    }

    fn status(self, status: Status, text: &str) -> String {
        let colour = match status {
            Status::Ok => 32,
            Status::Warning => 33,
            Status::Failure => 31,
        };
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("\x1b[{colour}m{text}\x1b[0m"),
        }
    }
}

fn human(checked: &[Checked], paint: Paint) -> String {
    const STATUS_WIDTH: usize = 9;
    let name_width = checked.iter().map(|one| one.check.name.len()).max().unwrap_or_default() + 2;
    let mut text = String::new();
    for Checked { check, finding } in checked {
        let status = paint.status(finding.status, &format!("{:<STATUS_WIDTH$}", finding.status.word()));
        text.push_str(&format!("{status}{:<name_width$}{}\n", check.name, finding.seen));
        if let Some(advice) = &finding.advice {
            text.push_str(&format!("{:STATUS_WIDTH$}-> {advice}\n", ""));
        }
    }
    text.push_str(&format!("\n{}\n", summary(checked)));
    text
}

fn summary(checked: &[Checked]) -> String {
    let count = |status: Status| checked.iter().filter(|one| one.finding.status == status).count();
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    format!(
        "{}: {} ok, {}, {}",
        plural(checked.len(), "check"),
        count(Status::Ok),
        plural(count(Status::Warning), "warning"),
        plural(count(Status::Failure), "failure")
    )
}

/// The JSON object. Its names are part of the interface.
#[derive(Debug, Serialize)]
struct Report<'a> {
    status: Status,
    checks: Vec<Line<'a>>,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    area: Area,
    name: &'a str,
    status: Status,
    seen: &'a str,
    advice: Option<&'a str>,
}

impl<'a> From<&'a Checked> for Line<'a> {
    fn from(one: &'a Checked) -> Self {
        Self {
            area: one.check.area,
            name: one.check.name,
            status: one.finding.status,
            seen: &one.finding.seen,
            advice: one.finding.advice.as_deref(),
        }
    }
}

fn json(checked: &[Checked]) -> Result<String, Failure> {
    let report = Report { status: Status::worst(checked), checks: checked.iter().map(Line::from).collect() };
    serde_json::to_string_pretty(&report)
        .map_err(|error| Failure::new(Fault::Failed, format_args!("cannot write the report as JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use super::super::checks::Check;
    use super::super::finding::{Checked, Finding};
    use super::{Paint, human};

    fn example() -> [Checked; 3] {
        const HOME: &Check = &Check::example("home");
        const PYTHON: &Check = &Check::example("python3");
        [
            Checked { check: HOME, finding: Finding::ok("~/.hermes (0700)") },
            Checked { check: PYTHON, finding: Finding::warning("not found", "install it") },
            Checked { check: HOME, finding: Finding::failure("gone", "bring it back") },
        ]
    }

    #[test]
    fn lines_are_aligned_and_readable_without_colour() {
        let expected = "\
ok       home     ~/.hermes (0700)
warning  python3  not found
         -> install it
failure  home     gone
         -> bring it back

3 checks: 1 ok, 1 warning, 1 failure
";
        assert_eq!(human(&example(), Paint::Plain), expected);
    }

    #[test]
    fn colour_changes_nothing_but_the_colour() {
        let coloured = human(&example(), Paint::Coloured);
        assert!(coloured.starts_with("\x1b[32mok       \x1b[0mhome"), "{coloured}");
        let bare =
            ["\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"].iter().fold(coloured, |text, code| text.replace(code, ""));
        assert_eq!(bare, human(&example(), Paint::Plain));
    }
}
