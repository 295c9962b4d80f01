//! Which settings are not settings but secrets, and live in `.env`.

use super::{Config, KeyPath};
use hermes_proto::credential::is_secret_name;

/// The variable of `.env` that this key names, if it names a secret: a single word
/// such as `openrouter_api_key` that is no setting.
pub fn secret_variable(key: &KeyPath) -> Option<String> {
    let name = key.only()?;
    let is_identifier = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|first: char| first.is_ascii_digit());
    let is_setting = Config::FIELDS.iter().any(|field| field.name == name);
    (is_identifier && !is_setting && is_secret_name(name)).then(|| name.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::secret_variable;

    #[test]
    fn single_words_that_look_like_a_secret_are_one() {
        for (key, expected) in [
            ("OPENROUTER_API_KEY", Some("OPENROUTER_API_KEY")),
            ("openrouter_api_key", Some("OPENROUTER_API_KEY")),
            ("TELEGRAM_BOT_TOKEN", Some("TELEGRAM_BOT_TOKEN")),
            ("model", None),
            ("secrets", None),
            ("timezone", None),
            ("terminal.sudo_password", None),
            ("a\\.token", None),
            ("8_TOKEN", None),
            ("my-token", None),
        ] {
            assert_eq!(secret_variable(&key.parse().unwrap()).as_deref(), expected, "{key}");
        }
    }
}
