//! The content of `auth.json` in memory: a checked JSON object, read and edited.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::time::SystemTime;

use hermes_proto::Secret;
use serde_json::{Map, Value, json};

use super::{AuthFileError, Place, shape, timestamp};
use crate::credentials::{ApiKey, ProviderId};

/// The version this format has.
const VERSION: u64 = 1;

/// A checked `auth.json`.
#[derive(Clone, Default)]
pub struct AuthFile {
    root: Map<String, Value>,
}

/// A credential of the pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolEntry {
    pub id: Option<String>,
    pub label: Option<String>,
    /// `api_key`, `oauth` or what another version wrote there.
    pub auth_type: Option<String>,
    pub priority: i64,
    pub access_token: Option<Secret>,
}

/// The state of a login: whose it is, and the token if it has one where it is usual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    pub key: String,
    pub access_token: Option<Secret>,
}

/// What may be said about a key when it is added.
#[derive(Debug, Clone, Default)]
pub struct NewKey {
    /// Else one is made up.
    pub label: Option<String>,
    /// Else it comes after those that are there.
    pub priority: Option<i64>,
}

impl AuthFile {
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, AuthFileError> {
        let value =
            serde_json::from_slice(bytes).map_err(|source| AuthFileError::Syntax { path: path.to_owned(), source })?;
        let root = shape::check(value).map_err(|wrong| AuthFileError::Shape {
            path: path.to_owned(),
            at: wrong.at,
            expected: wrong.expected,
        })?;
        Ok(Self { root })
    }

    /// All entries of the pool with the key they are under, each key's by priority.
    pub fn pool(&self) -> Vec<(&str, PoolEntry)> {
        let mut all = Vec::new();
        for (key, entries) in self.members("credential_pool") {
            let mut entries: Vec<_> = entries.as_array().into_iter().flatten().map(PoolEntry::of).collect();
            entries.sort_by_key(|entry| entry.priority);
            all.extend(entries.into_iter().map(|entry| (key, entry)));
        }
        all
    }

    /// All logins, in the file's order.
    pub fn logins(&self) -> Vec<Login> {
        let logins = self.members("providers").filter(|(_, state)| state.as_object().is_some_and(|s| !s.is_empty()));
        logins.map(|(key, state)| Login { key: key.to_owned(), access_token: token_of(state) }).collect()
    }

    pub fn active_provider(&self) -> Option<&str> {
        self.root.get("active_provider").and_then(Value::as_str)
    }

    /// Stores a key; answers its label.
    pub fn add(&mut self, provider: &ProviderId, key: &ApiKey, new: &NewKey) -> Result<String, AuthFileError> {
        let present: Vec<_> = self.pool().into_iter().filter(|(at, _)| provider.owns(at)).collect();
        let entries: Vec<&PoolEntry> = present.iter().map(|(_, entry)| entry).collect();
        if let Some(same) = entries.iter().find(|entry| entry.access_token.as_ref() == Some(key.secret())) {
            let (provider, label) = (provider.to_string(), same.label.clone().unwrap_or_default());
            return Err(AuthFileError::Duplicate { provider, label });
        }
        let label = free_label(provider, &entries, new)?;
        let last = entries.iter().map(|entry| entry.priority).max();
        let entry = json!({
            "id": free_id(&entries),
            "label": label,
            "auth_type": "api_key",
            "priority": new.priority.unwrap_or(last.map_or(0, |last| last.saturating_add(1))),
            "source": "manual",
            "access_token": key.secret().expose(),
        });
        let at = present.first().map_or(provider.as_str(), |(at, _)| at).to_owned();
        self.edit_list(&at, |list| list.push(entry));
        Ok(label)
    }

    /// Removes a stored credential and nothing else.
    pub fn remove(&mut self, place: &Place) -> Result<(), AuthFileError> {
        match place {
            Place::Pool { key, entry } => self.remove_entry(key, entry),
            Place::Login { key } => self.remove_login(key),
        }
    }

    /// The file as it is written at this moment.
    pub fn render(&self, now: SystemTime) -> Vec<u8> {
        let mut root = Map::new();
        if !self.root.contains_key("version") {
            root.insert("version".to_owned(), VERSION.into());
        }
        root.extend(self.root.clone());
        root.insert("updated_at".to_owned(), timestamp::iso8601(now).into());
        format!("{:#}\n", Value::Object(root)).into_bytes()
    }

    fn members(&self, name: &str) -> impl Iterator<Item = (&str, &Value)> {
        let members = self.root.get(name).and_then(Value::as_object);
        members.into_iter().flatten().map(|(key, value)| (key.as_str(), value))
    }

    /// Changes the list under this key of the pool; an empty list is not kept.
    fn edit_list<T>(&mut self, key: &str, edit: impl FnOnce(&mut Vec<Value>) -> T) -> T {
        let mut pool = match self.root.get_mut("credential_pool") {
            Some(Value::Object(pool)) => std::mem::take(pool),
            _ => Map::new(),
        };
        let mut list = match pool.get_mut(key) {
            Some(Value::Array(list)) => std::mem::take(list),
            _ => Vec::new(),
        };
        let answer = edit(&mut list);
        if list.is_empty() {
            pool.shift_remove(key);
        } else {
            pool.insert(key.to_owned(), Value::Array(list));
        }
        self.root.insert("credential_pool".to_owned(), Value::Object(pool));
        answer
    }

    fn remove_entry(&mut self, key: &str, wanted: &PoolEntry) -> Result<(), AuthFileError> {
        let is_wanted = |value: &Value| {
            let entry = PoolEntry::of(value);
            if wanted.id.is_some() { entry.id == wanted.id } else { entry == *wanted }
        };
        self.edit_list(key, |list| {
            let index = list.iter().position(is_wanted).ok_or(AuthFileError::Gone)?;
            list.remove(index);
            Ok(())
        })
    }

    fn remove_login(&mut self, key: &str) -> Result<(), AuthFileError> {
        let logins = self.root.get_mut("providers").and_then(Value::as_object_mut);
        logins.and_then(|logins| logins.shift_remove(key)).ok_or(AuthFileError::Gone)?;
        if self.active_provider() == Some(key) {
            self.root.insert("active_provider".to_owned(), Value::Null);
        }
        Ok(())
    }
}

impl PoolEntry {
    fn of(value: &Value) -> Self {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            id: text("id"),
            label: text("label"),
            auth_type: text("auth_type"),
            priority: value.get("priority").and_then(Value::as_i64).unwrap_or_default(),
            access_token: text("access_token").filter(|token| !token.is_empty()).map(Secret::new),
        }
    }
}

/// Keys only: the values are secrets.
impl fmt::Debug for AuthFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("AuthFile").field(&self.root.keys().collect::<Vec<_>>()).finish()
    }
}

/// The token of a login, where the known providers keep it.
fn token_of(state: &Value) -> Option<Secret> {
    const PLACES: [&str; 3] = ["/access_token", "/tokens/access_token", "/agent_key"];
    let text = PLACES.iter().find_map(|place| state.pointer(place).and_then(Value::as_str))?;
    (!text.is_empty()).then(|| Secret::new(text))
}

fn free_label(provider: &ProviderId, entries: &[&PoolEntry], new: &NewKey) -> Result<String, AuthFileError> {
    let taken = |label: &str| entries.iter().any(|entry| entry.label.as_deref() == Some(label));
    match &new.label {
        Some(label) if taken(label) => {
            Err(AuthFileError::LabelTaken { provider: provider.to_string(), label: label.clone() })
        }
        Some(label) => Ok(label.clone()),
        None => {
            let made_up = (entries.len() + 1..).map(|number| format!("api-key-{number}")).find(|label| !taken(label));
            Ok(made_up.unwrap_or_default())
        }
    }
}

/// Six random hexadecimal digits, as the original's ids are. They only have to be
/// free among these entries, so the randomness that hash maps are seeded with will do.
fn free_id(entries: &[&PoolEntry]) -> String {
    let ids = std::iter::repeat_with(|| format!("{:06x}", RandomState::new().hash_one(0) & 0xff_ffff));
    let free = |id: &String| !entries.iter().any(|entry| entry.id.as_ref() == Some(id));
    ids.take(1000).find(free).unwrap_or_else(|| format!("{:016x}", RandomState::new().hash_one(1)))
}
