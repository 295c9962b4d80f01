//! The context of each turn that the terminal begins.

use std::sync::Arc;

use hermes_agent::{Audience, Observer, Person, Session, SessionId};
use hermes_proto::consent::Approver;
use hermes_proto::session::{InvalidSessionKey, SessionKey, SessionVariable};
use hermes_proto::turn::{Delivery, Edge, Hosting, Surface, TurnContext};
use tokio_util::sync::CancellationToken;

use super::SOURCE;

/// Begins turns on one surface.
#[derive(Debug)]
pub(super) struct Turns {
    hosting: Hosting,
    surface: Surface,
    approver: Arc<dyn Approver>,
    person: Arc<dyn Person>,
}

impl Turns {
    pub(super) fn new(surface: Surface, approver: Arc<dyn Approver>, person: Arc<dyn Person>) -> Self {
        Self { hosting: Hosting::new(), surface, approver, person }
    }

    /// Whoever sits at this surface, watching through `observer`.
    pub(super) fn audience(&self, observer: Arc<dyn Observer>) -> Audience {
        Audience { observer, person: self.person.clone() }
    }

    /// A turn of this session, from nothing but the session.
    pub(super) fn begin(&self, session: &SessionId, cancellation: CancellationToken) -> TurnContext {
        let edge = Edge { cancellation, ..Edge::new(self.surface, self.approver.clone()) };
        let variables = [
            (SessionVariable::Source, SOURCE.to_owned()),
            (SessionVariable::Key, key_text(session)),
            (SessionVariable::Id, session.to_string()),
        ];
        TurnContext::arrived(&self.hosting, edge).bind(variables, Delivery::Supported)
    }
}

/// What grants of this session are kept under.
pub(super) fn key(session: &Session) -> Result<SessionKey, InvalidSessionKey> {
    SessionKey::try_from(key_text(session.id()))
}

fn key_text(session: &SessionId) -> String {
    format!("{SOURCE}:{session}")
}
