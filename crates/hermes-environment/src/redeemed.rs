//! An action whose permit was used up here: what every path to a process takes inside this crate.
//!
//! It is made from a permit and in no other way, so that a path which was forgotten does not
//! compile instead of starting something. (Invariant 4.)
//!
//! Whatever starts something, feeds it or touches a file takes a permit by value, and nothing else:
//!
//! ```
//! # use hermes_approval::{JobInput, Permit};
//! # use hermes_environment::{CommandText, Environment};
//! # use hermes_proto::executor::{FileRequest, StartJob, Stdin};
//! # use hermes_proto::turn::TurnContext;
//! # async fn with_permits(environment: &Environment, turn: &TurnContext, run: Permit<CommandText>, begin: Permit<CommandText>,
//! #     job: Permit<StartJob>, input: Permit<JobInput>, file: Permit<FileRequest>) {
//! let _ = environment.run(turn, run, &mut |_| ()).await;
//! let _ = environment.begin(turn, begin, Stdin::Closed);
//! let _ = environment.start_job(turn, job).await;
//! let _ = environment.job_input(turn, input).await;
//! let _ = environment.file(turn, file).await;
//! # }
//! ```
//!
//! Without one nothing compiles: no command,
//!
//! ```compile_fail,E0308
//! # use hermes_environment::{CommandText, Environment};
//! # use hermes_proto::turn::TurnContext;
//! # async fn bare(environment: &Environment, turn: &TurnContext) {
//! let _ = environment.run(turn, CommandText::new("true"), &mut |_| ()).await;
//! # }
//! ```
//!
//! ```compile_fail,E0308
//! # use hermes_environment::{CommandText, Environment};
//! # use hermes_proto::executor::Stdin;
//! # use hermes_proto::turn::TurnContext;
//! # async fn bare(environment: &Environment, turn: &TurnContext) {
//! let _ = environment.begin(turn, CommandText::new("true"), Stdin::Closed);
//! # }
//! ```
//!
//! no job, neither as one nor as a question about jobs,
//!
//! ```compile_fail,E0308
//! # use hermes_environment::Environment;
//! # use hermes_proto::executor::StartJob;
//! # use hermes_proto::turn::TurnContext;
//! # async fn bare(environment: &Environment, turn: &TurnContext, job: StartJob) {
//! let _ = environment.start_job(turn, job).await;
//! # }
//! ```
//!
//! ```compile_fail,E0308
//! # use hermes_environment::Environment;
//! # use hermes_proto::executor::{JobRequest, StartJob};
//! # use hermes_proto::turn::TurnContext;
//! # async fn bare(environment: &Environment, turn: &TurnContext, job: StartJob) {
//! let _ = environment.job(turn, JobRequest::Start(job)).await;
//! # }
//! ```
//!
//! no input for a job,
//!
//! ```compile_fail,E0308
//! # use hermes_approval::JobInput;
//! # use hermes_environment::Environment;
//! # use hermes_proto::turn::TurnContext;
//! # async fn bare(environment: &Environment, turn: &TurnContext, input: JobInput) {
//! let _ = environment.job_input(turn, input).await;
//! # }
//! ```
//!
//! no file,
//!
//! ```compile_fail,E0308
//! # use hermes_environment::Environment;
//! # use hermes_proto::executor::{FileRequest, WriteFile};
//! # use hermes_proto::turn::TurnContext;
//! # async fn bare(environment: &Environment, turn: &TurnContext, file: WriteFile) {
//! let _ = environment.file(turn, FileRequest::Write(file)).await;
//! # }
//! ```
//!
//! nothing with a permit for another kind of action,
//!
//! ```compile_fail,E0308
//! # use hermes_approval::Permit;
//! # use hermes_environment::{CommandText, Environment};
//! # use hermes_proto::executor::FileRequest;
//! # use hermes_proto::turn::TurnContext;
//! # async fn other(environment: &Environment, turn: &TurnContext, file: Permit<FileRequest>) {
//! let _ = environment.run(turn, file, &mut |_| ()).await;
//! # }
//! ```
//!
//! and nothing twice:
//!
//! ```compile_fail,E0382
//! # use hermes_approval::Permit;
//! # use hermes_environment::{CommandText, Environment};
//! # use hermes_proto::turn::TurnContext;
//! # async fn twice(environment: &Environment, turn: &TurnContext, permit: Permit<CommandText>) {
//! let _ = environment.run(turn, permit, &mut |_| ()).await;
//! let _ = environment.run(turn, permit, &mut |_| ()).await;
//! # }
//! ```
//!
//! The link below cannot be reached from outside, so there is no way around:
//!
//! ```compile_fail,E0603
//! use hermes_environment::link::Link;
//! ```

use hermes_approval::{Action, Permit, PermitError, PlaceId, Ticket};
use hermes_proto::turn::TurnContext;

/// May be started, once. The ticket records how it ends.
#[derive(Debug)]
pub(crate) struct Redeemed<A> {
    pub(crate) action: A,
    pub(crate) ticket: Ticket,
    /// Keeps others from putting one together.
    _made_here: (),
}

impl<A: Action> Redeemed<A> {
    /// Uses the permit up. One for something else is refused, and the log says that it was tried.
    pub(crate) fn by(permit: Permit<A>, turn: &TurnContext, place: PlaceId) -> Result<Self, PermitError> {
        let kind = permit.action().kind();
        match permit.redeem(turn, place) {
            Ok((action, ticket)) => Ok(Self { action, ticket, _made_here: () }),
            Err(error) => {
                tracing::warn!(?kind, %error, "a permit was not taken, and nothing was started");
                Err(error)
            }
        }
    }
}
