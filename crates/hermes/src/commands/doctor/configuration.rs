//! Whether config.yaml can be used, and what in it is not what it seems.

use hermes_home::Home;
use hermes_home::config::{self, Finding as Oddity, Severity};
use hermes_proto::Explain;

use super::finding::Finding;
use super::subject::Subject;

const ADVICE: &str = "see all of it with: hermes config check; mend it with: hermes config edit";

pub(super) fn settings(subject: &Subject) -> Finding {
    subject.with_home(|home| match config::check(home, &subject.environment) {
        Ok(oddities) => judge(home, &oddities),
        Err(error) => Finding::failure(error.to_string(), error.hint().unwrap_or_else(|| ADVICE.to_owned())),
    })
}

fn judge(home: &Home, oddities: &[Oddity]) -> Finding {
    // The first error, else the first warning, stands for all.
    let error = oddities.iter().find(|oddity| oddity.severity() == Severity::Error);
    let Some(first) = error.or(oddities.first()) else {
        return Finding::ok("can be used");
    };
    let more = match oddities.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let seen = format!("{}{more}", first.at(&home.config_path()));
    match first.severity() {
        Severity::Error => Finding::failure(seen, ADVICE),
        Severity::Warning => Finding::warning(seen, ADVICE),
    }
}
