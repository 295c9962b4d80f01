//! Background commands of the session: their ends are told as they come, and those that there are are listed.

use std::sync::Arc;

use hermes_agent::{Session, SessionId, Workshop};
use hermes_environment::JobQuery;
use hermes_proto::executor::{JobSnapshot, JobState};
use hermes_terminal::{Job, News};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::turns::Turns;

/// Follows the background commands of one session until it is dropped.
#[derive(Debug)]
pub(super) struct Following {
    pub(super) session: SessionId,
    _task: JoinSet<()>,
}

impl Following {
    pub(super) fn of(session: &Session, turns: Arc<Turns>, news: mpsc::Sender<News>) -> Self {
        let (workshop, id) = (session.workshop().clone(), session.id().clone());
        let mut task = JoinSet::new();
        task.spawn(async move {
            loop {
                for seen in workshop.news().show().await {
                    if news.send(News::Notice(seen.line)).await.is_err() {
                        return;
                    }
                }
                list(&workshop, &id, &turns, &news).await;
            }
        });
        Self { session: session.id().clone(), _task: task }
    }
}

/// Tells which background commands there are now.
pub(super) async fn list(workshop: &Workshop, session: &SessionId, turns: &Turns, news: &mpsc::Sender<News>) {
    let Some(place) = workshop.opened().await else { return };
    let turn = turns.begin(session, CancellationToken::new());
    match place.job(&turn, JobQuery::List).await {
        // A list that finds no room is followed by another; a chat that is over needs none.
        Ok(jobs) => drop(news.try_send(News::Jobs(jobs.iter().map(shown).collect()))),
        Err(error) => tracing::debug!(%error, "background commands cannot be listed"),
    }
}

fn shown(job: &JobSnapshot) -> Job {
    let state = match (job.state, job.exit_code) {
        (JobState::Running, _) => "running".to_owned(),
        (JobState::FailedStart, _) => "did not start".to_owned(),
        (JobState::Killed, _) => "ended".to_owned(),
        (_, Some(code)) => format!("exited {code}"),
        (_, None) => "exited".to_owned(),
    };
    Job { id: job.id.to_string(), command: job.command.lines().next().unwrap_or_default().to_owned(), state }
}
