//! The audit chain as the journal. It takes secrets out of every text and bounds it; here only words are chosen.

use hermes_store::audit::{Audit, Entry as Stored, Kind, RequestId, Verdict};
use serde_json::json;

use crate::journal::{Entry, Journal, JournalError, Moment};

impl Journal for Audit {
    fn write(&self, entries: &[Entry]) -> Result<(), JournalError> {
        let entries: Vec<_> = entries.iter().map(stored).collect();
        self.append(&entries).map(drop).map_err(|error| JournalError(Box::new(error)))
    }

    fn write_soon(&self, entries: &[Entry]) -> Result<(), JournalError> {
        let entries: Vec<_> = entries.iter().map(stored).collect();
        self.append_soon(&entries).map_err(|error| JournalError(Box::new(error)))
    }

    fn settle(&self) -> Result<(), JournalError> {
        Self::settle(self).map_err(|error| JournalError(Box::new(error)))
    }
}

fn stored(entry: &Entry) -> Stored {
    let (kind, outcome, by) = match &entry.moment {
        Moment::Requested => (Kind::Request, None, None),
        Moment::Decided { is_allowed: _, outcome, by } => (Kind::Decision, Some(outcome), Some(by)),
        Moment::Started => (Kind::Start, None, None),
        Moment::Ended { outcome } => (Kind::End, Some(outcome), None),
        Moment::Answered { outcome, by } => (Kind::Note, Some(outcome), Some(by)),
    };
    // An answer that was refused belongs to no request.
    let request = if entry.request.is_empty() { RequestId::new() } else { RequestId::from(entry.request.clone()) };
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Stored {
        session: entry.session.clone(),
        who: entry.who.clone(),
        surface: text(entry.surface),
        place: text(&entry.place),
        subject: Some(entry.subject.clone()),
        verdict: Some(Verdict { class: entry.verdict.to_owned(), rule: entry.rule.clone() }),
        outcome: outcome.cloned(),
        detail: match by {
            Some(by) => json!({ "kind": entry.kind, "by": by }),
            None => json!({ "kind": entry.kind }),
        },
        ..Stored::new(kind, &request)
    }
}
