//! Variables that belong to Hermes itself and never to a command an agent runs.
//!
//! A key that a command can read is a key the model can send anywhere. Configuration may
//! open other names to commands, never these; the list only grows.

use hermes_proto::credential::{is_secret_name, providers::PROVIDERS};

/// Names that are neither a provider's nor recognisable as a secret, and still are Hermes's own:
/// where it is reached, who may talk to it, which model it uses.
const OWN: &[&str] = &[
    "ANTHROPIC_BASE_URL",
    "DISCORD_AUTO_THREAD",
    "DISCORD_FREE_RESPONSE_CHANNELS",
    "DISCORD_HOME_CHANNEL",
    "DISCORD_HOME_CHANNEL_NAME",
    "DISCORD_REQUIRE_MENTION",
    "EMAIL_ADDRESS",
    "EMAIL_HOME_ADDRESS",
    "EMAIL_HOME_ADDRESS_NAME",
    "EMAIL_IMAP_HOST",
    "EMAIL_SMTP_HOST",
    "FIRECRAWL_API_URL",
    "GATEWAY_ALLOWED_USERS",
    "GATEWAY_RELAY_ID",
    "GITHUB_APP_ID",
    "GITHUB_APP_INSTALLATION_ID",
    "GITHUB_APP_PRIVATE_KEY_PATH",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "HASS_URL",
    "LLM_MODEL",
    "OPENAI_API_BASE",
    "OPENAI_BASE_URL",
    "OPENAI_ORGANIZATION",
    "OPENAI_ORG_ID",
    "SIGNAL_ACCOUNT",
    "SIGNAL_ALLOWED_USERS",
    "SIGNAL_GROUP_ALLOWED_USERS",
    "SIGNAL_HOME_CHANNEL",
    "SIGNAL_HOME_CHANNEL_NAME",
    "SIGNAL_HTTP_URL",
    "SIGNAL_IGNORE_STORIES",
    "SLACK_ALLOWED_USERS",
    "SLACK_HOME_CHANNEL",
    "SLACK_HOME_CHANNEL_NAME",
    "TELEGRAM_HOME_CHANNEL",
    "TELEGRAM_HOME_CHANNEL_NAME",
    "VERCEL_PROJECT_ID",
    "VERCEL_TEAM_ID",
    "VERTEX_CREDENTIALS_PATH",
    "WHATSAPP_ALLOWED_USERS",
    "WHATSAPP_ENABLED",
    "WHATSAPP_MODE",
];

/// Credentials of Hermes itself, by name: configuration cannot open them to commands.
const OWN_SECRETS: &[&str] = &[
    "ANTHROPIC_TOKEN",
    "COHERE_API_KEY",
    "DAYTONA_API_KEY",
    "DISCORD_BOT_TOKEN",
    "EMAIL_PASSWORD",
    "FIRECRAWL_API_KEY",
    "GATEWAY_RELAY_DELIVERY_KEY",
    "GATEWAY_RELAY_SECRET",
    "HASS_TOKEN",
    "HELICONE_API_KEY",
    "HERMES_DASHBOARD_SESSION_TOKEN",
    "MODAL_TOKEN_ID",
    "MODAL_TOKEN_SECRET",
    "PARALLEL_API_KEY",
    "SLACK_APP_TOKEN",
    "SLACK_BOT_TOKEN",
    "SUDO_PASSWORD",
    "TELEGRAM_BOT_TOKEN",
    "VERCEL_OIDC_TOKEN",
    "VERCEL_TOKEN",
];

/// How the original asked for a variable to be passed on although it is blocked.
const FORCED: &str = "_HERMES_FORCE_";

/// Whether this name belongs to Hermes or to one of its providers: never inherited, and never
/// opened by configuration. In any case, because some programs do not care either.
pub fn is_credential(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let name = name.strip_prefix(FORCED).unwrap_or(&name);
    OWN.binary_search(&name).is_ok()
        || OWN_SECRETS.binary_search(&name).is_ok()
        || is_made_up_at_run_time(name)
        || PROVIDERS
            .iter()
            .any(|provider| provider.key_variables.contains(&name) || provider.base_url_variable == Some(name))
}

/// Families of names that configuration can extend: helper models and relays.
fn is_made_up_at_run_time(name: &str) -> bool {
    let ends_in = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    (name.starts_with("AUXILIARY_") && ends_in(&["_API_KEY", "_BASE_URL"]))
        || (name.starts_with("GATEWAY_RELAY_") && ends_in(&["_SECRET", "_KEY", "_TOKEN"]))
}

/// Whether a name must not be inherited unless configuration opens it by name.
pub(super) fn looks_like_a_secret(name: &str) -> bool {
    const TELLING: [&str; 9] =
        ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "PASSWD", "DSN", "WEBHOOK", "BEARER"];
    let upper = name.to_ascii_uppercase();
    is_secret_name(name) || TELLING.iter().any(|word| upper.contains(word))
}

#[cfg(test)]
mod tests {
    use super::{OWN, OWN_SECRETS, is_credential, looks_like_a_secret};

    #[test]
    fn the_lists_are_sorted_so_that_they_can_be_searched() {
        assert!(OWN.is_sorted() && OWN_SECRETS.is_sorted());
    }

    #[test]
    fn credentials_are_known_in_any_case_and_when_forced() {
        for name in [
            "OPENAI_API_KEY",
            "openai_api_key",
            "OPENROUTER_BASE_URL",
            "_HERMES_FORCE_ANTHROPIC_API_KEY",
            "_hermes_force_hass_token",
            "AUXILIARY_VISION_API_KEY",
            "AUXILIARY_APPROVAL_BASE_URL",
            "GATEWAY_RELAY_EU_SECRET",
            "GH_TOKEN",
            "GITHUB_TOKEN",
            "SLACK_ALLOWED_USERS",
            "AWS_BEARER_TOKEN_BEDROCK",
        ] {
            assert!(is_credential(name), "{name}");
        }
        for name in ["PATH", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "MY_APP_TOKEN", "AUXILIARY", "CARGO_HOME"] {
            assert!(!is_credential(name), "{name}");
        }
    }

    #[test]
    fn telling_names_look_like_secrets() {
        for name in ["MY_APP_TOKEN", "SENTRY_DSN", "SLACK_WEBHOOK_URL", "DB_PASSWORD", "AWS_ACCESS_KEY_ID"] {
            assert!(looks_like_a_secret(name), "{name}");
        }
        for name in ["PATH", "LANG", "CARGO_HOME", "XDG_DATA_DIRS"] {
            assert!(!looks_like_a_secret(name), "{name}");
        }
    }
}
