//! The rules: one table of what is refused and what needs consent.
//!
//! A rule has a stable key (people's allow-lists and the audit name it), one line for
//! the prompt, and examples on both sides that a test holds it to. Rules look at
//! resolved simple commands, never at the text. The order of the table is the order
//! of the answer: the special rule stands before the general one.

mod accounts;
mod cloud;
mod code;
mod containers;
mod credentials;
mod disk;
mod git;
mod hermes;
mod network;
mod packages;
mod permissions;
mod power;
mod processes;
mod reading;
mod removal;
mod sensitive;
mod sql;
mod system;
mod windows;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::Class;
use crate::shell::{Event, Place, Simple, Trouble};

type Test = fn(&Simple, &Place) -> bool;

/// One entry of the table.
#[derive(Debug)]
pub struct Rule {
    /// Stable: allow-lists and the audit chain hold it.
    pub key: &'static str,
    /// One line for people.
    pub description: &'static str,
    pub class: Class,
    on: On,
    /// Commands that this rule is the answer to.
    pub hits: &'static [&'static str],
    /// Commands that look alike and are no business of this rule.
    pub misses: &'static [&'static str],
}

/// What a rule looks at.
#[derive(Debug)]
enum On {
    /// Commands of these names.
    Named(&'static [&'static str], Test),
    /// Commands of any name.
    Any(Test),
    /// Commands that open files.
    Redirecting(Test),
    /// A place where reading stopped.
    Stopped(Trouble),
}

/// The whole table, in its order.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    TABLES.iter().copied().flatten()
}

const TABLES: &[&[Rule]] = &[
    reading::RULES,
    removal::RULES,
    disk::RULES,
    power::RULES,
    processes::RULES,
    permissions::RULES,
    credentials::RULES,
    sensitive::RULES,
    credentials::KEYS,
    code::RULES,
    network::RULES,
    accounts::RULES,
    system::RULES,
    git::RULES,
    containers::RULES,
    cloud::RULES,
    packages::RULES,
    sql::RULES,
    hermes::RULES,
    windows::RULES,
];

/// The table by what a rule looks at, so that a command meets only the rules about it.
#[derive(Debug, Default)]
struct Index {
    named: HashMap<&'static str, Vec<(usize, &'static Rule)>>,
    any: Vec<(usize, &'static Rule)>,
    redirecting: Vec<(usize, &'static Rule)>,
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = Index::default();
        for (order, rule) in all().enumerate() {
            match &rule.on {
                On::Named(names, _) => {
                    names.iter().for_each(|name| index.named.entry(name).or_default().push((order, rule)));
                }
                On::Any(_) => index.any.push((order, rule)),
                On::Redirecting(_) => index.redirecting.push((order, rule)),
                On::Stopped(_) => {}
            }
        }
        index
    })
}

/// The rule of this key.
pub(crate) fn by_key(key: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.key == key)
}

/// Whether a rule is about code that is handed to another program.
pub(crate) fn is_about_code(key: &str) -> bool {
    [code::RULES, windows::RULES].into_iter().flatten().any(|rule| rule.key == key)
}

/// Whether a command runs code that does not stand in its text.
pub(crate) fn runs_foreign_code(command: &Simple) -> bool {
    code::runs_foreign_code(command)
}

/// The rules that a finding falls under, in the order of the table.
pub(crate) fn matching(event: &Event, place: &Place) -> Vec<&'static Rule> {
    let command = match event {
        Event::Command(command) => command,
        Event::Trouble(trouble, _) => {
            return all().filter(|rule| matches!(&rule.on, On::Stopped(kind) if kind == trouble)).collect();
        }
    };
    let index = index();
    let named = index.named.get(family(&command.name)).map(Vec::as_slice).unwrap_or_default();
    let redirecting = if command.redirects.is_empty() { &[][..] } else { &index.redirecting };
    let mut found: Vec<(usize, &'static Rule)> = Vec::new();
    for (order, rule) in named.iter().chain(&index.any).chain(redirecting) {
        let (On::Named(_, test) | On::Any(test) | On::Redirecting(test)) = &rule.on else { continue };
        if test(command, place) {
            found.push((*order, rule));
        }
    }
    found.sort_unstable_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, rule)| rule).collect()
}

/// `python3.11` is `python`, `mkfs.ext4` is `mkfs`.
fn family(name: &str) -> &str {
    if name.starts_with("mkfs.") || name.starts_with("mkfs_") || name.starts_with("newfs_") {
        return &name[..name.find(['.', '_']).unwrap_or(name.len())];
    }
    let base = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-');
    if VERSIONED.contains(&base) { base } else { name }
}

const VERSIONED: &[&str] =
    &["python", "pypy", "perl", "ruby", "node", "nodejs", "php", "lua", "pip", "bash", "zsh", "ksh"];

/// A rule about commands of these names.
const fn named(names: &'static [&'static str], test: Test) -> On {
    On::Named(names, test)
}

#[cfg(test)]
mod tests;
