//! Consent: who is asked before something runs, and the permit that proves it.

mod action;
mod ask;
mod audit;
mod broker;
mod case;
mod guard;
mod job_input;
mod journal;
mod judgement;
mod password;
mod permanent;
mod permit;
mod place;
mod random;
mod refusal;
mod render;
mod reviewer;
mod scanner;
mod sessions;
mod settings;

pub use action::{Action, Judged};
pub use broker::{
    Answer, AnswerError, Answered, Answerer, Authorised, Broker, LONGEST_REASON, Notice, Notifier, PendingNotice,
    PromptId, TypedAnswer, Undelivered, Which, parse_answer,
};
pub use guard::{Guard, GuardParts};
pub use job_input::JobInput;
pub use journal::{Entry, Journal, JournalError, Moment};
pub use permanent::{PermanentError, PermanentGrants};
pub use permit::{Permit, PermitError, Ticket};
pub use place::{Place, PlaceId};
pub use refusal::{Cause, Outcome, Refusal, RefusalFields};
pub use render::{Style, render};
pub use reviewer::{PendingReview, Review, ReviewPrompt, ReviewRequest, Reviewer, parse_review};
pub use scanner::{Scanned, Scanner, WhenFailing};
pub use sessions::Yolo;
pub use settings::GuardSettings;
