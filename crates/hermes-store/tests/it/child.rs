//! Other processes: this test program started again, to do one of the actions here.

use std::path::Path;

use hermes_home::redact::Redactor;
use hermes_store::audit::Audit;
use hermes_store::{Settings, Store};
use hermes_testkit::Again;

use super::{killed, writers};

pub(super) const AGAIN: Again = Again::as_test("child::does_what_it_is_told");

pub(super) fn store(home: &Path) -> Store {
    Store::of(home, Settings::default())
}

pub(super) fn audit(home: &Path) -> Audit {
    Audit::open(&store(home), Redactor::default())
}

#[test]
fn does_what_it_is_told() {
    AGAIN.act(&[
        ("append", |home| writers::append(home)),
        ("append for ever", |home| killed::append_for_ever(home)),
        ("talk for ever", |home| killed::talk_for_ever(home)),
    ]);
}
