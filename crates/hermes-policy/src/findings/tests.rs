//! All findings of a text, and their agreement with the verdict.

use super::findings;
use crate::{Class, Context, judge};

#[test]
fn every_rule_is_found_once_and_a_refusal_alone() {
    for (text, class, expected) in [
        ("ls", Class::Allow, &[][..]),
        ("rm -rf a; rm -r b", Class::Ask, &["rm-recursive"]),
        ("rm -rf a; git push -f; rm -rf c", Class::Ask, &["rm-recursive", "git-push-force"]),
        ("rm -rf a; rm -rf /; git push -f", Class::Floor, &["rm-root"]),
        ("git push -f; $X", Class::Ask, &["git-push-force", "unresolved-command"]),
    ] {
        let findings = findings(text, &Context::default());
        let keys: Vec<_> = findings.found().iter().map(|found| found.key.as_ref()).collect();
        assert_eq!((findings.class(), keys.as_slice()), (class, expected), "{text}");
    }
}

/// Two readers of the same table: the answer of one is the answer of the other.
#[test]
fn findings_and_verdict_agree_on_the_corpus() {
    let texts = [
        include_str!("../../tests/corpus/floor.txt"),
        include_str!("../../tests/corpus/ask.txt"),
        include_str!("../../tests/corpus/allow.txt"),
    ];
    let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut count = 0;
    for line in lines {
        let text = line.split_once('\t').map_or(line, |(_, text)| text).replace('⏎', "\n");
        let context = Context { home: Some("/home/ann".to_owned()), ..Context::default() };
        assert_eq!(findings(&text, &context).verdict(), judge(&text, &context), "{text}");
        count += 1;
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn scanned_findings_are_bounded() {
    let mut found = findings("ls", &Context::default());
    for number in 0..10_000 {
        found.add_scanned(&number.to_string(), "x");
    }
    assert!(found.found().len() < 1000 && found.class() == Class::Ask);
    assert_eq!(found.verdict().rule, "tirith");
}
