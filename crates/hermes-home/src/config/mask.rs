//! Hiding secrets in a configuration that is shown.
//!
//! Most secrets do not belong into the file, but files of people hold them: in
//! headers, in the environment of MCP servers, in addresses.

use hermes_proto::Secret;
use serde_json::Value as Json;

use hermes_proto::credential::is_secret_name;

/// Masks every text whose key names a secret, and what is below such a key.
pub(super) fn mask(value: &mut Json) {
    match value {
        Json::Object(pairs) => {
            for (key, value) in pairs {
                if is_secret_name(key) { hide(value) } else { mask(value) }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(mask),
        Json::String(text) => {
            if let Some(masked) = without_password(text) {
                *text = masked;
            }
        }
        _ => {}
    }
}

fn hide(value: &mut Json) {
    match value {
        Json::String(text) if !text.is_empty() && !is_reference(text) && !text.starts_with("****") => {
            *text = Secret::new(text.as_str()).masked();
        }
        Json::Array(items) => items.iter_mut().for_each(hide),
        Json::Object(pairs) => pairs.values_mut().for_each(hide),
        Json::Number(_) => *value = Json::from("****"),
        _ => {}
    }
}

/// `${NAME}` names a secret and holds none.
fn is_reference(text: &str) -> bool {
    text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).is_some_and(|name| !name.contains(['$', '{', '}']))
}

/// The address without the password in it: `https://user:password@host`.
fn without_password(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user_info, _) = authority.rsplit_once('@')?;
    let (user, _) = user_info.split_once(':')?;
    Some(format!("{scheme}://{user}:****{}", &rest[user_info.len()..]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::mask;

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let mut shown = json!({
            "providers": {"x": {"api_key": "sk-0123456789abcdef", "key_env": "X_API_KEY", "extra_headers": {"Authorization": "Bearer abc"}}},
            "mcp_servers": {"s": {"env": {"GITHUB_TOKEN": "short", "PATH": "/bin"}, "args": ["--x"]}},
            "a": [{"password": 1234, "token": "${MY_TOKEN}", "secret": ["one", {"two": "three"}], "max_tokens": 5}],
            "url": "https://me:hunter2@host/x@y", "plain": "https://host/a:b@c", "empty": {"token": ""},
        });
        mask(&mut shown);
        assert_eq!(
            shown,
            json!({
                "providers": {"x": {"api_key": "****cdef", "key_env": "X_API_KEY", "extra_headers": {"Authorization": "****"}}},
                "mcp_servers": {"s": {"env": {"GITHUB_TOKEN": "****", "PATH": "/bin"}, "args": ["--x"]}},
                "a": [{"password": "****", "token": "${MY_TOKEN}", "secret": ["****", {"two": "****"}], "max_tokens": 5}],
                "url": "https://me:****@host/x@y", "plain": "https://host/a:b@c", "empty": {"token": ""},
            })
        );
    }
}
