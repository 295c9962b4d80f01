//! The text of a patch over several files, taken apart. Nothing is done here.

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operation {
    Add { path: String, content: String },
    Update { path: String, hunks: Vec<Hunk> },
    Delete { path: String },
    Move { from: String, to: String },
}

/// Text that becomes other text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: String,
    pub(super) new: String,
}

/// Why a text is no patch; the line counts from 1.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("patch cannot be read: line {line}: {problem}")]
pub(super) struct NotAPatch {
    line: usize,
    problem: String,
}

impl Operation {
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Add { path, .. } | Self::Update { path, .. } | Self::Delete { path } => path,
            Self::Move { to, .. } => to,
        }
    }
}

/// The changes of a patch, in their order. The lines around it may be missing.
pub(super) fn parse(text: &str) -> Result<Vec<Operation>, NotAPatch> {
    let mut reading = Reading { operations: Vec::new() };
    for (index, line) in text.lines().enumerate() {
        let step = reading.take(line).map_err(|problem| NotAPatch { line: index + 1, problem })?;
        if step == Step::Finished {
            break;
        }
    }
    reading.finish().map_err(|problem| NotAPatch { line: text.lines().count(), problem })
}

struct Reading {
    operations: Vec<Operation>,
}

#[derive(PartialEq, Eq)]
enum Step {
    More,
    Finished,
}

impl Reading {
    fn take(&mut self, line: &str) -> Result<Step, String> {
        if let Some(header) = line.strip_prefix("*** ") {
            return self.header(header.trim());
        }
        match self.operations.last_mut() {
            Some(Operation::Add { content, .. }) => added(content, line)?,
            Some(Operation::Update { hunks, .. }) => changed(hunks, line)?,
            _ if line.trim().is_empty() => {}
            _ => return Err(format!("{line:?} belongs to no file")),
        }
        Ok(Step::More)
    }

    fn header(&mut self, header: &str) -> Result<Step, String> {
        let path = |text: &str| match text.trim() {
            "" => Err("a path is missing".to_owned()),
            path => Ok(path.to_owned()),
        };
        let operation = if let Some(text) = header.strip_prefix("Update File:") {
            Operation::Update { path: path(text)?, hunks: Vec::new() }
        } else if let Some(text) = header.strip_prefix("Add File:") {
            Operation::Add { path: path(text)?, content: String::new() }
        } else if let Some(text) = header.strip_prefix("Delete File:") {
            Operation::Delete { path: path(text)? }
        } else if let Some(text) = header.strip_prefix("Move File:") {
            let (from, to) = text.split_once("->").ok_or("a move is written as FROM -> TO")?;
            Operation::Move { from: path(from)?, to: path(to)? }
        } else {
            return match header {
                "Begin Patch" | "End of File" => Ok(Step::More),
                "End Patch" => Ok(Step::Finished),
                other => Err(format!("{other:?} is no operation")),
            };
        };
        self.operations.push(operation);
        Ok(Step::More)
    }

    fn finish(self) -> Result<Vec<Operation>, String> {
        if self.operations.is_empty() {
            return Err("it changes nothing".to_owned());
        }
        self.operations.into_iter().map(cleaned).collect()
    }
}

/// The operation with hunks that can be applied.
fn cleaned(operation: Operation) -> Result<Operation, String> {
    let Operation::Update { path, hunks } = operation else { return Ok(operation) };
    // A hunk that only marks a place has nothing to replace.
    let hunks: Vec<_> = hunks.into_iter().filter(|hunk| hunk.old != hunk.new).map(Hunk::trimmed).collect();
    if hunks.is_empty() {
        return Err(format!("{path} has no changed lines"));
    }
    if hunks.iter().any(|hunk| hunk.old.is_empty()) {
        return Err(format!("a change of {path} only adds lines: give a line of context before or after them"));
    }
    Ok(Operation::Update { path, hunks })
}

impl Hunk {
    /// Empty lines at the end that stay: they stand between two parts of the patch more often than in the file.
    fn trimmed(mut self) -> Self {
        while self.old.ends_with("\n\n") && self.new.ends_with("\n\n") {
            self.old.pop();
            self.new.pop();
        }
        self
    }
}

fn added(content: &mut String, line: &str) -> Result<(), String> {
    let line = line.strip_prefix('+').ok_or_else(|| format!("lines of a new file start with +, not {line:?}"))?;
    content.push_str(line);
    content.push('\n');
    Ok(())
}

fn changed(hunks: &mut Vec<Hunk>, line: &str) -> Result<(), String> {
    if line.starts_with("@@") {
        hunks.push(Hunk::default());
        return Ok(());
    }
    if hunks.is_empty() {
        hunks.push(Hunk::default());
    }
    let Some(hunk) = hunks.last_mut() else { return Ok(()) };
    let mut keep = |text: &str, old: bool, new: bool| {
        for (is_kept, side) in [(old, &mut hunk.old), (new, &mut hunk.new)] {
            if is_kept {
                side.push_str(text);
                side.push('\n');
            }
        }
    };
    match line.split_at_checked(1) {
        Some((" ", text)) => keep(text, true, true),
        Some(("-", text)) => keep(text, true, false),
        Some(("+", text)) => keep(text, false, true),
        None => keep("", true, true),
        Some(_) => return Err(format!("lines of a change start with a space, - or +, not {line:?}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Hunk, Operation, parse};

    #[test]
    fn every_operation_is_read() {
        let text = "*** Begin Patch\n*** Update File: a b.py\n@@ def f @@\n one\n-two\n+2\n\n@@\n-three\n*** Add File: new\n+x\n+\n\
                    *** Delete File: old\n*** Move File: from -> to\n*** End Patch\nrest is not read";
        let hunk = |old: &str, new: &str| Hunk { old: old.to_owned(), new: new.to_owned() };
        let expected = vec![
            Operation::Update {
                path: "a b.py".to_owned(),
                hunks: vec![hunk("one\ntwo\n", "one\n2\n"), hunk("three\n", "")],
            },
            Operation::Add { path: "new".to_owned(), content: "x\n\n".to_owned() },
            Operation::Delete { path: "old".to_owned() },
            Operation::Move { from: "from".to_owned(), to: "to".to_owned() },
        ];
        assert_eq!(parse(text).unwrap(), expected);
    }

    #[test]
    fn what_cannot_be_read_says_where() {
        for (text, expected) in [
            ("", "line 0: it changes nothing"),
            ("*** Begin Patch\n*** End Patch", "line 2: it changes nothing"),
            ("*** Update File: a\n same", "line 2: a has no changed lines"),
            (
                "*** Update File: a\n@@ f @@\n+new",
                "line 3: a change of a only adds lines: give a line of context before or after them",
            ),
            ("*** Update File:\n-x", "line 1: a path is missing"),
            ("*** Add File: a\nx", "line 2: lines of a new file start with +, not \"x\""),
            ("*** Update File: a\n*x", "line 2: lines of a change start with a space, - or +, not \"*x\""),
            ("*** Rename File: a", "line 1: \"Rename File: a\" is no operation"),
            ("*** Move File: a", "line 1: a move is written as FROM -> TO"),
            ("hello", "line 1: \"hello\" belongs to no file"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), format!("patch cannot be read: {expected}"), "{text:?}");
        }
    }
}
