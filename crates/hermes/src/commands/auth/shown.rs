//! A credential as it may be shown: everything but its value.

use hermes_home::credentials::Credential;
use hermes_home::credentials::Source;
use hermes_home::credentials::auth_file::Place;
use serde::Serialize;

/// One row of a list, as a table and as JSON have it.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    provider: String,
    number: usize,
    id: Option<String>,
    label: String,
    r#type: &'static str,
    source: &'static str,
    variable: Option<&'static str>,
    priority: Option<i64>,
    /// Its last characters at most; null where there is only a record about it.
    value: Option<String>,
}

impl Shown {
    pub(super) fn of(one: &Credential) -> Self {
        let entry = match &one.source {
            Source::AuthFile(Place::Pool { entry, .. }) => Some(entry),
            _ => None,
        };
        Self {
            provider: one.provider.to_string(),
            number: one.number,
            id: entry.and_then(|entry| entry.id.clone()),
            label: one.label.clone(),
            r#type: one.kind.as_str(),
            source: one.source.as_str(),
            variable: one.source.variable(),
            priority: entry.map(|entry| entry.priority),
            value: one.secret.as_ref().map(hermes_proto::Secret::masked),
        }
    }

    fn cells(&self) -> [String; 6] {
        [
            printable(&self.provider),
            self.number.to_string(),
            printable(&self.label),
            self.r#type.to_owned(),
            self.source.to_owned(),
            printable(self.value.as_deref().unwrap_or("-")),
        ]
    }
}

/// The rows as lines of a table with a heading.
pub(super) fn table(rows: &[Shown]) -> Vec<String> {
    let heading = ["PROVIDER", "#", "LABEL", "TYPE", "SOURCE", "VALUE"].map(str::to_owned);
    let all: Vec<_> = std::iter::once(heading).chain(rows.iter().map(Shown::cells)).collect();
    let width = |column: usize| all.iter().map(|cells| cells[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 6] = std::array::from_fn(width);
    let line = |cells: &[String; 6]| {
        let padded: Vec<_> = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    all.iter().map(line).collect()
}

/// Text from a file, with nothing in it that a terminal would obey.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { '?' } else { character }).collect()
}
