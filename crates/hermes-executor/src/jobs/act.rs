//! What can be asked of the jobs, one function each.

use std::rc::Rc;
use std::time::Duration;

use hermes_proto::executor::{Answer, JobAction, JobRequest, JobSnapshot, RequestFailure};
use tokio::time::timeout;

use super::job::Job;
use super::log::lines;
use super::start::start;
use crate::output::tail;
use crate::requests::OpenRequest;
use crate::session::Session;

/// Characters of output that an answer shows.
const PREVIEW: usize = 1000;
/// Longest time that one request waits for a job.
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// Longest time that a job may take to read what it is sent.
const READS_WITHIN: Duration = Duration::from_secs(5);
/// What a terminal takes for the end of input.
const END_OF_TRANSMISSION: &[u8] = &[4];

/// Does what is asked.
pub(crate) async fn handle(session: Rc<Session>, request: JobRequest, open: Rc<OpenRequest>) -> Answer {
    let answer = match request {
        JobRequest::Start(request) => match start(&session, request) {
            Ok(job) => {
                job.started.cancelled().await;
                Ok(Answer::Job(preview(&job)))
            }
            Err(failure) => Err(failure),
        },
        JobRequest::List => Ok(Answer::Jobs(session.jobs.list())),
        JobRequest::One { id, action } => match session.jobs.find(&id) {
            Ok(job) => act(&job, action, &open).await.map(Answer::Job),
            Err(failure) => Err(failure),
        },
    };
    answer.unwrap_or_else(Answer::Failed)
}

async fn act(job: &Job, action: JobAction, open: &OpenRequest) -> Result<JobSnapshot, RequestFailure> {
    match action {
        JobAction::Poll => {}
        JobAction::Log { offset, lines: wanted } => return Ok(job.snapshot(|text| lines(text, offset, wanted))),
        JobAction::Wait { timeout_ms } => return Ok(wait(job, Duration::from_millis(timeout_ms), open).await),
        JobAction::Kill => kill(job).await,
        JobAction::Write { data } => write(job, data.as_bytes()).await?,
        JobAction::Submit { line } => {
            // A program that reads keys takes only a carriage return for the key; a terminal in its
            // ordinary mode makes a newline of it.
            let end = if job.is_terminal { '\r' } else { '\n' };
            write(job, format!("{line}{end}").as_bytes()).await?;
        }
        JobAction::Close => close(job).await?,
    }
    Ok(preview(job))
}

fn preview(job: &Job) -> JobSnapshot {
    job.snapshot(|text| tail(text, PREVIEW).to_owned())
}

async fn wait(job: &Job, time: Duration, open: &OpenRequest) -> JobSnapshot {
    let mut notes = Vec::new();
    if time > LONGEST_WAIT {
        notes.push(format!("waited for at most {} seconds", LONGEST_WAIT.as_secs()));
    }
    tokio::select! {
        ended = timeout(time.min(LONGEST_WAIT), job.ended.cancelled()) => {
            if ended.is_err() {
                notes.push("still running".to_owned());
            }
        }
        () = open.cancelled.cancelled() => notes.push("waiting was given up; the job is still running".to_owned()),
    }
    let mut snapshot = preview(job);
    snapshot.notes.extend(notes);
    snapshot
}

/// Ends the job and everything it started, also what it left behind when it ended before.
async fn kill(job: &Job) {
    if job.is_running() {
        job.record.borrow_mut().is_being_killed = true;
    }
    job.guarded.end().await;
    job.ended.cancelled().await;
}

async fn write(job: &Job, bytes: &[u8]) -> Result<(), RequestFailure> {
    let refused = |detail: &str| RequestFailure::JobRefused { id: job.id.to_string(), detail: detail.to_owned() };
    if !job.is_running() {
        return Err(refused("has ended"));
    }
    let input = job.input.lock().await;
    let Some(stream) = input.as_ref() else { return Err(refused("has its input closed")) };
    let written = tokio::select! {
        written = timeout(READS_WITHIN, stream.write_all(bytes)) => written,
        () = job.ended.cancelled() => return Err(refused("has ended")),
    };
    match written {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(refused(&format!("does not take input: {error}"))),
        Err(_) => Err(refused("does not read its input; part of it was written")),
    }
}

async fn close(job: &Job) -> Result<(), RequestFailure> {
    if job.is_terminal {
        return write(job, END_OF_TRANSMISSION).await;
    }
    job.input.lock().await.take();
    Ok(())
}
