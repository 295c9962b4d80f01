//! The person of a turn, asked through the chat what was meant.
//!
//! The hazard is an answer of somebody else: it counts from the person whose message the turn works on, in the conversation it stands in,
//! and nowhere else. An answer is information and never consent.

use std::sync::Arc;
use std::time::Duration;

use hermes_agent::{Answer, PendingAnswer, Person, Question};
use hermes_proto::turn::Surface;
use tokio::sync::Mutex;
use tokio::time::sleep;

use super::activity::Activity;
use super::mailbox::Reins;
use super::shared::Shared;
use super::steering::Steering;
use super::task::{Claim, Task, TaskRoute};
use crate::delivery::Body;

/// Asks the sender of one message.
#[derive(Debug)]
pub(super) struct ChatPerson {
    shared: Arc<Shared>,
    steering: Arc<Steering>,
    activity: Arc<Activity>,
    /// Nobody where there is none.
    route: Option<TaskRoute>,
    /// Questions come one after the other.
    turns: Mutex<()>,
}

impl ChatPerson {
    pub(super) fn of(shared: &Arc<Shared>, task: &Task, reins: &Reins) -> Self {
        // What is said in a conversation goes to its mailbox: work beside it would never hear an answer.
        let is_heard = task.mailbox == task.key;
        let is_person = matches!(task.claim, Claim::Chat(_))
            && task.incoming.surface == Surface::Gateway
            && task.incoming.deliver_to.is_none();
        let is_served = shared.adapters.contains_key(&task.incoming.chat.address.platform);
        Self {
            shared: shared.clone(),
            steering: reins.steering.clone(),
            activity: reins.activity.clone(),
            route: (is_heard && is_person && is_served).then(|| task.route()),
            turns: Mutex::new(()),
        }
    }

    async fn ask(&self, question: &Question) -> Answer {
        let Some(route) = &self.route else { return Answer::Nobody };
        let _turn = self.turns.lock().await;
        let open = self.steering.ask();
        let body = Body::Clarify { text: shown(question), choices: question.choices.clone() };
        if let Err(error) = self.shared.post.send(route.letter(body)).await {
            tracing::error!(%error, "a question cannot be kept");
            return Answer::Nobody;
        }
        let _waiting = self.activity.waiting();
        let task = tokio::select! {
            task = open.answered() => task,
            () = sleep(Duration::from_secs(self.shared.config.approvals.gateway_timeout)) => return Answer::TimedOut,
        };
        // The turn acts on it from here on: after a kill it is not said again.
        if let Some(number) = task.number()
            && let Err(error) = self.shared.in_ledger(move |ledger| ledger.begin(&[number.0])).await
        {
            tracing::error!(%error, "an answer cannot be marked as heard");
        }
        Answer::Said(meant(question, &task.incoming.text))
    }
}

impl Person for ChatPerson {
    fn clarify<'a>(&'a self, question: &'a Question) -> PendingAnswer<'a> {
        Box::pin(self.ask(question))
    }

    fn remarks(&self) -> Vec<String> {
        self.steering.remarks()
    }
}

/// The question with its choices numbered.
fn shown(question: &Question) -> String {
    if question.choices.is_empty() {
        return format!("{}\n\n(your next message answers this)", question.text);
    }
    let choices = question.choices.iter().enumerate().map(|(index, choice)| format!("{}. {choice}", index + 1));
    let choices = choices.collect::<Vec<_>>().join("\n");
    format!("{}\n\n{choices}\n\n(answer with a number or in your own words)", question.text)
}

/// The choice whose number was said, or what was said.
fn meant(question: &Question, said: &str) -> String {
    let said = said.trim();
    let number = said.trim_end_matches('.').parse::<usize>().ok();
    let choice = number.and_then(|number| question.choices.get(number.checked_sub(1)?));
    choice.cloned().unwrap_or_else(|| said.to_owned())
}

#[cfg(test)]
mod tests {
    use hermes_agent::Question;

    use super::{meant, shown};

    #[test]
    fn an_answer_is_a_number_or_words() {
        let choices = ["red", "blue"].map(str::to_owned).to_vec();
        let question = Question { text: "Which?".to_owned(), choices };
        assert!(shown(&question).contains("1. red\n2. blue"));
        for (said, expected) in
            [("2", "blue"), (" 1. ", "red"), ("0", "0"), ("3", "3"), ("-1", "-1"), ("green", "green")]
        {
            assert_eq!(meant(&question, said), expected, "{said:?}");
        }
        let open = Question { text: "Why?".to_owned(), choices: Vec::new() };
        assert_eq!(meant(&open, "1"), "1");
    }
}
