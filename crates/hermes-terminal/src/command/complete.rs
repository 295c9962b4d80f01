//! What could be typed next in a slash command.

use super::read::names;
use super::table::{Offered, ROWS};
use crate::conversation::Candidates;

/// One way to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Completion {
    /// Bytes of the line that it replaces, from here to the cursor.
    pub(crate) start: usize,
    pub(crate) text: String,
    pub(crate) help: String,
}

/// What could stand where the cursor is; `line` ends there.
pub(crate) fn completions(line: &str, candidates: impl FnOnce(Candidates) -> Vec<String>) -> Vec<Completion> {
    let Some(command) = line.strip_prefix('/') else { return Vec::new() };
    let Some((name, argument)) = command.split_once(' ') else { return commands(command) };
    let Some(row) = ROWS.iter().find(|row| names(row).any(|full| full == name)) else { return Vec::new() };
    let words = match row.candidates {
        Offered::Nothing => return Vec::new(),
        Offered::Words(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        Offered::Asked(what) => candidates(what),
    };
    let start = line.len() - argument.len();
    let fits = |word: &String| word.to_lowercase().starts_with(&argument.to_lowercase());
    words.into_iter().filter(fits).map(|text| Completion { start, text, help: String::new() }).collect()
}

fn commands(beginning: &str) -> Vec<Completion> {
    let of_row = |row| names(row).map(move |name| (name, row));
    ROWS.iter()
        .flat_map(of_row)
        .filter(|(name, _)| name.starts_with(beginning))
        .map(|(name, row)| Completion { start: 0, text: format!("/{name}"), help: row.help.to_owned() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Candidates, completions};

    fn texts(line: &str) -> Vec<(usize, String)> {
        let models = |what: Candidates| match what {
            Candidates::Models => vec!["Opus".to_owned(), "other".to_owned()],
            Candidates::Sessions => vec!["latest".to_owned()],
        };
        completions(line, models).into_iter().map(|completion| (completion.start, completion.text)).collect()
    }

    #[test]
    fn commands_and_their_arguments_are_completed() {
        for (line, expected) in [
            ("/re", vec![(0, "/reset"), (0, "/retry"), (0, "/resume")]),
            ("/yolo o", vec![(6, "on"), (6, "off")]),
            ("/model op", vec![(7, "Opus")]),
            ("/resume ", vec![(8, "latest")]),
            ("/tools x", vec![]),
            ("hello /re", vec![]),
            ("/nothing ", vec![]),
        ] {
            let mut found = texts(line);
            let mut expected: Vec<_> = expected.into_iter().map(|(start, text)| (start, text.to_owned())).collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{line}");
        }
    }
}
