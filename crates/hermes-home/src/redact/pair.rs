//! `NAME=value`, `"name": "value"` and `name: value` whose name is a secret's.

use regex::Captures;

use super::MASK;
use super::shapes::secret;
use hermes_proto::credential::is_secret_name;

/// A name with a telling word in it, what joins it to a value, and the value: quoted
/// to its closing quote, else to a blank or to what ends a value in lists and URLs.
/// The quotes have a backslash when JSON stands inside of JSON.
pub(super) const PATTERN: &str = concat!(
    r#"[A-Za-z0-9_.-]*(?i-u:key|token|secret|passw|passphrase|_pass|_pwd|_pat|jwt|cookie|credential)[A-Za-z0-9_.-]*"#,
    r#"\\*["']?[ ]*[:=][ ]*"#,
    r#"(?:\\+["']([^"'\\]+)|"((?:[^"\\]|\\.)+)|'((?:[^'\\]|\\.)+)|([^ \t\r\n"'\\,;&<>(){}\[\]]+))"#,
);

/// Values that say that there is none.
const NOTHING: [&str; 8] = ["null", "none", "nil", "true", "false", "undefined", "[]", "{}"];

pub(super) fn is_secret(found: &Captures<'_>) -> bool {
    let name = found.get_match().as_str();
    let name = name.split(['\\', '"', '\'', ' ', ':', '=']).next().unwrap_or_default();
    let value = secret(found);
    is_secret_name(name.trim_matches(['.', '-'])) && !value.starts_with(MASK) && !is_harmless(value)
}

/// A reference to a variable or the absence of a value gives nothing away.
fn is_harmless(value: &str) -> bool {
    NOTHING.iter().any(|nothing| value.eq_ignore_ascii_case(nothing)) || value.starts_with('$')
}
