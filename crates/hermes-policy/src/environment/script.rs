//! The environment of a script: much less than a command has.
//!
//! A command is judged word by word before it runs; a script is read by nobody in that detail, and whatever
//! it can see it can send away. So it starts from empty and gets what Python needs to run. The order is
//! the rule: credentials of Hermes never, then what the operator opened by name, then this
//! turn's session variables, then nothing that looks like a secret, then a short list.
//!
//! Exports of the session's own commands go through the same rule: a command may have sourced a file
//! of secrets. What the script starts through the terminal tool is an ordinary command again.

use std::collections::BTreeMap;

use hermes_proto::session::SessionVariable;

use super::blocklist::is_credential;

/// Names and values as bytes, as the kernel has them.
pub type ScriptVariables = BTreeMap<Vec<u8>, Vec<u8>>;

/// Anywhere in a name, in any case.
const TELLING: [&str; 12] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "CREDENTIAL",
    "PASSWD",
    "AUTH",
    "DSN",
    "WEBHOOK",
    "CREDS",
    "BEARER",
    "APIKEY",
];

const PREFIXES: [&str; 15] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_",
    "TERM",
    "TMPDIR",
    "TMP",
    "TEMP",
    "SHELL",
    "LOGNAME",
    "XDG_",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "CONDA",
];

/// Where Hermes is, which is no secret; what is in there is kept away by other means.
const OPERATIONAL: [&str; 4] = ["HERMES_HOME", "HERMES_PROFILE", "HERMES_CONFIG", "HERMES_ENV"];

/// What a script is told about its own run.
#[derive(Debug, Clone, Copy)]
pub struct Staged<'a> {
    /// The folder that holds the script and its module.
    pub folder: &'a str,
    /// Where its tool calls go.
    pub socket: &'a str,
    /// Proves that a call is its own.
    pub token: &'a str,
    /// The zone of its clock; `None` leaves that of the commands.
    pub time_zone: Option<&'a str>,
}

/// Computes what a script sees, from what a command at this moment would.
pub fn script_environment(command: &ScriptVariables, passthrough: &[String], staged: &Staged<'_>) -> ScriptVariables {
    let is_kept = |name: &[u8]| str::from_utf8(name).is_ok_and(|name| is_kept(name, passthrough));
    let mut variables: ScriptVariables =
        command.iter().filter(|(name, _)| is_kept(name)).map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut path = staged.folder.as_bytes().to_vec();
    if let Some(own) = variables.get(b"PYTHONPATH".as_slice()).filter(|own| !own.is_empty()) {
        path.push(b':');
        path.extend_from_slice(own);
    }
    let zone = staged.time_zone.map(|zone| zone.as_bytes().to_vec()).or_else(|| command.get(b"TZ".as_slice()).cloned());
    variables.extend(zone.map(|zone| (b"TZ".to_vec(), zone)));
    variables.insert(b"PYTHONPATH".to_vec(), path);
    for (name, value) in [
        ("HERMES_RPC_SOCKET", staged.socket),
        ("HERMES_RPC_TOKEN", staged.token),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONIOENCODING", "utf-8"),
        ("PYTHONUTF8", "1"),
    ] {
        variables.insert(name.into(), value.into());
    }
    variables
}

fn is_kept(name: &str, passthrough: &[String]) -> bool {
    if is_credential(name) {
        return false;
    }
    if passthrough.iter().any(|passed| passed == name) || SessionVariable::from_name(name).is_some() {
        return true;
    }
    let upper = name.to_ascii_uppercase();
    !TELLING.iter().any(|word| upper.contains(word))
        && (PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || OPERATIONAL.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::{ScriptVariables, Staged, is_kept, script_environment};

    const STAGED: Staged<'_> = Staged { folder: "/tmp/s", socket: "/tmp/s/rpc.sock", token: "t0", time_zone: None };

    fn variables(pairs: &[(&str, &str)]) -> ScriptVariables {
        pairs.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec())).collect()
    }

    fn seen(command: &[(&str, &str)], passthrough: &[&str], staged: &Staged<'_>) -> Vec<(String, String)> {
        let passthrough: Vec<_> = passthrough.iter().map(|name| (*name).to_owned()).collect();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let seen = script_environment(&variables(command), &passthrough, staged);
        seen.into_iter().map(|(name, value)| (text(name), text(value))).collect()
    }

    fn value<'a>(seen: &'a [(String, String)], name: &str) -> Option<&'a str> {
        seen.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    #[test]
    fn scrub_keeps_what_python_needs_and_the_operational_names() {
        for name in [
            "PATH",
            "HOME",
            "USER",
            "LANG",
            "LC_ALL",
            "TERM",
            "TMPDIR",
            "SHELL",
            "LOGNAME",
            "XDG_CACHE_HOME",
            "PYTHONPATH",
            "VIRTUAL_ENV",
            "CONDA_PREFIX",
            "HERMES_HOME",
            "HERMES_PROFILE",
            "HERMES_CONFIG",
            "HERMES_ENV",
            "HERMES_SESSION_KEY",
            "HERMES_SESSION_CHAT_ID",
        ] {
            assert!(is_kept(name, &[]), "{name}");
        }
    }

    #[test]
    fn scrub_drops_secrets_the_rest_of_hermes_and_all_that_nobody_named() {
        for name in [
            "HERMES_INTERACTIVE",
            "HERMES_YOLO_MODE",
            "HERMES_TIMEZONE",
            "HERMES_GATEWAY_TOKEN",
            "HERMES_HOME_2",
            "SENTRY_DSN",
            "SLACK_WEBHOOK_URL",
            "HOME_API_KEY",
            "path_token",
            "LC_SECRET",
            "CONDA_AUTH",
            "TERM_CREDS",
            "XDG_BEARER",
            "PATH_APIKEY",
            "USER_PASSWD",
            "TMP_PASSWORD",
            "LANG_CREDENTIAL",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "PYTHONSTARTUP",
            "PYTHONHOME",
            "BASH_ENV",
            "MY_APP_MODE",
            "path",
            "",
        ] {
            assert!(!is_kept(name, &[]), "{name}");
        }
    }

    #[test]
    fn passthrough_beats_every_rule_but_the_one_about_credentials_of_hermes() {
        let credentials = ["OPENAI_API_KEY", "openai_api_key", "_HERMES_FORCE_OPENAI_API_KEY", "SUDO_PASSWORD"];
        let command: Vec<_> =
            credentials.iter().copied().chain(["MY_DB_DSN", "MY_APP_MODE"]).map(|name| (name, "x")).collect();
        let passthrough: Vec<_> = command.iter().map(|(name, _)| *name).collect();
        let seen = seen(&command, &passthrough, &STAGED);
        for name in credentials {
            assert_eq!(value(&seen, name), None, "{name}");
        }
        assert_eq!((value(&seen, "MY_DB_DSN"), value(&seen, "MY_APP_MODE")), (Some("x"), Some("x")));
    }

    #[test]
    fn what_is_injected_wins_whatever_the_session_exported() {
        let forged = [("HERMES_RPC_SOCKET", "/evil"), ("HERMES_RPC_TOKEN", "evil"), ("PYTHONUTF8", "0")];
        let seen = seen(&forged, &["HERMES_RPC_SOCKET", "HERMES_RPC_TOKEN", "PYTHONUTF8"], &STAGED);
        assert_eq!(value(&seen, "HERMES_RPC_SOCKET"), Some("/tmp/s/rpc.sock"));
        assert_eq!(value(&seen, "HERMES_RPC_TOKEN"), Some("t0"));
        assert_eq!(value(&seen, "PYTHONUTF8"), Some("1"));
        let names: Vec<_> = seen.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "HERMES_RPC_SOCKET",
                "HERMES_RPC_TOKEN",
                "PYTHONDONTWRITEBYTECODE",
                "PYTHONIOENCODING",
                "PYTHONPATH",
                "PYTHONUTF8"
            ]
        );
    }

    #[test]
    fn modules_come_from_the_staging_folder_and_then_from_the_session() {
        for (own, expected) in [(None, "/tmp/s"), (Some(""), "/tmp/s"), (Some("/own:/more"), "/tmp/s:/own:/more")] {
            let command: Vec<_> = own.map(|own| ("PYTHONPATH", own)).into_iter().collect();
            assert_eq!(value(&seen(&command, &[], &STAGED), "PYTHONPATH"), Some(expected));
        }
    }

    #[test]
    fn the_clock_is_the_configured_one_or_that_of_the_commands() {
        let utc = Staged { time_zone: Some("UTC"), ..STAGED };
        assert_eq!(value(&seen(&[("TZ", "Asia/Tokyo")], &[], &utc), "TZ"), Some("UTC"));
        assert_eq!(value(&seen(&[("TZ", "Asia/Tokyo")], &[], &STAGED), "TZ"), Some("Asia/Tokyo"));
        assert_eq!(value(&seen(&[], &[], &STAGED), "TZ"), None);
    }

    #[test]
    fn a_name_that_is_no_text_is_left_out() {
        let odd: ScriptVariables = [(b"PATH\xff".to_vec(), b"x".to_vec())].into();
        assert!(!script_environment(&odd, &[], &STAGED).contains_key(b"PATH\xff".as_slice()));
    }
}
