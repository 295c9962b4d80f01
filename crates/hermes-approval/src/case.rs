//! One action on its way to a permit, and what is written down about it.

use hermes_policy::decide::Why;
use hermes_policy::{Class, Findings};
use hermes_proto::session::{SessionKey, SessionVariable};
use hermes_proto::turn::TurnContext;
use hermes_store::audit::RequestId;

use crate::action::{Action, Judged};
use crate::ask;
use crate::journal::{Entry, Moment};
use crate::judgement;
use crate::place::Place;
use crate::refusal::Refusal;

/// One action on its way to a permit.
pub(crate) struct Case {
    pub(crate) findings: Findings,
    pub(crate) is_script: bool,
    pub(crate) entry: Entry,
    pub(crate) session: Option<SessionKey>,
}

/// Why it may be done.
pub(crate) struct Allowance {
    /// `allowed`, `approved once`, …
    pub(crate) outcome: String,
    pub(crate) by: String,
    /// What is remembered from now on, once this is on record.
    pub(crate) grant: Option<ask::Granted>,
    pub(crate) is_consent: bool,
}

impl Allowance {
    pub(crate) fn by_policy(why: Why) -> Self {
        Self { outcome: "allowed".to_owned(), by: why.word().to_owned(), grant: None, is_consent: false }
    }
}

impl Case {
    pub(crate) fn new<A: Action>(turn: &TurnContext, place: &Place, action: &A) -> Self {
        let judged = action.judged();
        let findings = judgement::findings(&judged, &place.context);
        let session = turn.session();
        let mut case = Self {
            is_script: matches!(judged, Judged::Script { .. }),
            entry: Entry {
                moment: Moment::Requested,
                request: RequestId::new().to_string(),
                session: session.as_ref().map(ToString::to_string),
                who: turn.variables().text(SessionVariable::UserId).map(str::to_owned),
                surface: turn.surface().name(),
                place: place.to_string(),
                kind: action.kind(),
                subject: action.shown().into_owned(),
                verdict: "",
                rule: String::new(),
            },
            findings,
            session,
        };
        case.know_findings();
        case
    }

    /// Puts what was found on record.
    pub(crate) fn know_findings(&mut self) {
        if self.is_script_by_itself() {
            self.entry.rule = ask::SCRIPT.to_owned();
            self.entry.verdict = Class::Ask.name();
            return;
        }
        let keys: Vec<_> = self.findings.found().iter().map(|found| &*found.key).collect();
        self.entry.rule = keys.join(",");
        self.entry.verdict = self.findings.class().name();
    }

    pub(crate) fn rule(&self) -> Option<String> {
        if self.is_script_by_itself() {
            return Some(ask::SCRIPT.to_owned());
        }
        self.findings.found().first().map(|found| found.key.to_string())
    }

    /// Whatever rules say about its shell form, a script is asked about because it is one.
    fn is_script_by_itself(&self) -> bool {
        self.is_script && self.findings.class() != Class::Floor
    }
}

pub(crate) fn allowed(entry: &Entry, outcome: &str, by: &str) -> [Entry; 2] {
    let moment = Moment::Decided { is_allowed: true, outcome: outcome.to_owned(), by: by.to_owned() };
    [entry.clone(), Entry { moment, ..entry.clone() }]
}

pub(crate) fn refused(entry: &Entry, refusal: &Refusal) -> [Entry; 2] {
    let moment = Moment::Decided {
        is_allowed: false,
        outcome: refusal.outcome().name().to_owned(),
        by: refusal.by().to_owned(),
    };
    [entry.clone(), Entry { moment, ..entry.clone() }]
}
