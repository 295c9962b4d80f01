//! The key of a conversation: which messages belong together.
//!
//! `agent:<namespace>:<platform>:<kind>[:<scope>][:<chat>][:<thread>][:<person>]`. Two conversations that differ in anything never have the
//! same key: a colon inside an id is written as `%3A`, so that no id can pretend to be two, and a key that would be
//! too long ends in a digest that no id can be written as.

use hermes_home::HomeName;
use hermes_home::config::Config;
use hermes_proto::session::{InvalidSessionKey, SessionKey};
use sha2::{Digest, Sha256};

use crate::{Chat, ChatKind, Person};

/// Bytes after which a digest takes the place of the ids.
const LONGEST: usize = 256;
/// A profile of this name must not share keys with the default home.
const MAIN: &str = "main";
/// How the keys of chats begin.
const RESERVED: &str = "agent:";

/// A key that a caller must not choose.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("session key {0} belongs to a chat: a chosen one cannot begin with {RESERVED:?}")]
pub struct ReservedKey(pub SessionKey);

/// Whether people in one place share a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    Shared,
    PerPerson,
}

impl Sharing {
    fn per_person(is_per_person: bool) -> Self {
        if is_per_person { Self::PerPerson } else { Self::Shared }
    }
}

/// The rules of one gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRules {
    namespace: String,
    groups: Sharing,
    threads: Sharing,
}

impl KeyRules {
    pub fn new(home: &HomeName, config: &Config) -> Self {
        let namespace = match home {
            HomeName::Default => MAIN.to_owned(),
            HomeName::Profile(name) if name.as_str() == MAIN => format!("{MAIN}~"),
            HomeName::Profile(name) => name.as_str().to_owned(),
        };
        let groups = Sharing::per_person(config.group_sessions_per_user);
        let threads = Sharing::per_person(config.thread_sessions_per_user);
        Self { namespace, groups, threads }
    }

    /// The key of this person's conversation in this chat.
    pub fn key(&self, chat: &Chat, person: &Person) -> Result<SessionKey, InvalidSessionKey> {
        let platform = chat.address.platform.as_str();
        let mut ids: Vec<String> = Vec::new();
        if platform == "slack" {
            ids.push(chat.scope.as_ref().map(escaped).unwrap_or_default());
        }
        ids.push(escaped(&chat.address.chat));
        let thread = chat.address.thread.as_ref().map(escaped);
        let participant = self.is_apart(chat).then(|| escaped(participant(platform, person)));
        // A thread that all share is followed by an empty place: alone it could be somebody's id.
        let is_ambiguous =
            matches!(chat.kind, ChatKind::Group | ChatKind::Channel) && self.groups == Sharing::PerPerson;
        let empty = (thread.is_some() && is_ambiguous).then(String::new);
        ids.extend(thread);
        ids.extend(participant.or(empty));
        joined(&format!("agent:{}:{platform}:{}", self.namespace, chat.kind.name()), &ids)
    }

    /// A key that an authenticated caller chose. Those that chats get are not to be had: whoever may call the API is not
    /// everybody who talks to the gateway.
    pub fn given(key: SessionKey) -> Result<SessionKey, ReservedKey> {
        if key.as_str().starts_with(RESERVED) { Err(ReservedKey(key)) } else { Ok(key) }
    }

    fn is_apart(&self, chat: &Chat) -> bool {
        match chat.kind {
            ChatKind::Direct => false,
            ChatKind::Thread => self.threads == Sharing::PerPerson,
            ChatKind::Group | ChatKind::Channel if chat.address.thread.is_some() => self.threads == Sharing::PerPerson,
            ChatKind::Group | ChatKind::Channel => self.groups == Sharing::PerPerson,
        }
    }
}

/// Whoever takes part, by the id that stays. A device is not a person.
fn participant(platform: &str, person: &Person) -> String {
    let id = person.alternative.as_ref().unwrap_or(&person.id).as_str();
    match id.split_once('@') {
        Some((name, server)) if platform == "whatsapp" => {
            let name = name.split_once(':').map_or(name, |(name, _device)| name);
            format!("{name}@{server}")
        }
        _ => id.to_owned(),
    }
}

fn escaped(id: impl AsRef<str>) -> String {
    id.as_ref().replace('%', "%25").replace(':', "%3A")
}

fn joined(head: &str, ids: &[String]) -> Result<SessionKey, InvalidSessionKey> {
    let ids = ids.join(":");
    let key = format!("{head}:{ids}");
    if key.len() <= LONGEST {
        return SessionKey::try_from(key);
    }
    // No id can be written like this: its percent sign would be escaped.
    let digest: String = Sha256::digest(ids.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    SessionKey::try_from(format!("{head}:%sha256-{digest}"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use hermes_home::HomeName;
    use hermes_home::config::Config;
    use proptest::prelude::*;

    use super::{KeyRules, ReservedKey};
    use crate::{Address, Chat, ChatKind, Identifier, Person, Role};

    fn id(text: &str) -> Identifier {
        text.parse().unwrap()
    }

    fn chat(platform: &str, kind: ChatKind, chat: &str, thread: Option<&str>) -> Chat {
        let address = Address { platform: platform.parse().unwrap(), chat: id(chat), thread: thread.map(id) };
        Chat { address, kind, name: None, parent: None, scope: None }
    }

    fn rules(home: &HomeName, groups: bool, threads: bool) -> KeyRules {
        let config = Config { group_sessions_per_user: groups, thread_sessions_per_user: threads, ..Config::default() };
        KeyRules::new(home, &config)
    }

    fn of(rules: &KeyRules, chat: &Chat, person: &str) -> String {
        rules.key(chat, &Person::new(id(person), Role::User)).unwrap().to_string()
    }

    #[test]
    fn keys_follow_chat_thread_and_person() {
        let rules = rules(&HomeName::Default, true, false);
        let check = |chat: &Chat, expected: &str| assert_eq!(of(&rules, chat, "7"), expected);
        check(&chat("telegram", ChatKind::Direct, "42", None), "agent:main:telegram:dm:42");
        check(&chat("telegram", ChatKind::Direct, "42", Some("3")), "agent:main:telegram:dm:42:3");
        check(&chat("telegram", ChatKind::Group, "-1", None), "agent:main:telegram:group:-1:7");
        check(&chat("telegram", ChatKind::Group, "-1", Some("7")), "agent:main:telegram:group:-1:7:");
        check(&chat("discord", ChatKind::Thread, "MINE", Some("MINE")), "agent:main:discord:thread:MINE:MINE");
        check(&chat("matrix", ChatKind::Direct, "!a:b", None), "agent:main:matrix:dm:!a%3Ab");
        let slack = Chat { scope: Some(id("T1")), ..chat("slack", ChatKind::Channel, "C1", None) };
        check(&slack, "agent:main:slack:channel:T1:C1:7");
    }

    #[test]
    fn people_share_what_configuration_lets_them_share() {
        let group = chat("telegram", ChatKind::Group, "-1", None);
        let topic = chat("telegram", ChatKind::Group, "-1", Some("9"));
        let apart = rules(&HomeName::Default, true, true);
        assert_ne!(of(&apart, &group, "1"), of(&apart, &group, "2"));
        assert_ne!(of(&apart, &topic, "1"), of(&apart, &topic, "2"));
        let together = rules(&HomeName::Default, false, false);
        assert_eq!(of(&together, &group, "1"), of(&together, &group, "2"));
        assert_eq!(of(&together, &topic, "1"), of(&together, &topic, "2"));
    }

    #[test]
    fn profiles_have_keys_of_their_own_also_one_called_main() {
        let chat = chat("telegram", ChatKind::Direct, "1", None);
        let key = |name: &str| of(&rules(&name.parse().unwrap(), true, false), &chat, "1");
        assert_eq!(key("coder"), "agent:coder:telegram:dm:1");
        assert_eq!(key("main"), "agent:main~:telegram:dm:1");
        assert_eq!(key("default"), "agent:main:telegram:dm:1");
    }

    #[test]
    fn a_persons_device_and_passing_id_do_not_matter() {
        let rules = rules(&HomeName::Default, true, false);
        let group = chat("whatsapp", ChatKind::Group, "g", None);
        assert_eq!(of(&rules, &group, "49:1@s.whatsapp.net"), of(&rules, &group, "49:2@s.whatsapp.net"));
        let person = |passing| Person { alternative: Some(id("stays")), ..Person::new(id(passing), Role::User) };
        assert_eq!(rules.key(&group, &person("a")).unwrap(), rules.key(&group, &person("b")).unwrap());
    }

    #[test]
    fn a_chosen_key_is_never_that_of_a_chat() {
        let key = "agent:main:telegram:dm:42".parse::<hermes_proto::session::SessionKey>().unwrap();
        assert_eq!(KeyRules::given(key.clone()), Err(ReservedKey(key)));
        KeyRules::given("my-project".parse().unwrap()).unwrap();
    }

    proptest! {
        /// Whatever ids strangers choose, a key is one conversation's.
        #[test]
        fn no_two_conversations_share_a_key(
            drawn in proptest::collection::vec(
                ("[ab:%]{1,3}|x{200,255}", proptest::option::of("[ab:%]{1,3}|y{200,255}"), "[ab:%]{1,3}"), 2..40)
        ) {
            for (groups, threads) in [(true, true), (true, false), (false, true), (false, false)] {
                let rules = rules(&HomeName::Default, groups, threads);
                let mut seen = HashMap::new();
                for (chat_id, thread, person) in &drawn {
                    let chat = chat("telegram", ChatKind::Group, chat_id, thread.as_deref());
                    let is_apart = if thread.is_some() { threads } else { groups };
                    let conversation = (chat_id.clone(), thread.clone(), is_apart.then(|| person.clone()));
                    let key = of(&rules, &chat, person);
                    let earlier = seen.insert(key.clone(), conversation.clone());
                    prop_assert!(earlier.is_none_or(|earlier| earlier == conversation), "{key}");
                }
            }
        }
    }
}
