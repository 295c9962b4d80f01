//! What must not appear in a log or a record: every secret of this home that is known.

use hermes_proto::{HostEnvironment, Secret};

use super::list;
use crate::Home;
use crate::redact::Redactor;

/// Removes the home's credentials, and `more`. Files that cannot be read hide their values from us, and so from
/// whatever we write.
pub fn redactor(home: &Home, environment: &HostEnvironment, more: impl IntoIterator<Item = Secret>) -> Redactor {
    let known = list(home, environment).unwrap_or_default();
    Redactor::new(known.into_iter().filter_map(|credential| credential.secret).chain(more))
}
