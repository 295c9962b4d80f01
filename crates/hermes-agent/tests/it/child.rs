//! Other processes: this test program started again, to do one of the actions here.

use hermes_testkit::Again;

use super::killed;

pub(crate) const AGAIN: Again = Again::as_test("child::does_what_it_is_told");

#[test]
fn does_what_it_is_told() {
    AGAIN.act(&[
        ("talk for ever", |home| killed::talk_for_ever(home)),
        ("hang in a tool", |home| killed::hang_in_a_tool(home)),
        ("hang in an answer", |home| killed::hang_in_an_answer(home)),
    ]);
}
