//! Text typed into a job that runs.
//!
//! Whoever may type into a shell that is already running runs commands. So what is typed is judged
//! as that shell would read it, once as a pipe hands it on and once as a terminal does, which
//! takes erased characters out and makes a line end of a carriage return.

use std::borrow::Cow;

use hermes_proto::consent::ActionKind;
use hermes_proto::executor::{JobAction, JobId, JobRequest};

use crate::action::{Action, Judged};

/// Input for a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobInput {
    id: JobId,
    typed: JobAction,
    judged: String,
}

impl JobInput {
    /// Bytes as they are.
    pub fn bytes(id: JobId, data: impl Into<String>) -> Self {
        let data = data.into();
        Self { id, judged: judged(&data), typed: JobAction::Write { data } }
    }

    /// A line, ended as the job expects it.
    pub fn line(id: JobId, line: impl Into<String>) -> Self {
        let line = line.into();
        Self { id, judged: judged(&line), typed: JobAction::Submit { line } }
    }

    /// Which job it is for.
    pub fn id(&self) -> &JobId {
        &self.id
    }

    /// As an executor is asked for it.
    pub fn into_request(self) -> JobRequest {
        JobRequest::One { id: self.id, action: self.typed }
    }

    fn data(&self) -> &str {
        match &self.typed {
            JobAction::Write { data } => data,
            JobAction::Submit { line } => line,
            _ => "",
        }
    }
}

impl Action for JobInput {
    fn kind(&self) -> ActionKind {
        ActionKind::JobInput
    }

    fn shown(&self) -> Cow<'_, str> {
        format!("input for {}: {}", self.id, self.data()).into()
    }

    fn judged(&self) -> Judged<'_> {
        Judged::Shell(&self.judged)
    }
}

/// What a shell would make of it, at a terminal and behind a pipe.
fn judged(data: &str) -> String {
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !data.contains(is_control) {
        return data.to_owned();
    }
    let piped: String = data.chars().map(|c| if is_control(c) { '\n' } else { c }).collect();
    format!("{}\n{piped}", edited(data))
}

/// What is left when a terminal has obeyed the keys that erase.
fn edited(data: &str) -> String {
    let mut text = String::new();
    for c in data.chars() {
        match c {
            '\u{7f}' | '\u{8}' if text.ends_with('\n') => {}
            '\u{7f}' | '\u{8}' => drop(text.pop()),
            '\u{15}' => text.truncate(text.rfind('\n').map_or(0, |end| end + 1)),
            '\u{17}' => {
                let line = text.rfind('\n').map_or(0, |end| end + 1);
                let before = text[line..].trim_end().rfind([' ', '\t']).map_or(0, |space| space + 1);
                text.truncate(line + before);
            }
            '\t' => text.push(c),
            c if c.is_control() => text.push('\n'),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use hermes_policy::{Class, Context, judge};
    use hermes_proto::executor::JobId;

    use super::{JobInput, edited};
    use crate::action::{Action, Judged};

    #[test]
    fn keys_that_erase_are_obeyed() {
        let check = |typed: &str, expected: &str| assert_eq!(edited(typed), expected, "{typed:?}");
        check("rm -rf /x\u{7f}\n", "rm -rf /\n");
        check("one\ntwo\u{15}three", "one\nthree");
        check("\u{7f}a\n\u{8}b", "a\nb");
        check("rm harmless\u{17}-rf /", "rm -rf /");
        check("a\rb", "a\nb");
    }

    #[test]
    fn what_a_running_shell_would_do_is_seen_whatever_keys_are_pressed() {
        for typed in [
            "rm -rf /\n",
            "\u{15}rm -rf /\r",
            "\u{3}rm -rf /\n",
            "rm -rf /tmp\u{7f}\u{7f}\u{7f}\n",
            "true\rrm -rf /\r",
            "rm -rf / #\u{15}\n",
            "echo -n\u{17}\u{15}rm -rf /",
        ] {
            let input = JobInput::bytes(JobId::from("proc_1".to_owned()), typed);
            let Judged::Shell(text) = input.judged() else { panic!("not judged as a shell's text") };
            assert_eq!(judge(text, &Context::default()).class, Class::Floor, "{typed:?} as {text:?}");
        }
    }
}
