//! Who waits and who was let in.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use hermes_home::Home;
use serde::{Deserialize, Serialize};

use super::{PairingError, code, files, guesses};
use crate::{Identifier, Platform};

/// Codes of a platform that wait at a time.
const MOST_WAITING: usize = 3;
/// Seconds that a code counts.
const LIFETIME: u64 = 3_600;
/// Seconds after which the same person may have another.
const PAUSE: u64 = 600;
/// Characters of a name.
const LONGEST_NAME: usize = 64;
const APPROVED: &str = "-approved.json";
const PENDING: &str = "-pending.json";

/// Somebody who was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paired {
    pub platform: Platform,
    pub person: String,
    /// As they call themselves; untrusted text.
    pub name: String,
    /// Seconds since 1970.
    pub since: u64,
}

/// Somebody whose code waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub platform: Platform,
    pub person: String,
    /// As they call themselves; untrusted text.
    pub name: String,
    /// Seconds since 1970.
    pub since: u64,
    pub until: u64,
}

/// The pairings of a home.
#[derive(Debug, Clone)]
pub struct Pairing {
    home: PathBuf,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Approved {
    user_name: String,
    approved_at: f64,
}

type ApprovedFile = BTreeMap<String, Approved>;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct PendingFile {
    #[serde(default)]
    codes: Vec<Pending>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Pending {
    code_hash: String,
    salt_hex: String,
    user_id: String,
    #[serde(default)]
    user_name: String,
    created_at: f64,
    expires_at: f64,
}

impl Pairing {
    pub fn of(home: &Home) -> Self {
        Self { home: home.path().to_owned() }
    }

    /// Whether somebody was let in.
    pub fn is_paired(&self, platform: &Platform, person: &Identifier) -> Result<bool, PairingError> {
        let approved: ApprovedFile = files::read(&self.home, &format!("{platform}{APPROVED}"))?;
        Ok(approved.contains_key(person.as_str()))
    }

    /// A code for somebody unknown. None if they had one lately, if too many wait already, or while approving is locked.
    pub fn request(
        &self,
        platform: &Platform,
        person: &Identifier,
        name: &str,
        now: SystemTime,
    ) -> Result<Option<String>, PairingError> {
        let now = seconds(now);
        if guesses::locked(&self.home, platform, now)?.is_some() {
            return Ok(None);
        }
        files::update(&self.home, &format!("{platform}{PENDING}"), |file: &mut PendingFile| {
            let is_open = |pending: &Pending| whole(pending.expires_at) > now;
            let had_one =
                |pending: &Pending| pending.user_id == person.as_str() && whole(pending.created_at) + PAUSE > now;
            if file.codes.iter().any(had_one) {
                return Ok(None);
            }
            let others = file.codes.iter().filter(|pending| is_open(pending) && pending.user_id != person.as_str());
            if others.count() >= MOST_WAITING {
                return Ok(None);
            }
            let code = code::random()?;
            let (salt_hex, code_hash) = code::sealed(&code)?;
            file.codes.retain(|pending| is_open(pending) && pending.user_id != person.as_str());
            file.codes.push(Pending {
                code_hash,
                salt_hex,
                user_id: person.to_string(),
                user_name: name.chars().take(LONGEST_NAME).collect(),
                created_at: number(now),
                expires_at: number(now + LIFETIME),
            });
            Ok(Some(code))
        })
    }

    /// Lets in whoever was given this code.
    pub fn approve(&self, platform: &Platform, typed: &str, now: SystemTime) -> Result<Paired, PairingError> {
        let now = seconds(now);
        if let Some(left) = guesses::locked(&self.home, platform, now)? {
            return Err(PairingError::Locked { platform: platform.clone(), minutes: left.div_ceil(60) });
        }
        let found = files::update(&self.home, &format!("{platform}{PENDING}"), |file: &mut PendingFile| {
            file.codes.retain(|pending| whole(pending.expires_at) > now);
            let is_meant = |pending: &Pending| code::is_sealed_as(typed, &pending.salt_hex, &pending.code_hash);
            let Some(at) = file.codes.iter().position(is_meant) else { return Ok(None) };
            let pending = file.codes.remove(at);
            let entry = Approved { user_name: pending.user_name.clone(), approved_at: number(now) };
            // First let in, then forget the code: a kill in between leaves a code that lets in the same person.
            files::update(&self.home, &format!("{platform}{APPROVED}"), |approved: &mut ApprovedFile| {
                approved.insert(pending.user_id.clone(), entry);
                Ok(())
            })?;
            Ok(Some(pending))
        })?;
        let Some(Pending { user_id, user_name, .. }) = found else {
            guesses::wrong(&self.home, platform, now)?;
            return Err(PairingError::UnknownCode { platform: platform.clone() });
        };
        guesses::right(&self.home, platform)?;
        Ok(Paired { platform: platform.clone(), person: user_id, name: user_name, since: now })
    }

    /// Throws somebody out; whether they were in.
    pub fn revoke(&self, platform: &Platform, person: &str) -> Result<bool, PairingError> {
        files::update(&self.home, &format!("{platform}{APPROVED}"), |approved: &mut ApprovedFile| {
            Ok(approved.remove(person).is_some())
        })
    }

    /// Forgets every code; how many there were.
    pub fn clear_waiting(&self) -> Result<usize, PairingError> {
        let mut count = 0;
        for platform in self.platforms(PENDING)? {
            count += files::update(&self.home, &format!("{platform}{PENDING}"), |file: &mut PendingFile| {
                Ok(std::mem::take(&mut file.codes).len())
            })?;
        }
        Ok(count)
    }

    pub fn paired(&self) -> Result<Vec<Paired>, PairingError> {
        let mut all = Vec::new();
        for platform in self.platforms(APPROVED)? {
            let approved: ApprovedFile = files::read(&self.home, &format!("{platform}{APPROVED}"))?;
            all.extend(approved.into_iter().map(|(person, entry)| Paired {
                platform: platform.clone(),
                person,
                name: entry.user_name,
                since: whole(entry.approved_at),
            }));
        }
        Ok(all)
    }

    /// Whose codes still count.
    pub fn waiting(&self, now: SystemTime) -> Result<Vec<Waiting>, PairingError> {
        let now = seconds(now);
        let mut all = Vec::new();
        for platform in self.platforms(PENDING)? {
            let file: PendingFile = files::read(&self.home, &format!("{platform}{PENDING}"))?;
            let open = file.codes.into_iter().filter(|pending| whole(pending.expires_at) > now);
            all.extend(open.map(|pending| Waiting {
                platform: platform.clone(),
                person: pending.user_id,
                name: pending.user_name,
                since: whole(pending.created_at),
                until: whole(pending.expires_at),
            }));
        }
        Ok(all)
    }

    /// The platforms that have a file with this ending, in order.
    fn platforms(&self, ending: &str) -> Result<Vec<Platform>, PairingError> {
        let entries = match std::fs::read_dir(self.home.join(files::FOLDER)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(PairingError::Folder(error)),
        };
        let mut platforms = Vec::new();
        for entry in entries {
            let name = entry.map_err(PairingError::Folder)?.file_name();
            let platform = name.to_str().and_then(|name| name.strip_suffix(ending)?.parse().ok());
            platforms.extend(platform);
        }
        platforms.sort();
        Ok(platforms)
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map(|since| since.as_secs()).unwrap_or_default()
}

/// Older files have fractions.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds of an age of the world")]
fn whole(seconds: f64) -> u64 {
    seconds.max(0.0) as u64
}

#[expect(clippy::cast_precision_loss, reason = "seconds of an age of the world")]
fn number(seconds: u64) -> f64 {
    seconds as f64
}
