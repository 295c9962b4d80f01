//! Which tools a conversation has: what its message allows, or what `platform_toolsets` says of its platform.

use hermes_agent::Toolset;
use hermes_home::config::Config;
use serde_json::Value;

use crate::{Incoming, Platform};

/// The tools of this message's turn; `None` for all.
pub(super) fn toolsets_of(incoming: &Incoming, config: &Config) -> Option<Vec<Toolset>> {
    incoming.toolsets.clone().or_else(|| configured_toolsets(config, &incoming.chat.address.platform))
}

/// `platform_toolsets.<platform>`; `None` where nothing is said, or everything is allowed. A word that means nothing allows
/// nothing.
pub(crate) fn configured_toolsets(config: &Config, platform: &Platform) -> Option<Vec<Toolset>> {
    let words: Vec<&str> = match &config.platform_toolsets[platform.as_str()] {
        Value::Null => return None,
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    // The original's homes name all tools of a platform like this.
    if words.iter().any(|word| *word == "all" || word.starts_with("hermes-")) {
        return None;
    }
    let known = |word: &&str| {
        let known = Toolset::named(word);
        if known.is_none() {
            tracing::warn!(%platform, word, "platform_toolsets names tools that do not exist");
        }
        known
    };
    Some(words.iter().filter_map(known).collect())
}

#[cfg(test)]
mod tests {
    use hermes_agent::Toolset;
    use hermes_home::config::Config;
    use serde_json::json;

    use super::configured_toolsets;

    #[test]
    fn what_is_said_of_a_platform_narrows_its_tools() {
        let check = |value: serde_json::Value, expected: Option<&[Toolset]>| {
            let config = Config { platform_toolsets: json!({ "test": value }), ..Config::default() };
            let found = configured_toolsets(&config, &"test".parse().unwrap());
            assert_eq!(found.as_deref(), expected, "{value}");
            assert_eq!(configured_toolsets(&config, &"other".parse().unwrap()), None);
        };
        check(json!(["web", "clarify"]), Some(&[Toolset::Web, Toolset::Clarify]));
        check(json!("web"), Some(&[Toolset::Web]));
        check(json!(["hermes-telegram"]), None);
        check(json!(["web", "all"]), None);
        for nothing in [json!([]), json!(["nonsense"]), json!(7), json!({"web": true})] {
            check(nothing, Some(&[]));
        }
    }
}
