//! The one way from a tool to the place where it works: a permit first, then the action.

use std::sync::Arc;

use hermes_approval::{Action, Permit};
use hermes_environment::{Workplace, WorkplaceError};
use hermes_proto::Explain;
use hermes_proto::executor::{FileAnswer, FileProblem, FileRequest};

use crate::tool::{ToolContext, ToolReply};

impl ToolContext {
    /// The place, opened if need be.
    pub(super) async fn workplace(&self) -> Result<Arc<Workplace>, ToolReply> {
        self.workshop.place().await.map_err(ToolReply::failed)
    }

    /// Asks for the right to do this there. A refusal is a reply for the model.
    pub(super) async fn permit<A: Action>(&self, place: &Workplace, action: A) -> Result<Permit<A>, ToolReply> {
        let permit = self.guard.permit(&self.turn, &place.place(), action).await;
        permit.map_err(|refusal| ToolReply::refused(&refusal))
    }

    /// One file operation.
    pub(super) async fn file(&self, request: FileRequest) -> Result<FileAnswer, ToolReply> {
        let place = self.workplace().await?;
        let permit = self.permit(&place, request).await?;
        match place.file(&self.turn, permit).await.map_err(|error| not_done(&error))? {
            FileAnswer::Problem(problem) => Err(problem_reply(&problem)),
            answer => Ok(answer),
        }
    }
}

/// What the place could not do.
pub(super) fn not_done(error: &WorkplaceError) -> ToolReply {
    match error.hint() {
        Some(hint) => ToolReply::failed(format_args!("{error} ({hint})")),
        None => ToolReply::failed(error),
    }
}

fn problem_reply(problem: &FileProblem) -> ToolReply {
    let mut reply = ToolReply::failed(problem);
    if let Some(hint) = problem.hint() {
        reply.content["hint"] = hint.into();
    }
    reply
}
