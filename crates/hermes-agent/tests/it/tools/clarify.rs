//! A question to the person, answered, given up and asked of nobody.

use std::sync::{Arc, Mutex};

use hermes_agent::{Answer, PendingAnswer, Person, Question, ToolOutcome};
use hermes_proto::turn::Surface;
use serde_json::json;

use super::{Bench, call};
use crate::ground::turn;

#[derive(Debug, Default)]
struct Ann {
    asked: Mutex<Vec<Question>>,
    answer: Option<Answer>,
}

impl Person for Ann {
    fn clarify<'a>(&'a self, question: &'a Question) -> PendingAnswer<'a> {
        self.asked.lock().unwrap().push(question.clone());
        match self.answer.clone() {
            Some(answer) => Box::pin(std::future::ready(answer)),
            None => Box::pin(std::future::pending()),
        }
    }
}

#[tokio::test]
async fn the_person_sees_the_question_and_the_model_the_answer() {
    let ann = Arc::new(Ann { answer: Some(Answer::Said("the second".to_owned())), ..Ann::default() });
    let bench = Bench { person: ann.clone(), ..Bench::new() };
    let reply = bench.call("clarify", json!({"question": "Which?", "choices": ["first", "second"]})).await;
    let expected = json!({"question": "Which?", "choices_offered": ["first", "second"], "user_response": "the second"});
    assert_eq!((reply.outcome, reply.content), (ToolOutcome::Done, expected));
    assert_eq!(ann.asked.lock().unwrap()[0].choices, ["first", "second"]);
}

#[tokio::test]
async fn an_interrupted_turn_does_not_wait_for_an_answer() {
    let bench = Bench { person: Arc::new(Ann::default()), ..Bench::new() };
    let turn = turn(Surface::Interactive);
    let context = bench.context(&turn);
    let asking = call(&context, "clarify", json!({"question": "Which?"}));
    let (reply, ()) = tokio::join!(asking, async { turn.cancellation().cancel() });
    assert_eq!(reply.outcome, ToolOutcome::Interrupted);
}

#[tokio::test]
async fn where_nobody_is_the_model_is_told() {
    let reply = Bench::new().call("clarify", json!({"question": "Which?"})).await;
    assert!(reply.content["error"].as_str().unwrap().starts_with("nobody can be asked here"), "{reply:?}");
}
