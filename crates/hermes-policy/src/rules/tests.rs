//! Every rule against its own examples, and the table against its own promises.

use std::collections::HashSet;

use super::all;
use crate::{Class, Context, judge};

fn context() -> Context {
    Context {
        home: Some("/home/ann".to_owned()),
        hermes_home: Some("/home/ann/.hermes".to_owned()),
        ..Context::default()
    }
}

#[test]
fn every_rule_answers_its_examples() {
    let mut wrong = Vec::new();
    for rule in all() {
        for hit in rule.hits {
            let verdict = judge(hit, &context());
            if verdict.rule != rule.key || verdict.class != rule.class {
                wrong.push(format!("{}: {hit:?} is {} {}", rule.key, verdict.class.name(), verdict.rule));
            }
        }
        for miss in rule.misses {
            let verdict = judge(miss, &context());
            if verdict.rule == rule.key {
                wrong.push(format!("{}: {miss:?} is caught", rule.key));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_is_in_order() {
    let mut keys = HashSet::new();
    for rule in all() {
        assert!(keys.insert(rule.key), "{} is there twice", rule.key);
        assert!(
            rule.key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{}",
            rule.key
        );
        assert!(!rule.description.ends_with('.') && rule.description.len() <= 80, "{}", rule.description);
        assert!(!rule.hits.is_empty() && rule.class != Class::Allow, "{} has no example", rule.key);
        assert!(!rule.misses.is_empty() || rule.key.starts_with("too-"), "{} has no counter-example", rule.key);
    }
    assert!(keys.len() > 60, "{} rules", keys.len());
}
