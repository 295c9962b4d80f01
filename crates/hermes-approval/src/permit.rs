//! Proof that policy was asked about exactly this action, in this environment, in this turn.
//!
//! A check that a caller has to remember is forgotten on the next path. A permit is the only key that
//! environments take, it holds the action itself, and using it uses it up. (Invariant 4.)
//!
//! One cannot be put together outside this crate:
//!
//! ```compile_fail,E0451
//! # use hermes_approval::{Permit, PlaceId};
//! # use hermes_proto::executor::CommandText;
//! # use hermes_proto::turn::TurnContext;
//! fn forge(other: Permit<CommandText>) -> Permit<CommandText> {
//!     Permit { action: CommandText::new("rm -rf build"), ..other }
//! }
//! ```
//!
//! nor made by its constructor:
//!
//! ```compile_fail,E0624
//! # use hermes_approval::Permit;
//! # use hermes_proto::executor::CommandText;
//! fn forge() {
//!     let _ = Permit::<CommandText>::new;
//! }
//! ```
//!
//! nor copied:
//!
//! ```compile_fail,E0599
//! # use hermes_approval::Permit;
//! # use hermes_proto::executor::CommandText;
//! fn twice(permit: Permit<CommandText>) -> (Permit<CommandText>, Permit<CommandText>) {
//!     (permit.clone(), permit)
//! }
//! ```
//!
//! nor used twice:
//!
//! ```compile_fail,E0382
//! # use hermes_approval::{Permit, PlaceId};
//! # use hermes_proto::executor::CommandText;
//! # use hermes_proto::turn::TurnContext;
//! fn twice(permit: Permit<CommandText>, turn: &TurnContext, place: PlaceId) {
//!     let _ = permit.redeem(turn, place);
//!     let _ = permit.redeem(turn, place);
//! }
//! ```
//!
//! nor changed on the way:
//!
//! ```compile_fail,E0594
//! # use hermes_approval::Permit;
//! # use hermes_proto::executor::CommandText;
//! fn another(permit: Permit<CommandText>) {
//!     permit.action().text = "rm -rf build".to_owned();
//! }
//! ```

use std::sync::Arc;

use hermes_policy::Class;
use hermes_policy::allow_list::DenyList;
use hermes_proto::turn::{TurnContext, TurnId};
use hermes_proto::{Explain, Fault, Secret};

use crate::Action;
use crate::journal::{Entry, Journal, JournalError, Moment};
use crate::judgement;
use crate::place::{Place, PlaceId};
use crate::refusal::{Cause, Refusal};

/// The right to do one thing once.
#[derive(Debug)]
#[must_use = "a permit does nothing until an environment redeems it"]
pub struct Permit<A> {
    action: A,
    place: PlaceId,
    turn: TurnId,
    record: Record,
}

/// Why a permit is not taken.
#[derive(Debug, thiserror::Error)]
pub enum PermitError {
    #[error("permit is for another environment")]
    OtherPlace,
    #[error("permit is for another turn")]
    OtherTurn,
    #[error("turn is over, and its permits with it")]
    TurnOver,
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl Explain for PermitError {
    fn fault(&self) -> Fault {
        Fault::Failed
    }
}

/// What is going to be written about one action.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) entry: Entry,
}

impl<A: Action> Permit<A> {
    /// Only the guard makes permits. Floor and deny list are looked at here, once more: whatever way inside this crate leads
    /// to a permit leads past them.
    pub(crate) fn new(
        action: A,
        place: &Place,
        turn: &TurnContext,
        deny: &DenyList,
        record: Record,
    ) -> Result<Self, Refusal> {
        let findings = judgement::findings(&action.judged(), &place.context);
        let rule = || findings.found().first().map(|found| found.key.to_string());
        if let Some(pattern) = deny.hit(&findings) {
            return Err(Refusal::new(Cause::DenyList { pattern: pattern.to_string() }).about(rule()));
        }
        match findings.class() {
            Class::Floor => {
                let reason = findings.verdict().reason.to_owned();
                Err(Refusal::new(Cause::Floor { reason }).about(rule()))
            }
            Class::Ask | Class::Allow => Ok(Self { action, place: place.id, turn: turn.id(), record }),
        }
    }

    /// The same with a password in front of its input.
    pub(crate) fn with_password(mut self, text: String, lines: Secret) -> Self {
        self.action.feed_password(text, lines);
        self
    }

    /// What it is for.
    pub fn action(&self) -> &A {
        &self.action
    }

    /// Uses it up. The start is on record when this returns.
    pub fn redeem(self, turn: &TurnContext, place: PlaceId) -> Result<(A, Ticket), PermitError> {
        if self.place != place {
            return Err(PermitError::OtherPlace);
        }
        if self.turn != turn.id() {
            return Err(PermitError::OtherTurn);
        }
        if turn.is_over() {
            return Err(PermitError::TurnOver);
        }
        let Record { journal, mut entry } = self.record;
        entry.moment = Moment::Started;
        journal.write(std::slice::from_ref(&entry))?;
        Ok((self.action, Ticket { journal, entry: Some(entry) }))
    }
}

/// Something that runs. Its end is recorded, also when nobody waits for it.
#[derive(Debug)]
pub struct Ticket {
    journal: Arc<dyn Journal>,
    entry: Option<Entry>,
}

impl Ticket {
    pub fn ended(mut self, outcome: impl Into<String>) {
        self.write(outcome.into(), |journal, entries| journal.write(entries));
    }

    /// The same for something whose turn goes on and is settled at its end.
    pub fn ended_in_turn(mut self, outcome: impl Into<String>) {
        self.write(outcome.into(), |journal, entries| journal.write_soon(entries));
    }

    fn write(&mut self, outcome: String, write: impl FnOnce(&dyn Journal, &[Entry]) -> Result<(), JournalError>) {
        let Some(entry) = self.entry.take() else { return };
        let entry = Entry { moment: Moment::Ended { outcome }, ..entry };
        if let Err(error) = write(&*self.journal, &[entry]) {
            tracing::error!(%error, "the end of a command is not on record");
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.write("given up".to_owned(), |journal, entries| journal.write(entries));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hermes_policy::{Context, Isolation};
    use hermes_proto::consent::{ActionKind, NobodyToAsk};
    use hermes_proto::executor::{CommandText, FileRequest, WriteFile};
    use hermes_proto::turn::{Edge, Hosting, Surface};

    use super::*;

    #[derive(Debug)]
    struct Nowhere;

    impl Journal for Nowhere {
        fn write(&self, _entries: &[Entry]) -> Result<(), JournalError> {
            Ok(())
        }
    }

    /// The constructor alone, as code in this crate that forgot everything else would call it.
    fn made<A: Action>(action: A) -> Result<Permit<A>, Refusal> {
        let (deny, problems) = DenyList::parse(["git push*", "*blocked*"]);
        assert_eq!(problems, []);
        let turn = TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Headless, Arc::new(NobodyToAsk)));
        let place = Place {
            id: PlaceId::unique(),
            name: String::new(),
            isolation: Isolation::Container,
            context: Context::default(),
        };
        let entry = Entry {
            moment: Moment::Requested,
            request: String::new(),
            session: None,
            who: None,
            surface: "",
            place: String::new(),
            kind: ActionKind::Command,
            subject: String::new(),
            verdict: "",
            rule: String::new(),
        };
        Permit::new(action, &place, &turn, &deny, Record { journal: Arc::new(Nowhere), entry })
    }

    #[test]
    fn no_way_to_a_permit_leads_around_floor_and_deny_list() {
        for text in ["rm -rf /", "X=rm; $X -rf /", "sudo -S ls", "echo 'mkfs /dev/sda' | sh"] {
            let refusal = made(CommandText::new(text)).unwrap_err();
            assert!(matches!(refusal.cause, Cause::Floor { .. }), "{text} {refusal:?}");
        }
        for text in ["git push", "true; git push origin", "echo blocked"] {
            let refusal = made(CommandText::new(text)).unwrap_err();
            assert!(matches!(refusal.cause, Cause::DenyList { .. }), "{text} {refusal:?}");
        }
        let write = FileRequest::Write(WriteFile { path: "/srv/blocked".to_owned(), content: String::new() });
        assert!(matches!(made(write).unwrap_err().cause, Cause::DenyList { .. }));
        assert_eq!(made(CommandText::new("git pull")).unwrap().action().text, "git pull");
    }
}
