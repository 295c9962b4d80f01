//! What a person says to a turn that is running: remarks, and the answer to what it asked.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::task::Task;
use crate::MessageNumber;

/// Remarks that wait for the model's next request.
const MOST: usize = 16;

/// What was said to one turn.
#[derive(Debug, Default)]
pub(crate) struct Steering {
    state: Mutex<State>,
    answered: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Task>,
    /// Those that the model was told: the turn's answer is theirs too.
    told: Vec<MessageNumber>,
    question: Asked,
    is_closed: bool,
}

#[derive(Debug, Default)]
enum Asked {
    #[default]
    Nothing,
    Open,
    Answered(Box<Task>),
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

    /// Answers what the turn asks; gives it back when it asks nothing.
    pub(crate) fn answer(&self, task: Task) -> Result<(), Box<Task>> {
        let mut state = self.state();
        if state.is_closed || !matches!(state.question, Asked::Open) {
            return Err(Box::new(task));
        }
        state.question = Asked::Answered(Box::new(task));
        drop(state);
        self.answered.notify_one();
        Ok(())
    }

    /// From here on the next thing that the person says is an answer, until this is dropped. One at a time.
    pub(crate) fn ask(&self) -> OpenQuestion<'_> {
        let mut state = self.state();
        if matches!(state.question, Asked::Nothing) {
            state.question = Asked::Open;
        }
        drop(state);
        OpenQuestion { steering: self }
    }

    /// What was said since this was asked last. The model is told.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let mut state = self.state();
        let heard: Vec<_> = state.waiting.drain(..).collect();
        state.told.extend(heard.iter().filter_map(Task::number));
        heard.into_iter().map(|task| task.incoming.text.clone()).collect()
    }

    /// The turn takes no more: what it was told, and what it never heard.
    pub(crate) fn close(&self) -> (Vec<MessageNumber>, Vec<Task>) {
        let mut state = self.state();
        state.is_closed = true;
        let mut unheard: Vec<Task> = std::mem::take(&mut state.waiting).into();
        if let Asked::Answered(task) = std::mem::take(&mut state.question) {
            unheard.push(*task);
        }
        (std::mem::take(&mut state.told), unheard)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that waits for its answer.
#[derive(Debug)]
pub(crate) struct OpenQuestion<'a> {
    steering: &'a Steering,
}

impl OpenQuestion<'_> {
    /// The answer, which the turn has heard from here on.
    pub(crate) async fn answered(&self) -> Task {
        loop {
            let answered = self.steering.answered.notified();
            if let Some(task) = self.take() {
                return task;
            }
            answered.await;
        }
    }

    fn take(&self) -> Option<Task> {
        let mut state = self.steering.state();
        match std::mem::take(&mut state.question) {
            Asked::Answered(task) => {
                state.told.extend(task.number());
                Some(*task)
            }
            asked => {
                state.question = asked;
                None
            }
        }
    }
}

impl Drop for OpenQuestion<'_> {
    /// An answer that came too late to be heard is a remark.
    fn drop(&mut self) {
        let mut state = self.steering.state();
        if let Asked::Answered(task) = std::mem::take(&mut state.question) {
            state.waiting.push_back(*task);
        }
    }
}
