//! How an action ended, in the words of the record.

use hermes_proto::executor::{
    Answer, CommandEnd, CommandResult, FileAnswer, JobSnapshot, JobState, RequestFailure, ScriptResult, ScriptStatus,
};

use crate::link::LinkError;

/// The words for a result.
pub(crate) fn of_command(result: &CommandResult) -> String {
    match result.end {
        CommandEnd::Exited => format!("exit {}", result.exit_code),
        CommandEnd::Signalled { signal } => format!("signal {signal}"),
        CommandEnd::TimedOut => "timed out".to_owned(),
        CommandEnd::Interrupted => "interrupted".to_owned(),
    }
}

/// The words for a script's result.
pub(crate) fn of_script(result: &ScriptResult) -> String {
    let calls = result.tool_calls_made;
    match result.status {
        ScriptStatus::Success => format!("exit 0 after {calls} tool calls"),
        ScriptStatus::Error => format!("failed after {calls} tool calls"),
        ScriptStatus::Timeout => "timed out".to_owned(),
        ScriptStatus::Interrupted => "interrupted".to_owned(),
    }
}

/// The words for a job that has ended; `None` while it runs.
pub(crate) fn of_job(job: &JobSnapshot) -> Option<String> {
    match (job.state, job.exit_code) {
        (JobState::Running, _) => None,
        (JobState::Exited, Some(code)) => Some(format!("exit {code}")),
        (JobState::Exited, None) => Some("ended".to_owned()),
        (JobState::Killed, _) => Some("killed".to_owned()),
        (JobState::FailedStart, _) => Some("failed to start".to_owned()),
    }
}

/// The words for what came back of any request.
pub(crate) fn of_answer(answer: &Result<Answer, LinkError>) -> String {
    match answer {
        Ok(Answer::Command(result)) => of_command(result),
        Ok(Answer::File(FileAnswer::Problem(problem))) => format!("failed: {problem}"),
        Ok(Answer::Failed(failure)) | Err(LinkError::Failed(failure)) => of_failure(failure),
        Ok(_) => "done".to_owned(),
        Err(error) => format!("link lost: {error}"),
    }
}

fn of_failure(failure: &RequestFailure) -> String {
    match failure {
        RequestFailure::Cancelled => "interrupted".to_owned(),
        failure => format!("failed: {failure}"),
    }
}
