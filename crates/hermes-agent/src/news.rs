//! What background commands tell while nobody waits for them.
//!
//! A command may end hours after the turn that started it, and one that watches for a pattern may find it all the
//! time. So news wait, bounded: the oldest give way, and that some did is told too.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_environment::link::Notices;
use hermes_proto::executor::{JobNotice, JobState, NoticeCause};
use tokio::sync::Notify;

/// News that wait.
const MOST_WAITING: usize = 64;
/// Characters of a command's output that are told with it.
const LONGEST_OUTPUT: usize = 2_000;
/// Characters of the command itself, and of a line that matched.
const LONGEST_LINE: usize = 200;

/// The news of one session.
#[derive(Debug, Default)]
pub struct News {
    waiting: Mutex<Waiting>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    told: VecDeque<JobNotice>,
    /// How many of them, from the front, the person has seen.
    shown: usize,
    left_out: usize,
}

/// One thing that a person is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub line: String,
    /// The last of what the command printed, if it has ended.
    pub output: Option<String>,
}

/// One thing that is told: in a line to the person, with the output to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) for_person: String,
    /// The person has seen it already.
    pub(crate) is_shown: bool,
    pub(crate) for_model: String,
}

impl News {
    /// Waits until there are any. Whoever reacts starts a turn, which takes them.
    pub async fn wait(&self) {
        loop {
            let arrived = self.arrived.notified();
            if !self.is_empty() {
                return;
            }
            arrived.await;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.waiting().told.is_empty()
    }

    /// Waits for those that the person has not seen, and gives them in words. They still wait for the next turn, which
    /// tells them to the model.
    pub async fn show(&self) -> Vec<Seen> {
        loop {
            let arrived = self.arrived.notified();
            let unseen = self.unseen();
            if !unseen.is_empty() {
                return unseen;
            }
            arrived.await;
        }
    }

    fn unseen(&self) -> Vec<Seen> {
        let mut waiting = self.waiting();
        let unseen = waiting.told.iter().skip(waiting.shown).map(seen_of).collect();
        waiting.shown = waiting.told.len();
        unseen
    }

    /// All that wait, the oldest first; from now on they are told.
    pub(crate) fn take(&self) -> Vec<Told> {
        let Waiting { told, shown, left_out } = std::mem::take(&mut *self.waiting());
        let told_of = |(place, notice)| Told { is_shown: place < shown, ..told_of(notice) };
        let mut news: Vec<_> = told.iter().enumerate().map(told_of).collect();
        if left_out > 0 {
            let text = format!("{left_out} earlier notices of background commands were left out");
            news.insert(0, Told { for_model: format!("[{text}]"), for_person: text, is_shown: false });
        }
        news
    }

    /// Takes notices until their place has ended.
    pub(crate) async fn listen(self: std::sync::Arc<Self>, mut notices: Notices) {
        while let Some(notice) = notices.recv().await {
            self.add(notice);
        }
    }

    fn add(&self, notice: JobNotice) {
        let mut waiting = self.waiting();
        if waiting.told.len() >= MOST_WAITING {
            waiting.told.pop_front();
            waiting.shown = waiting.shown.saturating_sub(1);
            waiting.left_out += 1;
        }
        waiting.told.push_back(notice);
        drop(waiting);
        self.arrived.notify_waiters();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn seen_of(notice: &JobNotice) -> Seen {
    let output = last(notice.job.output.trim_end(), LONGEST_OUTPUT);
    let has_ended = matches!(notice.cause, NoticeCause::Completed) && !output.is_empty();
    Seen { line: told_of(notice).for_person, output: has_ended.then(|| output.to_owned()) }
}

fn told_of(notice: &JobNotice) -> Told {
    let job = &notice.job;
    let name = format!("background command {} ({})", job.id, first(&job.command, LONGEST_LINE));
    match &notice.cause {
        NoticeCause::Completed => {
            let ended = match (job.state, job.exit_code) {
                (JobState::FailedStart, _) => "did not start".to_owned(),
                (JobState::Killed, _) => "was ended".to_owned(),
                (_, Some(code)) => format!("ended with {code}"),
                (_, None) => "ended".to_owned(),
            };
            let for_person = format!("{name} {ended}");
            let seconds = job.runtime_ms / 1000;
            let output = last(job.output.trim_end(), LONGEST_OUTPUT);
            Told {
                for_model: format!("[{for_person} after {seconds} seconds. Its last output:]\n{output}"),
                for_person,
                is_shown: false,
            }
        }
        NoticeCause::Matched { pattern, line } => {
            let text = format!("{name} printed a line with {pattern:?}: {}", first(line, LONGEST_LINE));
            Told { for_model: format!("[{text}]"), for_person: text, is_shown: false }
        }
        NoticeCause::WatchDisabled => {
            let text = format!("{name} matched its patterns too often; from now on only its end is told");
            Told { for_model: format!("[{text}]"), for_person: text, is_shown: false }
        }
    }
}

/// The beginning of the text's first line.
fn first(text: &str, most: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    let is_whole = line.len() == text.len() && line.chars().count() <= most;
    if is_whole { line.to_owned() } else { line.chars().take(most).chain(['…']).collect() }
}

fn last(text: &str, most: usize) -> &str {
    let start = text.char_indices().rev().nth(most.saturating_sub(1)).map_or(0, |(start, _)| start);
    &text[start..]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hermes_proto::executor::{JobId, JobNotice, JobSnapshot, JobState, NoticeCause};

    use super::{MOST_WAITING, News, Seen};

    fn notice(cause: NoticeCause, command: &str, output: &str) -> JobNotice {
        let job = JobSnapshot {
            id: JobId::from("proc_1".to_owned()),
            command: command.to_owned(),
            state: JobState::Exited,
            exit_code: Some(3),
            pid: None,
            runtime_ms: 12_345,
            output: output.to_owned(),
            total_characters: 0,
            dropped_characters: 0,
            notes: Vec::new(),
        };
        JobNotice { cause, job }
    }

    #[test]
    fn each_is_told_once_in_words() {
        let news = News::default();
        news.add(notice(NoticeCause::Completed, "make\nall", &format!("{}end\n", "x".repeat(3_000))));
        let matched = NoticeCause::Matched { pattern: "up".to_owned(), line: "server is up".to_owned() };
        news.add(notice(matched, "serve", ""));
        let told = news.take();
        assert_eq!(told[0].for_person, "background command proc_1 (make…) ended with 3");
        let head = "[background command proc_1 (make…) ended with 3 after 12 seconds. Its last output:]\nx";
        assert!(told[0].for_model.starts_with(head) && told[0].for_model.ends_with("xend"), "{}", told[0].for_model);
        assert!(told[0].for_model.len() < 2_200);
        assert_eq!(told[1].for_person, "background command proc_1 (serve) printed a line with \"up\": server is up");
        assert_eq!(news.take(), []);
    }

    #[test]
    fn a_flood_keeps_the_newest_and_says_what_it_lost() {
        let news = News::default();
        for number in 0..MOST_WAITING + 5 {
            news.add(notice(NoticeCause::Completed, &number.to_string(), ""));
        }
        let told = news.take();
        assert_eq!(told.len(), MOST_WAITING + 1);
        assert_eq!(told[0].for_person, "5 earlier notices of background commands were left out");
        assert!(told[1].for_person.contains("(5)"));
    }

    #[tokio::test]
    async fn what_the_person_has_seen_is_still_told_to_the_model() {
        let news = News::default();
        news.add(notice(NoticeCause::Completed, "one", "done\n"));
        let line = "background command proc_1 (one) ended with 3".to_owned();
        assert_eq!(news.show().await, [Seen { line, output: Some("done".to_owned()) }]);
        news.add(notice(NoticeCause::Completed, "two", ""));
        let told: Vec<_> = news.take().into_iter().map(|told| told.is_shown).collect();
        assert_eq!(told, [true, false]);
        news.add(notice(NoticeCause::Completed, "three", ""));
        let line = "background command proc_1 (three) ended with 3".to_owned();
        assert_eq!(news.show().await, [Seen { line, output: None }]);
    }

    #[tokio::test]
    async fn whoever_waits_is_woken_and_nobody_is_woken_for_nothing() {
        let news = Arc::new(News::default());
        let (sender, notices) = tokio::sync::mpsc::channel(1);
        let listening = news.clone().listen(notices);
        let telling = async {
            tokio::task::yield_now().await;
            sender.send(notice(NoticeCause::Completed, "x", "")).await.unwrap();
            drop(sender);
        };
        tokio::join!(news.wait(), listening, telling);
        news.wait().await;
        assert_eq!(news.take().len(), 1);
        assert!(news.is_empty());
    }
}
