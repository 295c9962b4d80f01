//! Telling a person what an archive does not carry.

use hermes_home::profiles::archive::{Class, LeftOut, WhyLeftOut};

use crate::context::Context;

/// Names shown per reason before the rest is only counted.
const SHOWN: usize = 8;

const REASONS: [(WhyLeftOut, &str); 5] = [
    (WhyLeftOut::Class(Class::Secret), "secret; --with-secrets includes it"),
    (WhyLeftOut::Class(Class::Runtime), "true only of a running program"),
    (WhyLeftOut::Class(Class::OtherHomes), "other homes"),
    (WhyLeftOut::LinkOutside, "a link that leads out of the profile"),
    (WhyLeftOut::Special, "neither a file nor a folder"),
];

/// One line per reason.
pub(super) fn tell(left_out: &[LeftOut], context: &Context) {
    for (why, reason) in REASONS {
        let names: Vec<String> =
            left_out.iter().filter(|entry| entry.why == why).map(|entry| entry.path.display().to_string()).collect();
        if names.is_empty() {
            continue;
        }
        let more = match names.len().saturating_sub(SHOWN) {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let shown = names[..names.len().min(SHOWN)].join(", ");
        context.note(format_args!("left out ({reason}): {shown}{more}"));
    }
}
