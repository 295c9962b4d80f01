//! `clarify`: asks the person what was meant. An answer is information, never consent.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::event::ToolOutcome;
use crate::person::{Answer, Question};
use crate::registry::Toolset;
use crate::tool::{Arguments, BadArguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

/// Choices that are shown; another answer can always be given.
const MOST_CHOICES: usize = 4;

#[derive(Debug, Deserialize)]
struct Wanted {
    question: String,
    #[serde(default)]
    choices: Vec<String>,
}

#[derive(Debug)]
pub struct Clarify;

impl Clarify {
    const NAME: &'static str = "clarify";

    fn question(arguments: Arguments) -> Result<Question, BadArguments> {
        let Wanted { question, mut choices } = arguments.read(Self::NAME)?;
        let text = question.trim().to_owned();
        if text.is_empty() {
            return Err(BadArguments { tool: Self::NAME, detail: "question is empty".to_owned() });
        }
        choices.retain(|choice| !choice.trim().is_empty());
        choices.truncate(MOST_CHOICES);
        Ok(Question { text, choices })
    }
}

fn reply(question: &Question, answer: Answer) -> ToolReply {
    let nothing = |outcome, error: &str| ToolReply { outcome, ..ToolReply::failed(error) };
    match answer {
        Answer::Said(text) => ToolReply::done(
            json!({"question": question.text, "choices_offered": question.choices, "user_response": text}),
            "answered",
        ),
        Answer::Declined => nothing(
            ToolOutcome::Refused,
            "the user does not want to answer: go on with your best judgement, and say which",
        ),
        Answer::TimedOut => {
            nothing(ToolOutcome::Failed, "nobody answered: go on with the most careful assumption, and say which")
        }
        Answer::Nobody => nothing(
            ToolOutcome::Failed,
            "nobody can be asked here: go on with the most careful assumption, and say which",
        ),
        Answer::Cancelled => nothing(ToolOutcome::Interrupted, "interrupted before an answer came"),
    }
}

impl Tool for Clarify {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn toolset(&self) -> Toolset {
        Toolset::Clarify
    }

    fn description(&self) -> &'static str {
        "Ask the user one question when the task is ambiguous and the choice matters. Give up to 4 `choices`, or none for \
         an open question; the user can always answer in other words. Not for permission to run commands: that is asked by \
         itself. Prefer a sensible default for details that are easily changed later."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "question": {"type": "string", "description": "The question"},
                "choices": {
                    "type": "array",
                    "items": {"type": "string"},
                    "maxItems": MOST_CHOICES,
                    "description": "Answers to choose from; leave out for an open question",
                },
            },
            "required": ["question"],
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Alone
    }

    fn preview(&self, arguments: &Value) -> String {
        arguments["question"].as_str().unwrap_or_default().to_owned()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move {
            let question = match Self::question(arguments) {
                Ok(question) => question,
                Err(error) => return ToolReply::failed(error),
            };
            let answer = tokio::select! {
                answer = context.person.clarify(&question) => answer,
                () = context.turn.cancellation().cancelled() => Answer::Cancelled,
            };
            reply(&question, answer)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Clarify, reply};
    use crate::event::ToolOutcome;
    use crate::person::{Answer, Question};
    use crate::tool::Arguments;

    #[test]
    fn a_question_is_trimmed_and_its_choices_bounded() {
        let arguments = json!({"question": " Which? ", "choices": ["a", " ", "b", "c", "d", "e"]});
        let question = Clarify::question(Arguments(arguments)).unwrap();
        let choices = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        assert_eq!(question, Question { text: "Which?".to_owned(), choices });
        let error = Clarify::question(Arguments(json!({"question": "  "}))).unwrap_err();
        assert_eq!(error.to_string(), "arguments do not fit clarify: question is empty");
    }

    #[test]
    fn only_words_of_a_person_are_an_answer() {
        let question = Question { text: "Which?".to_owned(), choices: Vec::new() };
        for (answer, outcome) in [
            (Answer::Said("b".to_owned()), ToolOutcome::Done),
            (Answer::Declined, ToolOutcome::Refused),
            (Answer::TimedOut, ToolOutcome::Failed),
            (Answer::Nobody, ToolOutcome::Failed),
            (Answer::Cancelled, ToolOutcome::Interrupted),
        ] {
            let reply = reply(&question, answer);
            assert_eq!(reply.outcome, outcome);
            assert_eq!(reply.content.get("user_response").is_some(), outcome == ToolOutcome::Done);
        }
    }
}
