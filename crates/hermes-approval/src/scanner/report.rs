//! What tirith prints about a command. Only an explanation: whatever is in it, the exit code has decided.

use serde::Deserialize;

/// Findings that are kept.
const MOST: usize = 8;
/// Characters of a text that are kept.
const LONGEST: usize = 200;

/// One finding of the scanner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scanned {
    /// Its rule, such as `punycode_domain`.
    pub rule: String,
    pub reason: String,
}

#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    findings: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    rule_id: String,
    #[serde(default)]
    severity: String,
    #[serde(default)]
    title: String,
}

/// The findings behind an exit code that named `level`; at least one.
pub(super) fn read(level: &str, printed: &[u8]) -> Vec<Scanned> {
    let report = serde_json::from_slice::<Report>(printed).unwrap_or(Report { findings: Vec::new() });
    let mut found: Vec<_> = report.findings.iter().filter(|found| found.severity != "INFO").map(scanned).collect();
    found.truncate(MOST);
    if found.is_empty() {
        found.push(Scanned { rule: level.to_owned(), reason: format!("the command scanner says {level}") });
    }
    found
}

fn scanned(found: &Found) -> Scanned {
    let rule: String = found
        .rule_id
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || "_-".contains(*letter))
        .take(64)
        .collect();
    let rule = if rule.is_empty() { "unnamed".to_owned() } else { rule };
    let title: String = found.title.lines().next().unwrap_or_default().chars().take(LONGEST).collect();
    let reason =
        if title.is_empty() { format!("the command scanner found {rule}") } else { format!("scanner: {title}") };
    Scanned { rule, reason }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Scanned, read};

    fn check(printed: &str, expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(rule, reason)| Scanned { rule: (*rule).to_owned(), reason: (*reason).to_owned() })
            .collect();
        assert_eq!(read("block", printed.as_bytes()), expected, "{printed}");
    }

    #[test]
    fn whatever_is_printed_there_is_a_finding() {
        let unexplained = [("block", "the command scanner says block")];
        for printed in ["", "nonsense", "[]", "{}", "{\"findings\":[]}", "{\"findings\":[{\"severity\":\"HIGH\"}]}"] {
            check(printed, &unexplained);
        }
        check(
            r#"{"action":"block","findings":[{"rule_id":"punycode_domain","severity":"HIGH","title":"Punycode domain"},
                {"rule_id":"noted","severity":"INFO","title":"x"},{"rule_id":"a b,c\n","title":"one\ntwo"},{"rule_id":"","title":""}]}"#,
            &[
                ("punycode_domain", "scanner: Punycode domain"),
                ("abc", "scanner: one"),
                ("unnamed", "the command scanner found unnamed"),
            ],
        );
    }

    #[test]
    fn a_flood_is_bounded() {
        let found = format!(r#"{{"rule_id":"{}","title":"{}"}}"#, "r".repeat(1000), "t".repeat(1000));
        let printed = format!(r#"{{"findings":[{}]}}"#, vec![found; 100].join(","));
        let read = read("warn", printed.as_bytes());
        assert_eq!((read.len(), read[0].rule.len(), read[0].reason.len()), (MOST, 64, 209));
    }
}
