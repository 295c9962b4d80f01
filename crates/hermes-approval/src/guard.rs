//! The one way to a permit.
//!
//! Order: deny list and floor, which nothing overrides; what else was found, by the rules and by the scanner; what was allowed before;
//! the decision matrix; a model, if it is to look first; the person of this turn. Whatever the outcome is, it is on record
//! before anything starts. (Invariants 4 and 5.)

use std::sync::{Arc, Mutex, PoisonError};

use hermes_policy::allow_list::{AllowList, Allowed};
use hermes_policy::decide::{Bypass, Denied, Remembered};
use hermes_policy::{Class, Decision, Findings, Isolation, Situation, SudoPassword, decide, decide_script};
use hermes_proto::Secret;
use hermes_proto::session::SessionKey;
use hermes_proto::turn::TurnContext;

use crate::action::{Action, Judged};
use crate::ask::{self, Question};
use crate::case::{Allowance, Case, allowed, refused};
use crate::journal::{Entry, Journal, JournalError};
use crate::password::{self, Fed};
use crate::permanent::PermanentGrants;
use crate::permit::{Permit, Record};
use crate::place::Place;
use crate::refusal::{Cause, Refusal};
use crate::reviewer::Reviewer;
use crate::scanner::{Scan, Scanner, WhenFailing};
use crate::sessions::{Sessions, Yolo};
use crate::settings::GuardSettings;

/// Texts that wait to be shown.
const MOST_NOTES: usize = 16;

/// What a guard is made of.
#[derive(Debug)]
pub struct GuardParts {
    pub settings: GuardSettings,
    pub journal: Arc<dyn Journal>,
    pub permanent: PermanentGrants,
    pub reviewer: Option<Arc<dyn Reviewer>>,
    pub scanner: Option<Scanner>,
}

impl GuardParts {
    /// Without a reviewing model, and without the scanner.
    pub fn new(settings: GuardSettings, journal: Arc<dyn Journal>, permanent: PermanentGrants) -> Self {
        Self { settings, journal, permanent, reviewer: None, scanner: None }
    }
}

/// Decides, asks, remembers, and gives out permits. Clones are the same guard.
#[derive(Debug, Clone)]
pub struct Guard {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    parts: GuardParts,
    sessions: Sessions,
    notes: Mutex<Vec<String>>,
}

impl Guard {
    pub fn new(parts: GuardParts) -> Self {
        let notes = Mutex::new(parts.settings.problems.clone());
        Self { shared: Arc::new(Shared { parts, sessions: Sessions::default(), notes }) }
    }

    /// Asks policy about this action, and whoever else has to be asked.
    pub async fn permit<A: Action>(&self, turn: &TurnContext, place: &Place, action: A) -> Result<Permit<A>, Refusal> {
        let place = self.seen_by(&action, place);
        let mut case = Case::new(turn, &place, &action);
        let fed_text = match action.judged() {
            Judged::Shell(text) if action.takes_password() && password::may_go_to(&place) => Some(text.to_owned()),
            _ => None,
        };
        let is_scanned = matches!(action.judged(), Judged::Shell(_));
        let decided = self.decide(turn, &place, &mut case, is_scanned).await;
        let allowance = match decided {
            Ok(allowance) => allowance,
            Err(cause) => return Err(self.refuse(case, cause).await),
        };
        let fed = match fed_text {
            Some(text) => password::feed(self, turn, &text, &place.context).await,
            None => None,
        };
        self.give(turn, &place, action, case, allowance, fed).await
    }

    /// For what the operator typed: asking whoever typed it would be asking twice, but floor and deny list stand. Blocks
    /// while it is recorded.
    pub fn permit_typed<A: Action>(&self, turn: &TurnContext, place: &Place, action: A) -> Result<Permit<A>, Refusal> {
        let place = self.seen_by(&action, place);
        let case = Case::new(turn, &place, &action);
        let (entry, rule) = (case.entry.clone(), case.rule());
        if let Some(cause) = self.forbidden(&case.findings) {
            let refusal = Refusal::new(cause).about(rule);
            self.shared.write(&refused(&entry, &refusal))?;
            return Err(refusal);
        }
        let permit = Permit::new(action, &place, turn, &self.settings().deny, self.shared.record(entry.clone()))?;
        self.shared.write(&allowed(&entry, "allowed", "operator"))?;
        Ok(permit)
    }

    /// Puts on record what waits for it. A turn is not over before.
    pub async fn settle(&self) {
        let shared = self.shared.clone();
        let settled = hermes_store::apart(move || shared.parts.journal.settle()).await;
        if let Err(error) = settled.unwrap_or_else(|panicked| Err(JournalError(Box::new(panicked)))) {
            tracing::error!(%error, "the end of a turn is not on record");
        }
    }

    /// Switches asking off, or on again, for one session.
    pub fn set_yolo(&self, session: &SessionKey, yolo: Yolo) {
        self.sessions().change(session, |held| held.yolo = yolo);
    }

    /// Whether asking is off in this session, by itself.
    pub fn yolo(&self, session: &SessionKey) -> Yolo {
        self.sessions().read(session, |held| held.yolo).unwrap_or_default()
    }

    /// What was allowed in this session.
    pub fn session_grants(&self, session: &SessionKey) -> AllowList {
        self.sessions().read(session, |held| held.grants.clone()).unwrap_or_default()
    }

    /// Forgets everything about a session that is over.
    pub fn forget(&self, session: &SessionKey) {
        self.sessions().forget(session);
    }

    /// Forgets the session's password for sudo: it was wrong, or its owner wants that.
    pub fn forget_password(&self, session: &SessionKey) {
        self.sessions().change(session, |held| held.password = None);
    }

    /// What people should be told once; from now on it is told.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn settings(&self) -> &GuardSettings {
        &self.shared.parts.settings
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.shared.sessions
    }

    pub(crate) fn configured_password(&self) -> Option<&Secret> {
        self.settings().sudo_password.as_ref()
    }

    pub(crate) fn reviewer(&self) -> Option<&dyn Reviewer> {
        self.shared.parts.reviewer.as_deref()
    }

    pub(crate) fn permanent(&self) -> &PermanentGrants {
        &self.shared.parts.permanent
    }

    /// The place as this action would see it, with what only the guard knows: whether there is a password to feed.
    fn seen_by(&self, action: &impl Action, place: &Place) -> Place {
        let mut place = Place { context: place.seen_by(action), ..place.clone() };
        place.context.sudo_password =
            if self.configured_password().is_some() { SudoPassword::Configured } else { SudoPassword::Missing };
        place
    }

    fn forbidden(&self, findings: &Findings) -> Option<Cause> {
        if let Some(pattern) = self.settings().deny.hit(findings) {
            return Some(Cause::DenyList { pattern: pattern.to_string() });
        }
        match findings.class() {
            Class::Floor => Some(Cause::Floor { reason: findings.verdict().reason.to_owned() }),
            Class::Ask | Class::Allow => None,
        }
    }

    async fn decide(
        &self,
        turn: &TurnContext,
        place: &Place,
        case: &mut Case,
        is_scanned: bool,
    ) -> Result<Allowance, Cause> {
        if turn.is_over() || turn.cancellation().is_cancelled() {
            return Err(Cause::Cancelled);
        }
        if let Some(cause) = self.forbidden(&case.findings) {
            return Err(cause);
        }
        case.findings.require(&self.settings().required);
        let mut situation = self.situation(turn, place, case);
        if is_scanned && would_matter(situation) && place.isolation != Isolation::Container {
            self.scan(case).await;
        }
        case.know_findings();
        situation.class = case.findings.class();
        if situation.class == Class::Ask && !case.is_script && self.is_remembered(case).await {
            situation.remembered = Remembered::Everything;
        }
        let decision = if case.is_script { decide_script(&situation) } else { decide(&situation) };
        match decision {
            Decision::Run(why) => Ok(Allowance::by_policy(why)),
            Decision::Refuse(why) => Err(Cause::Policy(why)),
            Decision::Ask(first) => {
                let question = Question {
                    request: &case.entry.request,
                    kind: case.entry.kind,
                    action: &case.entry.subject,
                    findings: &case.findings,
                    is_script: case.is_script,
                    session: case.session.as_ref(),
                };
                ask::ask(self, turn, place, &question, first).await
            }
        }
    }

    fn situation(&self, turn: &TurnContext, place: &Place, case: &Case) -> Situation {
        let settings = self.settings();
        let session_yolo = case.session.as_ref().map(|session| self.yolo(session)).unwrap_or_default();
        Situation {
            class: case.findings.class(),
            surface: turn.surface(),
            reach: turn.approver().reach(),
            mode: settings.mode,
            isolation: place.isolation,
            sandbox: settings.sandbox,
            remembered: Remembered::NotAll,
            bypass: match (settings.process_yolo, session_yolo) {
                (Yolo::On, _) => Bypass::Process,
                (Yolo::Off, Yolo::On) => Bypass::Session,
                (Yolo::Off, Yolo::Off) => Bypass::None,
            },
            unattended: settings.unattended,
            denied: Denied::NotNamed,
        }
    }

    async fn scan(&self, case: &mut Case) {
        let Some(scanner) = &self.shared.parts.scanner else { return };
        match scanner.scan(case.findings.text()).await {
            Scan::Clean => {}
            Scan::Found(found) => {
                for one in found {
                    case.findings.add_scanned(&one.rule, &one.reason);
                }
            }
            Scan::Failed { first } => {
                if let Some(note) = first {
                    self.note(note);
                }
                match scanner.when_failing() {
                    WhenFailing::RulesStand => {}
                    WhenFailing::Ask => {
                        case.findings.add_scanned("unavailable", "the command scanner could not look at it");
                    }
                }
            }
        }
    }

    async fn is_remembered(&self, case: &Case) -> bool {
        let session = case.session.as_ref().map(|session| self.session_grants(session)).unwrap_or_default();
        let permanent = self.permanent().clone();
        // Reading a file may block.
        let permanent = tokio::task::spawn_blocking(move || permanent.read()).await.unwrap_or_default();
        Allowed { session: &session, permanent: &permanent }.covers(&case.findings).is_some()
    }

    async fn refuse(&self, case: Case, cause: Cause) -> Refusal {
        let rule = case.rule();
        let mut refusal = Refusal::new(cause).about(rule);
        if let Err(error) = self.shared.clone().write_later(refused(&case.entry, &refusal)).await {
            tracing::error!(%error, "a refusal is not on record");
        }
        refusal.too_many = case.session.as_ref().and_then(|session| self.count_refusal(session, &refusal.cause));
        refusal
    }

    /// How many refusals in a row this was, if those are too many.
    fn count_refusal(&self, session: &SessionKey, cause: &Cause) -> Option<u32> {
        let threshold = self.settings().denial_breaker;
        if threshold == 0 || matches!(cause, Cause::Cancelled | Cause::Journal(_)) {
            return None;
        }
        let count = self.sessions().change(session, |held| {
            held.refusals = held.refusals.saturating_add(1);
            held.refusals
        });
        (count >= threshold).then_some(count)
    }

    async fn give<A: Action>(
        &self,
        turn: &TurnContext,
        place: &Place,
        action: A,
        case: Case,
        allowance: Allowance,
        fed: Option<Fed>,
    ) -> Result<Permit<A>, Refusal> {
        let Allowance { outcome, by, grant, is_consent } = allowance;
        let record = self.shared.record(case.entry.clone());
        let permit = Permit::new(action, place, turn, &self.settings().deny, record)?;
        let entries = allowed(&case.entry, &outcome, &by);
        // What a person said is on disk before anything else; what rules say goes there with the start.
        match is_consent {
            true => self.shared.clone().write_later(entries).await?,
            false => self.shared.parts.journal.write_soon(&entries)?,
        }
        if let (Some(session), true) = (&case.session, is_consent) {
            self.sessions().change(session, |held| held.refusals = 0);
        }
        if let Some(grant) = grant {
            ask::remember(self, case.session.as_ref(), grant).await;
        }
        Ok(match fed {
            Some(Fed { text, lines }) => permit.with_password(text, lines),
            None => permit,
        })
    }

    pub(crate) fn note(&self, text: String) {
        let mut notes = self.shared.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < MOST_NOTES && !notes.contains(&text) {
            notes.push(text);
        }
    }
}

impl Shared {
    fn record(&self, entry: Entry) -> Record {
        Record { journal: self.parts.journal.clone(), entry }
    }

    fn write(&self, entries: &[Entry]) -> Result<(), JournalError> {
        self.parts.journal.write(entries)
    }

    /// The same where nobody else waits for it.
    async fn write_later(self: Arc<Self>, entries: [Entry; 2]) -> Result<(), JournalError> {
        let written = hermes_store::apart(move || self.write(&entries)).await;
        written.unwrap_or_else(|panicked| Err(JournalError(Box::new(panicked))))
    }
}

impl From<JournalError> for Refusal {
    fn from(error: JournalError) -> Self {
        Self::new(error)
    }
}

/// Whether a finding of the scanner could change anything here.
fn would_matter(situation: Situation) -> bool {
    !matches!(decide(&Situation { class: Class::Ask, ..situation }), Decision::Run(_))
}
