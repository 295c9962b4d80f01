//! The context of one turn: a plain value, built from one incoming message.
//!
//! Identity that lived in ambient state reached the wrong chat: a task inherited its
//! creator's variables, a worker thread lost them, a global was written by whoever
//! came last. This value has no default, is built from nothing ambient, and everything that
//! spawns, prompts or delivers takes it by reference. (Invariant 1.)
//!
//! A context cannot be conjured up:
//!
//! ```compile_fail,E0277
//! fn needs_default<T: Default>() {}
//! needs_default::<hermes_proto::turn::TurnContext>();
//! ```
//!
//! nor put together from parts behind the constructors' backs:
//!
//! ```compile_fail,E0451
//! use hermes_proto::turn::TurnContext;
//! fn forge(other: TurnContext) -> TurnContext {
//!     TurnContext { delivery: hermes_proto::turn::Delivery::Supported, ..other }
//! }
//! ```
//!
//! It is made at an edge, from what that edge knows:
//!
//! ```
//! use std::sync::Arc;
//! use hermes_proto::consent::NobodyToAsk;
//! use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
//!
//! let hosting = Hosting::new();
//! let turn = TurnContext::arrived(&hosting, Edge::new(Surface::Headless, Arc::new(NobodyToAsk)));
//! assert!(turn.delivery().is_supported());
//! ```

mod hosting;
mod life;

use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use crate::consent::{Approver, WithoutSecrets};
use crate::session::{SessionKey, SessionVariable, SessionVariables};

use life::TurnLife;

pub use hosting::Hosting;
pub use life::TurnId;

/// How a turn can reach a person. Fixed where the message came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surface {
    /// Somebody sits at the terminal.
    Interactive,
    /// A chat platform with somebody behind it.
    Gateway,
    /// A program that relays questions.
    Ask,
    /// A scheduled job.
    Cron,
    /// One question on a command line, whose asker does not watch.
    SingleQuery,
    /// A caller of the API or of a webhook: a program, not a person.
    Unattended,
    /// Nobody.
    Headless,
}

impl Surface {
    pub const ALL: [Self; 7] =
        [Self::Interactive, Self::Gateway, Self::Ask, Self::Cron, Self::SingleQuery, Self::Unattended, Self::Headless];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Gateway => "gateway",
            Self::Ask => "ask",
            Self::Cron => "cron",
            Self::SingleQuery => "single-query",
            Self::Unattended => "unattended",
            Self::Headless => "headless",
        }
    }
}

/// Whether something that happens after the turn can still be told to its chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Nothing was said about it: counts as supported.
    Unset,
    Supported,
    /// A stateless caller: once answered, it cannot be reached.
    Unsupported,
}

impl Delivery {
    pub const fn is_supported(self) -> bool {
        !matches!(self, Self::Unsupported)
    }
}

/// Whose work a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Somebody's message, or a schedule.
    Message,
    /// A task that an agent gave to another. Its questions reach the same person; that person's secrets do not
    /// reach it.
    Delegated,
}

/// What the place where a message came in knows about it.
#[derive(Debug, Clone)]
pub struct Edge {
    pub surface: Surface,
    pub approver: Arc<dyn Approver>,
    pub cancellation: CancellationToken,
    pub deadline: Option<Instant>,
    pub origin: Origin,
}

impl Edge {
    /// An edge of messages, whose turns can be cancelled and have no deadline.
    pub fn new(surface: Surface, approver: Arc<dyn Approver>) -> Self {
        Self { surface, approver, cancellation: CancellationToken::new(), deadline: None, origin: Origin::Message }
    }
}

/// Everything that is done in one turn is done with this.
#[derive(Debug, Clone)]
pub struct TurnContext {
    variables: SessionVariables,
    delivery: Delivery,
    edge: Edge,
    hosting: Hosting,
    life: Arc<TurnLife>,
}

impl TurnContext {
    /// The context of a message that has arrived and is not bound to its session yet: every
    /// session variable is unset, whatever any other turn has bound.
    pub fn arrived(hosting: &Hosting, edge: Edge) -> Self {
        Self {
            variables: SessionVariables::unset(),
            delivery: Delivery::Unset,
            edge,
            hosting: hosting.clone(),
            life: Arc::new(TurnLife::begin()),
        }
    }

    /// The same turn, now that its session is known. From here on the process hosts sessions.
    #[must_use]
    pub fn bind(self, values: impl IntoIterator<Item = (SessionVariable, String)>, delivery: Delivery) -> Self {
        self.hosting.engage();
        Self { variables: SessionVariables::bound(values), delivery, ..self }
    }

    /// A turn for a task that this one gives away. It asks the same person in the same conversation, ends with this turn at the
    /// latest, and never gets a secret from that person.
    #[must_use]
    pub fn delegated(&self) -> Self {
        self.delegated_to(Arc::new(WithoutSecrets::new(self.edge.approver.clone())))
    }

    /// The same with somebody else to ask.
    #[must_use]
    pub fn delegated_to(&self, approver: Arc<dyn Approver>) -> Self {
        let cancellation = self.edge.cancellation.child_token();
        Self {
            edge: Edge { approver, cancellation, origin: Origin::Delegated, ..self.edge.clone() },
            life: Arc::new(TurnLife::begin_within(&self.life)),
            ..self.clone()
        }
    }

    /// The same turn, whose questions go through what `around` makes of its approver.
    #[must_use]
    pub fn asking_through(&self, around: impl FnOnce(Arc<dyn Approver>) -> Arc<dyn Approver>) -> Self {
        Self { edge: Edge { approver: around(self.edge.approver.clone()), ..self.edge.clone() }, ..self.clone() }
    }

    /// Which turn this is. Clones are the same turn.
    pub fn id(&self) -> TurnId {
        self.life.id()
    }

    /// The turn is over: whatever was permitted in it is permitted no longer, on every clone.
    pub fn finish(&self) {
        self.life.end();
    }

    /// Whether nothing may be started in this turn any more.
    pub fn is_over(&self) -> bool {
        self.life.is_over()
    }

    pub fn variables(&self) -> &SessionVariables {
        &self.variables
    }

    /// Which conversation this is; `None` before it is bound, or when what was bound cannot be a key.
    pub fn session(&self) -> Option<SessionKey> {
        self.variables.text(SessionVariable::Key)?.parse().ok()
    }

    pub fn origin(&self) -> Origin {
        self.edge.origin
    }

    pub fn delivery(&self) -> Delivery {
        self.delivery
    }

    pub fn surface(&self) -> Surface {
        self.edge.surface
    }

    pub fn approver(&self) -> &dyn Approver {
        &*self.edge.approver
    }

    pub fn cancellation(&self) -> &CancellationToken {
        &self.edge.cancellation
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.edge.deadline
    }

    /// Whether this process hosts sessions, so that its own environment says nothing
    /// about whose turn this is.
    pub fn is_hosted(&self) -> bool {
        self.hosting.is_engaged()
    }
}

#[cfg(test)]
mod tests {
    use super::{Delivery, Edge, Hosting, Surface, TurnContext};
    use crate::consent::NobodyToAsk;
    use crate::session::{Binding, SessionVariable};
    use std::sync::Arc;

    fn arrived(hosting: &Hosting) -> TurnContext {
        TurnContext::arrived(hosting, Edge::new(Surface::Gateway, Arc::new(NobodyToAsk)))
    }

    #[test]
    fn arrival_does_not_engage_and_binding_does_for_good() {
        let hosting = Hosting::new();
        let turn = arrived(&hosting);
        assert!(!turn.is_hosted());
        drop(turn.bind([], Delivery::Unset));
        assert!(arrived(&hosting).is_hosted());
    }

    #[test]
    fn a_delegated_turn_is_its_own_and_ends_with_the_one_that_gave_it_away() {
        let hosting = Hosting::new();
        let turn = arrived(&hosting).bind([(SessionVariable::ChatId, "A".to_owned())], Delivery::Supported);
        let (child, other) = (turn.delegated(), turn.delegated());
        assert_ne!(child.id(), turn.id());
        assert_eq!(child.variables(), turn.variables());
        child.finish();
        child.cancellation().cancel();
        assert!(child.is_over() && !turn.is_over() && !other.is_over() && !turn.cancellation().is_cancelled());
        turn.cancellation().cancel();
        turn.finish();
        assert!(other.is_over() && other.cancellation().is_cancelled());
    }

    #[test]
    fn a_turn_shares_nothing_with_its_sibling_but_the_hosting() {
        let hosting = Hosting::new();
        let sibling = arrived(&hosting).bind([(SessionVariable::ChatId, "A".to_owned())], Delivery::Unsupported);
        let turn = arrived(&hosting);
        assert_eq!(turn.variables().get(SessionVariable::ChatId), &Binding::Unset);
        assert!(turn.delivery().is_supported());
        assert!(!sibling.delivery().is_supported());
    }
}
