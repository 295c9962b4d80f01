//! Which names stand for secrets: what `.env` must hold, what output must mask and
//! what a command an agent runs must never inherit.
//!
//! One rule for all three, because a name that one of them forgets is a leak. The
//! rule looks at words, not at letters: `OPENAI_API_KEY`, `openai-api-key` and
//! `openaiApiKey` are the same name, `MAX_TOKENS` and `MONKEY` are none.

/// The last word of a name that makes it a secret, alone or after others.
const LAST_WORDS: [&str; 10] =
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "AUTHORIZATION", "COOKIE", "CREDENTIAL", "JWT"];

/// The last word of a name that makes it a secret only after others: `PASS` and
/// `PWD` alone mean something else.
const LAST_WORDS_OF_MANY: [&str; 4] = ["KEY", "PASS", "PWD", "PAT"];

/// Words before `KEY` with which it opens nothing: it names, orders or is public.
const HARMLESS_KEYS: [&str; 12] = [
    "CACHE",
    "CONTAINER",
    "FOREIGN",
    "HOST",
    "IDEMPOTENCY",
    "PARTITION",
    "PRIMARY",
    "PUBLIC",
    "ROUTING",
    "SESSION",
    "SORT",
    "SSH",
];

/// Secrets that the words do not tell.
const OTHERS: [&str; 3] = ["AWS_ACCESS_KEY_ID", "AWS_BEARER_TOKEN_BEDROCK", "MODAL_TOKEN_ID"];

/// How a caller asks for a variable to be passed on; the name behind it counts.
const FORCED: &str = "_HERMES_FORCE_";

/// Whether the value of a variable, a field or a header with this name is a secret.
///
/// A name is one if its last word is TOKEN, SECRET, PASSWORD or the like; if it ends
/// in KEY, PASS, PWD or PAT after another word (but not in SESSION_KEY, PUBLIC_KEY,
/// SSH_KEY and others that open nothing); or if it is listed by name. Where it is
/// not a name of ASCII letters and digits it is no secret's name.
pub fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    let Some((last, before)) = words.split_last() else { return false };
    let last = last.as_str();
    if LAST_WORDS.contains(&last) {
        return true;
    }
    if OTHERS.contains(&words.join("_").as_str()) {
        return true;
    }
    match before.last() {
        Some(word) => LAST_WORDS_OF_MANY.contains(&last) && !(last == "KEY" && HARMLESS_KEYS.contains(&word.as_str())),
        None => false,
    }
}

/// The words of a name in capitals: cut at `_`, `-`, `.`, blanks and before the
/// capital of `camelCase`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = '_';
    for character in forced(name).chars() {
        let separates = matches!(character, '_' | '-' | '.' | ' ');
        let humps = previous.is_ascii_lowercase() && character.is_ascii_uppercase();
        if separates || humps {
            words.push(String::new());
        }
        if let (false, Some(word)) = (separates, words.last_mut()) {
            word.push(character.to_ascii_uppercase());
        }
        previous = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

fn forced(name: &str) -> &str {
    match name.get(..FORCED.len()) {
        Some(prefix) if prefix.eq_ignore_ascii_case(FORCED) => &name[FORCED.len()..],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::is_secret_name;

    #[test]
    fn names_of_secrets_are_known_in_every_spelling() {
        let names = [
            "OPENAI_API_KEY",
            "openai_api_key",
            "OpenRouter_Api_Key",
            "apiKey",
            "apikey",
            "x-api-key",
            "model.api_key",
            "ANTHROPIC_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "TELEGRAM_BOT_TOKEN",
            "GH_TOKEN",
            "GITHUB_TOKEN",
            "HF_TOKEN",
            "FAL_KEY",
            "MATRIX_RECOVERY_KEY",
            "GATEWAY_RELAY_DELIVERY_KEY",
            "GATEWAY_RELAY_SECRET",
            "AUXILIARY_VISION_API_KEY",
            "MODAL_TOKEN_ID",
            "MODAL_TOKEN_SECRET",
            "HASS_TOKEN",
            "EMAIL_PASSWORD",
            "SUDO_PASSWORD",
            "sudo_password",
            "SMTP_PASS",
            "DB_PWD",
            "AZURE_DEVOPS_PAT",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "AWS_BEARER_TOKEN_BEDROCK",
            "clientSecret",
            "accessToken",
            "Authorization",
            "Set-Cookie",
            "password",
            "_HERMES_FORCE_OPENAI_API_KEY",
            "HERMES_DASHBOARD_SESSION_TOKEN",
            "VERCEL_OIDC_TOKEN",
        ];
        for name in names {
            assert!(is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn ordinary_names_are_left_alone() {
        let names = [
            "",
            "_",
            "KEY",
            "key",
            "PWD",
            "OLDPWD",
            "PATH",
            "MONKEY",
            "max_tokens",
            "MAX_TOKENS",
            "OPENAI_BASE_URL",
            "OPENAI_ORG_ID",
            "LLM_MODEL",
            "TELEGRAM_HOME_CHANNEL",
            "TELEGRAM_HOME_CHANNEL_NAME",
            "SLACK_ALLOWED_USERS",
            "GATEWAY_ALLOWED_USERS",
            "EMAIL_ADDRESS",
            "EMAIL_IMAP_HOST",
            "SIGNAL_ACCOUNT",
            "HASS_URL",
            "GITHUB_APP_ID",
            "GITHUB_APP_PRIVATE_KEY_PATH",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "VERTEX_CREDENTIALS_PATH",
            "VERCEL_TEAM_ID",
            "HERMES_SESSION_KEY",
            "docker_shared_container_key",
            "ssh_key",
            "SSH_PUBLIC_KEY",
            "providers.openai.key_env",
            "tokenizer",
            "compass",
            "keyboard",
            "ключ",
        ];
        for name in names {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
