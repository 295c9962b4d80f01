//! Whose conversation a turn belongs to, as a value that is passed and never looked up.

mod key;
mod variable;
mod variables;

pub use key::{InvalidSessionKey, SessionKey};
pub use variable::SessionVariable;
pub use variables::{Binding, SessionVariables};
