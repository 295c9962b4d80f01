//! What was accepted and what has to be delivered.
//!
//! A platform is told that a message was taken only after it is in the inbox, and a reply is in the outbox in the same transaction
//! that settles what it answers. So a killed process leaves each message waiting, begun or settled, and each delivery waiting, tried
//! or done; whoever starts next knows which. The content is the gateway's own: here it is text.

mod inbox;
mod outbox;
mod prune;
mod route;
#[cfg(test)]
mod tests;

use crate::Store;

pub use inbox::{Arrival, Arrived, Bounds, MessageNumber, Open, Progress};
pub use outbox::{DeliveryNumber, Due, Handed, NewDelivery};

/// The ledger of one store.
#[derive(Debug, Clone)]
pub struct Ledger {
    store: Store,
}

impl Ledger {
    pub fn open(store: &Store) -> Self {
        Self { store: store.clone() }
    }
}
