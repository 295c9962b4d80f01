//! The corpus: commands as people and agents write them, each with its exact verdict.
//!
//! `floor.txt` and `ask.txt` hold `rule<TAB>command` lines, `allow.txt` one command per
//! line. `⏎` stands for a new line, `#` begins a comment.

use std::collections::HashSet;

use hermes_policy::{Class, Context, judge};

fn context() -> Context {
    Context {
        home: Some("/home/ann".to_owned()),
        hermes_home: Some("/home/ann/.hermes".to_owned()),
        folder: Some("/home/ann/work/project".to_owned()),
        ..Context::default()
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Checks a file; answers how many different commands it holds.
fn check(text: &str, class: Class) -> usize {
    let (mut seen, mut wrong) = (HashSet::new(), Vec::new());
    for line in lines(text) {
        let (rule, command) = match class {
            Class::Allow => ("", line),
            _ => line.split_once('\t').unwrap_or_else(|| panic!("no rule in {line:?}")),
        };
        assert!(seen.insert(command), "twice: {command}");
        let verdict = judge(&command.replace('⏎', "\n"), &context());
        if (verdict.class, verdict.rule) != (class, rule) {
            wrong.push(format!(
                "{command}\n    is {} {:?}, not {} {rule:?}",
                verdict.class.name(),
                verdict.rule,
                class.name()
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    seen.len()
}

#[test]
fn nothing_dangerous_is_missed() {
    assert!(check(include_str!("../corpus/floor.txt"), Class::Floor) >= 150);
    assert!(check(include_str!("../corpus/ask.txt"), Class::Ask) >= 400);
}

#[test]
fn nothing_ordinary_is_flagged() {
    assert!(check(include_str!("../corpus/allow.txt"), Class::Allow) >= 400);
}

/// Rules that no command of the corpus falls under would be rules on paper.
#[test]
fn every_rule_is_met() {
    let text = [include_str!("../corpus/floor.txt"), include_str!("../corpus/ask.txt")].concat();
    let met: HashSet<&str> = lines(&text).filter_map(|line| line.split('\t').next()).collect();
    let about_size = |key: &str| key.starts_with("too-");
    let unmet: Vec<_> =
        hermes_policy::rules::all().map(|rule| rule.key).filter(|key| !about_size(key) && !met.contains(key)).collect();
    assert_eq!(unmet, Vec::<&str>::new());
}
