//! The requests that are open on the link, and the ends of them that frames reach.

mod clock;
mod credit;
mod input;
mod returns;
mod table;

pub(crate) use clock::Clock;
pub(crate) use credit::Credit;
pub(crate) use input::Input;
pub(crate) use returns::Returns;
pub(crate) use table::{OpenRequest, Refusal, Requests};
