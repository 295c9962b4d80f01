//! What a person says to a turn that is running.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_agent::{Answer, PendingAnswer, Person, Question};

use super::task::Task;
use crate::MessageNumber;

/// Remarks that wait for the model's next request.
const MOST: usize = 16;

/// The remarks of one turn.
#[derive(Debug, Default)]
pub(crate) struct Steering {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Task>,
    /// Those that the model was told: the turn's answer is theirs too.
    told: Vec<MessageNumber>,
    is_closed: bool,
}

impl Steering {
    /// Leaves a remark; gives it back when the turn takes none any more.
    pub(crate) fn leave(&self, task: Task) -> Result<(), Box<Task>> {
        let mut state = self.state();
        if state.is_closed || state.waiting.len() >= MOST {
            return Err(Box::new(task));
        }
        state.waiting.push_back(task);
        Ok(())
    }

    /// The turn takes no more: what it was told, and what it never heard.
    pub(crate) fn close(&self) -> (Vec<MessageNumber>, Vec<Task>) {
        let mut state = self.state();
        state.is_closed = true;
        (std::mem::take(&mut state.told), std::mem::take(&mut state.waiting).into())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Person for Steering {
    /// Nobody is asked in the middle of a turn: the model says what it needs to know, and the next message answers.
    fn clarify<'a>(&'a self, _question: &'a Question) -> PendingAnswer<'a> {
        Box::pin(std::future::ready(Answer::Nobody))
    }

    fn remarks(&self) -> Vec<String> {
        let mut state = self.state();
        let heard: Vec<_> = state.waiting.drain(..).collect();
        state.told.extend(heard.iter().filter_map(Task::number));
        heard.into_iter().map(|task| task.incoming.text.clone()).collect()
    }
}
