//! What a message asks to be done, in the order in which it stands there.
//!
//! Only lines that begin with `$ ` and complete blocks of Python count. Lines inside of other fences are somebody's text, and
//! a block that is not closed may be half of what was meant: neither is run.

use serde_json::{Value as Json, json};

/// Tasks of one message that are done; more are a pasted log, not a wish.
const MOST_TASKS: usize = 50;

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Task {
    Command(String),
    Python(String),
}

impl Task {
    pub(super) fn tool(&self) -> &'static str {
        match self {
            Self::Command(_) => "terminal",
            Self::Python(_) => "execute_code",
        }
    }

    pub(super) fn arguments(&self) -> Json {
        match self {
            Self::Command(command) => json!({ "command": command }),
            Self::Python(code) => json!({ "code": code }),
        }
    }
}

/// What a message asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) tasks: Vec<Task>,
    /// A block of Python begins and does not end.
    pub(super) is_open: bool,
}

impl Plan {
    pub(super) fn of(message: &str) -> Self {
        let mut plan = Self::default();
        let mut lines = message.lines();
        while let Some(line) = lines.next() {
            let trimmed = line.trim_start();
            if let Some(language) = trimmed.strip_prefix("```") {
                plan.fence(language.trim(), &mut lines);
            } else if let Some(command) = trimmed.strip_prefix("$ ").map(str::trim).filter(|text| !text.is_empty()) {
                plan.tasks.push(Task::Command(continued(command, &mut lines)));
            }
        }
        plan.tasks.truncate(MOST_TASKS);
        plan
    }

    fn fence<'a>(&mut self, language: &str, lines: &mut impl Iterator<Item = &'a str>) {
        let is_python = ["python", "py", "python3"].iter().any(|name| language.eq_ignore_ascii_case(name));
        let mut code = String::new();
        for line in lines {
            if line.trim() == "```" {
                if is_python && !code.trim().is_empty() {
                    self.tasks.push(Task::Python(code));
                }
                return;
            }
            code.push_str(line);
            code.push('\n');
        }
        self.is_open |= is_python;
    }
}

/// A command with the lines that a backslash at its end adds.
fn continued<'a>(command: &str, lines: &mut impl Iterator<Item = &'a str>) -> String {
    let mut whole = command.to_owned();
    while whole.ends_with('\\') {
        let Some(next) = lines.next() else { break };
        whole.push('\n');
        whole.push_str(next);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_meant_is_done() {
        let command = |text: &str| Task::Command(text.to_owned());
        for (message, expected) in [
            ("", vec![]),
            ("hello", vec![]),
            ("it costs $ 5", vec![]),
            ("$HOME", vec![]),
            ("$ ", vec![]),
            ("$ ls", vec![command("ls")]),
            ("please\n  $ ls -la  \nand\n$ pwd", vec![command("ls -la"), command("pwd")]),
            ("$ echo a \\\n  b\n$ c", vec![command("echo a \\\n  b"), command("c")]),
            ("$ echo \\", vec![command("echo \\")]),
            ("```\n$ rm x\n```", vec![]),
            ("```sh\n$ rm x\n```\n$ ls", vec![command("ls")]),
            ("```python\nprint(1)\n```", vec![Task::Python("print(1)\n".to_owned())]),
            ("$ ls\n```py\nx\n```\n$ ls", vec![command("ls"), Task::Python("x\n".to_owned()), command("ls")]),
            ("```python\n\n```", vec![]),
        ] {
            assert_eq!(Plan::of(message), Plan { tasks: expected, is_open: false }, "{message}");
        }
        assert_eq!(Plan::of("```python\nprint(1)"), Plan { tasks: vec![], is_open: true });
        assert_eq!(Plan::of(&"$ x\n".repeat(1000)).tasks.len(), MOST_TASKS);
    }
}
