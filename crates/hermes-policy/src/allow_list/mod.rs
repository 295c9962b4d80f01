//! What was allowed before, what is never allowed, and what is always asked about.
//!
//! Hazard: two lookups disagree sooner or later, and the laxer one decides. There is one,
//! [`Allowed::covers`], over what this session and what the configuration allows.

mod aliases;
mod grant;

pub use grant::{CommandGlob, ExactCommand, Grant, RuleKey, Unusable};

use crate::{Findings, FoundBy};

/// Most things that are allowed at once.
const ENTRIES: usize = 4096;

/// An entry that is not used, and why. It allows nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {entry:?} {why}")]
pub struct Problem {
    pub entry: String,
    pub why: Unusable,
}

/// Grants of one kind of lifetime, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList {
    grants: Vec<Grant>,
}

impl AllowList {
    /// Reads `command_allowlist`. An entry that cannot be used is told and left out.
    pub fn parse<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> (Self, Vec<Problem>) {
        let (mut grants, mut problems) = parsed(entries, Grant::parse);
        let over = grants.drain(grants.len().min(ENTRIES)..);
        problems.extend(over.map(|grant| Problem { entry: grant.entry(), why: Unusable::TooMany }));
        (Self { grants }, problems)
    }

    /// Allows one thing more. A full list forgets its oldest, which is then asked about again.
    pub fn allow(&mut self, grant: Grant) {
        if self.grants.contains(&grant) {
            return;
        }
        if self.grants.len() >= ENTRIES {
            self.grants.remove(0);
        }
        self.grants.push(grant);
    }

    /// Takes one back; answers whether it was there.
    pub fn revoke(&mut self, grant: &Grant) -> Revoked {
        let before = self.grants.len();
        self.grants.retain(|other| other != grant);
        if self.grants.len() < before { Revoked::Gone } else { Revoked::WasNotThere }
    }

    pub fn grants(&self) -> &[Grant] {
        &self.grants
    }
}

/// What came of taking a grant back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revoked {
    Gone,
    WasNotThere,
}

/// What is allowed in a session, by the session and for good.
#[derive(Debug, Clone, Copy)]
pub struct Allowed<'a> {
    pub session: &'a AllowList,
    pub permanent: &'a AllowList,
}

impl<'a> Allowed<'a> {
    /// The grant that lets it run: each finding needs one, and where they differ the first is
    /// named. Nothing covers what is refused always, and nothing needs to cover what is allowed.
    pub fn covers(self, findings: &Findings) -> Option<&'a Grant> {
        if findings.class() != crate::Class::Ask {
            return None;
        }
        let mut first = None;
        for found in findings.found() {
            let lasting = match found.by {
                FoundBy::Scanner => &[][..],
                FoundBy::Rule | FoundBy::Setting => self.permanent.grants(),
            };
            let mut grants = self.session.grants().iter().chain(lasting);
            let grant = grants.find(|grant| grant.covers(findings, &found.key, found.by))?;
            first = first.or(Some(grant));
        }
        first
    }
}

/// The narrowest thing that would let exactly this run again: what "session" and "always" store.
/// Nothing, where the text leaves open what it does: the same text could do something else then.
pub fn narrowest(findings: &Findings) -> Option<Grant> {
    if findings.class() != crate::Class::Ask || !findings.is_resolved() {
        return None;
    }
    ExactCommand::new(findings.text()).ok().map(Grant::Command)
}

/// `approvals.deny`: commands that never run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DenyList(Globs);

/// `approvals.command_approval_required`: commands that never run unasked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalRequired(Globs);

impl DenyList {
    pub fn parse<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> (Self, Vec<Problem>) {
        let (globs, problems) = Globs::parse(entries);
        (Self(globs), problems)
    }

    /// The pattern that names the text, or any command in it.
    pub fn hit(&self, findings: &Findings) -> Option<&CommandGlob> {
        self.0.hit(findings)
    }
}

impl ApprovalRequired {
    pub fn parse<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> (Self, Vec<Problem>) {
        let (globs, problems) = Globs::parse(entries);
        (Self(globs), problems)
    }

    /// The pattern that names the text, or any command in it.
    pub fn hit(&self, findings: &Findings) -> Option<&CommandGlob> {
        self.0.hit(findings)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Globs(Vec<CommandGlob>);

impl Globs {
    fn parse<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> (Self, Vec<Problem>) {
        let (globs, problems) = parsed(entries, CommandGlob::forbidding);
        (Self(globs), problems)
    }

    fn hit(&self, findings: &Findings) -> Option<&CommandGlob> {
        if self.0.is_empty() {
            return None;
        }
        let whole = findings.text().trim();
        let commands: Vec<String> = findings.resolved_commands().collect();
        self.0.iter().find(|glob| glob.names(whole) || commands.iter().any(|command| glob.names(command)))
    }
}

fn parsed<T: AsRef<str>, E>(
    entries: impl IntoIterator<Item = T>,
    read: impl Fn(&str) -> Result<E, Unusable>,
) -> (Vec<E>, Vec<Problem>) {
    let (mut good, mut problems) = (Vec::new(), Vec::new());
    for entry in entries {
        let entry = entry.as_ref();
        match read(entry) {
            Ok(one) => good.push(one),
            Err(why) => problems.push(Problem { entry: entry.to_owned(), why }),
        }
    }
    (good, problems)
}

#[cfg(test)]
mod tests;
