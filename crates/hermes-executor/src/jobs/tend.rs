//! The life of a job: its output goes into its buffer, its patterns are looked for, its end is told.

use std::rc::Rc;
use std::time::Duration;

use hermes_proto::executor::{JobState, NoticeCause};
use hermes_sandbox::warden::Report;
use tokio::time::{Instant, timeout};

use super::job::Job;
use super::watch::Verdict;
use crate::command::describe;
use crate::output::Decoder;
use crate::scratch::ScratchUse;
use crate::session::Session;
use crate::stream::{Stream, discard, read_once};

/// What filters that the job started may take to write their last words.
const LAST_WORDS: Duration = Duration::from_millis(30);

/// Sees a job to its end, and keeps it until it may be forgotten.
pub(super) async fn tend(session: Rc<Session>, job: Rc<Job>, output: Stream) {
    let reading = Reading { session: &session, job: &job, output: &output, scratch: session.scratch.enter() };
    reading.to_the_end().await;
    drop(reading);
    tell_end(&session, &job);
    job.ended.cancel();
    // Its descendants may write on, for nobody: nothing dies of a closed pipe.
    tokio::join!(session.jobs.forget_later(&job.id), discard(output, session.scratch.enter()));
}

struct Reading<'a> {
    session: &'a Session,
    job: &'a Job,
    output: &'a Stream,
    scratch: ScratchUse,
}

impl Reading<'_> {
    async fn to_the_end(&self) {
        let mut decoder = Decoder::default();
        let ended = self.shell_end();
        tokio::pin!(ended);
        tokio::select! {
            biased;
            () = &mut ended => { let _ = timeout(LAST_WORDS, self.pump(&mut decoder)).await; }
            () = self.pump(&mut decoder) => ended.await,
        }
        decoder.finish(&mut |text| self.take(text));
        let verdict = self
            .job
            .record
            .borrow_mut()
            .watch
            .as_mut()
            .and_then(|watch| watch.finish(Instant::now(), &mut || self.session.jobs.admits_notice()));
        self.obey(verdict);
    }

    async fn pump(&self, decoder: &mut Decoder) {
        loop {
            let read = self.output.read_with(|descriptor| {
                self.scratch.with(|buffer| {
                    let length = read_once(descriptor, buffer)?;
                    decoder.decode(buffer.get(..length).unwrap_or_default(), &mut |text| self.take(text));
                    Ok(length)
                })
            });
            let Ok(length @ 1..) = read.await else { return };
            self.scratch.grow_after(length);
            tokio::task::yield_now().await;
        }
    }

    fn take(&self, text: &str) {
        let mut record = self.job.record.borrow_mut();
        record.buffer.push(text);
        let verdicts = record
            .watch
            .as_mut()
            .map(|watch| watch.push(text, Instant::now(), &mut || self.session.jobs.admits_notice()));
        drop(record);
        self.obey(verdicts.into_iter().flatten());
    }

    fn obey(&self, verdicts: impl IntoIterator<Item = Verdict>) {
        for verdict in verdicts {
            let is_last = verdict.is_last();
            if let Verdict::Tell(found) | Verdict::TellAndStop(found) = verdict {
                let cause = NoticeCause::Matched { pattern: found.pattern, line: found.line };
                self.session.jobs.notify(self.job, cause);
            }
            if is_last {
                let mut record = self.job.record.borrow_mut();
                record.watch = None;
                record.notifies = true;
                record.notes.push("its patterns matched too often; only its end is told".to_owned());
                drop(record);
                self.session.jobs.notify(self.job, NoticeCause::WatchDisabled);
            }
        }
    }

    /// Notes what the warden tells until the shell has ended.
    async fn shell_end(&self) {
        loop {
            let report = self.job.guarded.report().await;
            self.job.started.cancel();
            let mut record = self.job.record.borrow_mut();
            match report {
                Some(Report::Started { process }) => record.pid = u32::try_from(process).ok(),
                Some(Report::Failed { step, error }) => {
                    record.state = JobState::FailedStart;
                    record.notes.push(describe(step, error));
                }
                Some(Report::Exited { code }) => return record.exit_code = Some(code),
                Some(Report::Signalled { signal }) => return record.exit_code = Some(128 + signal),
                None => {
                    record.notes.push("the process that guards it was killed, and all that it started".to_owned());
                    return record.exit_code = Some(128 + 9);
                }
            }
        }
    }
}

fn tell_end(session: &Session, job: &Job) {
    let mut record = job.record.borrow_mut();
    record.finished = Some(Instant::now());
    if record.state == JobState::Running {
        record.state = if record.is_being_killed { JobState::Killed } else { JobState::Exited };
    }
    let notifies = record.notifies;
    drop(record);
    if notifies {
        session.jobs.notify(job, NoticeCause::Completed);
    }
}
