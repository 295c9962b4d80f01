//! What is configured: `platforms.telegram` and `telegram` in config.yaml, and where they are silent the variables of `.env`.

use std::collections::BTreeSet;
use std::time::Duration;

use hermes_proto::Secret;
use serde_json::Value;

use crate::admission::{Admission, People, Unknown, is_yes};
use crate::platforms::{Setup, SetupError};
use crate::{Identifier, Platform};

pub(super) const NAME: &str = "telegram";
const BASE: &str = "https://api.telegram.org";
const EDIT_INTERVAL: Duration = Duration::from_secs(1);

/// Which messages of an answer refer to the message that they answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplyTo {
    None,
    First,
    All,
}

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) token: Secret,
    pub(super) base: String,
    /// May hold a password.
    pub(super) proxy: Option<Secret>,
    pub(super) admission: Admission,
    pub(super) groups: Groups,
    pub(super) reply_to: ReplyTo,
    /// The pause between two edits of a message.
    pub(super) edit_interval: Duration,
    /// Whether tools are shown while an answer is written.
    pub(super) is_streaming: bool,
}

/// What counts in groups only.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Let in as users, in groups.
    pub(super) people: People,
    /// Chats whose members are all let in.
    pub(super) open_chats: People,
    /// The only chats that are served; empty for all.
    pub(super) served_chats: BTreeSet<String>,
    /// Where everything is meant for the bot.
    pub(super) free_chats: People,
    pub(super) ignored_threads: BTreeSet<String>,
    /// Whether, elsewhere, the bot must be meant.
    pub(super) require_mention: bool,
}

impl Settings {
    /// Nothing if Telegram is not wanted.
    pub(super) fn configured(setup: &Setup<'_>, platform: &Platform) -> Result<Option<Self>, SetupError> {
        let source = Source::of(setup);
        let Some(token) = source.text("token", "TELEGRAM_BOT_TOKEN").filter(|_| source.is_enabled()) else {
            return Ok(None);
        };
        if !is_token(&token) {
            return Err(wrong(
                "the token is none",
                "TELEGRAM_BOT_TOKEN is what @BotFather says: digits, a colon, letters",
            ));
        }
        let mut people = source.people("allow_from", "TELEGRAM_ALLOWED_USERS");
        people.everybody |= source.switch("allow_all_users", "TELEGRAM_ALLOW_ALL_USERS", false)?;
        let admins = source.people("allow_admin_from", "TELEGRAM_ADMIN_USERS");
        let admission = Admission::new(setup, platform, people, admins, Unknown::configured(setup, NAME)?);
        Ok(Some(Self {
            token: Secret::new(token),
            base: source.base()?,
            proxy: source.proxy(),
            admission,
            groups: source.groups()?,
            reply_to: source.reply_to()?,
            edit_interval: setup.config.streaming.edit_interval.map_or(EDIT_INTERVAL, seconds),
            is_streaming: setup.config.streaming.enabled,
        }))
    }
}

impl Groups {
    /// Whether somebody is let in here, whoever they are elsewhere.
    pub(super) fn admits(&self, chat: &Identifier, person: &Identifier) -> bool {
        self.people.includes(person) || self.open_chats.includes(chat)
    }

    /// Whether this chat, and this topic of it, is served at all.
    pub(super) fn serves(&self, chat: &Identifier, thread: Option<&Identifier>) -> bool {
        let is_served = self.served_chats.is_empty() || self.served_chats.contains(chat.as_str());
        is_served && !thread.is_some_and(|thread| self.ignored_threads.contains(thread.as_str()))
    }

    /// Whether a message must be meant for the bot to be taken.
    pub(super) fn wants_mention(&self, chat: &Identifier) -> bool {
        self.require_mention && !self.free_chats.includes(chat)
    }
}

fn wrong(problem: impl Into<String>, remedy: impl Into<String>) -> SetupError {
    SetupError { platform: NAME, problem: problem.into(), remedy: remedy.into() }
}

fn is_token(token: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    token.split_once(':').is_some_and(|(id, secret)| {
        !id.is_empty()
            && id.bytes().all(|byte| byte.is_ascii_digit())
            && !secret.is_empty()
            && secret.bytes().all(is_letter)
    })
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.clamp(0.3, 60.0)).unwrap_or(EDIT_INTERVAL)
}

/// Where settings are looked for.
struct Source<'a> {
    sections: Vec<&'a Value>,
    variable: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Source<'a> {
    fn of(setup: &'a Setup<'a>) -> Self {
        let platform = &setup.config.platforms[NAME];
        let sections = vec![platform, &platform["extra"], &setup.config.telegram];
        Self { sections, variable: setup.variable }
    }

    fn value(&self, key: &str) -> Option<&Value> {
        self.sections.iter().map(|section| &section[key]).find(|value| !value.is_null())
    }

    /// A platform that has a token is served unless it is switched off.
    fn is_enabled(&self) -> bool {
        self.sections[0]["enabled"] != Value::Bool(false)
    }

    fn text(&self, key: &str, variable: &str) -> Option<String> {
        let written = self.value(key).and_then(Value::as_str).map(ToOwned::to_owned);
        let text = written.or_else(|| (self.variable)(variable))?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn switch(&self, key: &str, variable: &str, default: bool) -> Result<bool, SetupError> {
        match self.value(key) {
            Some(Value::Bool(is_on)) => Ok(*is_on),
            Some(Value::String(text)) => Ok(is_yes(text)),
            Some(_) => Err(wrong(format!("telegram.{key} is neither true nor false"), "set it to true or false")),
            None => Ok((self.variable)(variable).map_or(default, |text| is_yes(&text))),
        }
    }

    /// A list, as people write lists: ids one by one, or in one text with commas.
    fn list(&self, key: &str, variable: &str) -> Vec<String> {
        let one = |value: &Value| match value {
            Value::String(text) => text.split(',').map(|id| id.trim().to_owned()).collect(),
            Value::Number(number) => vec![number.to_string()],
            _ => Vec::new(),
        };
        let written: Option<Vec<String>> = self.value(key).map(|value| match value {
            Value::Array(items) => items.iter().flat_map(one).collect(),
            value => one(value),
        });
        let listed = || (self.variable)(variable).map(|text| one(&Value::String(text)));
        let ids = written.or_else(listed).unwrap_or_default();
        ids.into_iter().filter(|id| !id.is_empty()).collect()
    }

    fn people(&self, key: &str, variable: &str) -> People {
        People::listed(self.list(key, variable).iter().map(String::as_str))
    }

    fn groups(&self) -> Result<Groups, SetupError> {
        Ok(Groups {
            people: self.people("group_allow_from", "TELEGRAM_GROUP_ALLOWED_USERS"),
            open_chats: self.people("group_allowed_chats", "TELEGRAM_GROUP_ALLOWED_CHATS"),
            served_chats: self.list("allowed_chats", "TELEGRAM_ALLOWED_CHATS").into_iter().collect(),
            free_chats: self.people("free_response_chats", "TELEGRAM_FREE_RESPONSE_CHATS"),
            ignored_threads: self.list("ignored_threads", "TELEGRAM_IGNORED_THREADS").into_iter().collect(),
            require_mention: self.switch("require_mention", "TELEGRAM_REQUIRE_MENTION", true)?,
        })
    }

    fn reply_to(&self) -> Result<ReplyTo, SetupError> {
        match self.text("reply_to_mode", "TELEGRAM_REPLY_TO_MODE").as_deref() {
            None | Some("first") => Ok(ReplyTo::First),
            Some("off" | "none" | "false") => Ok(ReplyTo::None),
            Some("all") => Ok(ReplyTo::All),
            Some(other) => Err(wrong(format!("reply_to_mode is {other:?}"), "it is off, first or all")),
        }
    }

    fn base(&self) -> Result<String, SetupError> {
        let base = self.text("base_url", "TELEGRAM_API_BASE_URL").unwrap_or_else(|| BASE.to_owned());
        let is_address = base.starts_with("https://") || base.starts_with("http://");
        if is_address { Ok(base) } else { Err(wrong("base_url is no address", "it begins with https:// or http://")) }
    }

    fn proxy(&self) -> Option<Secret> {
        let own = self.text("proxy_url", "TELEGRAM_PROXY");
        let general =
            || ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].iter().find_map(|name| (self.variable)(name));
        own.or_else(general).filter(|proxy| !proxy.trim().is_empty()).map(Secret::new)
    }
}
