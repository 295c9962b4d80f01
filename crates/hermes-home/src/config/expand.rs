//! `${VAR}` and `${env:VAR}` in values.
//!
//! An unset variable stays as it is written and is reported: replacing it by nothing
//! would turn `${DATA}/cache` into `/cache`.

use super::finding::Problem;
use super::reader::Reader;
use crate::yaml::{Content, Entry, Kind, Node, Scalar};

/// The tree with its variables replaced.
pub(super) fn tree(node: &Node, reader: &mut Reader<'_>) -> Node {
    let content = match &node.content {
        Content::Scalar(scalar) => Content::Scalar(scalar_of(scalar, node, reader)),
        Content::List(items) => {
            let item = |(index, item): (usize, &Node)| reader.within(&index.to_string(), |reader| tree(item, reader));
            Content::List(items.iter().enumerate().map(item).collect())
        }
        Content::Map(entries) => {
            let entry = |entry: &Entry| {
                let value = reader.within(&entry.key.text, |reader| tree(&entry.value, reader));
                Entry { key: entry.key.clone(), position: entry.position, value, merged: entry.merged }
            };
            Content::Map(entries.iter().map(entry).collect())
        }
    };
    Node { position: node.position, content, aliased: node.aliased }
}

fn scalar_of(scalar: &Scalar, node: &Node, reader: &mut Reader<'_>) -> Scalar {
    if scalar.kind != Kind::Text || !scalar.text.contains("${") {
        return scalar.clone();
    }
    let (text, unset) = expand(&scalar.text, |name| reader.variables.get(name));
    for name in unset {
        reader.report(node, Problem::UnsetVariable { name });
    }
    // A number that came through a variable is text here; settings that want a number read it.
    Scalar::text(text)
}

/// The text with its variables replaced, and the names that have no value.
pub(super) fn expand<'v>(text: &str, lookup: impl Fn(&str) -> Option<&'v str>) -> (String, Vec<String>) {
    let mut out = String::with_capacity(text.len());
    let mut unset = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, reference) = rest.split_at(start);
        out.push_str(before);
        let Some(end) = reference.find('}') else {
            rest = reference;
            break;
        };
        let (whole, after) = reference.split_at(end + 1);
        let inner = &whole[2..end];
        let name = inner.strip_prefix("env:").unwrap_or(inner);
        match (is_name(name), lookup(name)) {
            (true, Some(value)) => out.push_str(value),
            (true, None) => {
                unset.push(name.to_owned());
                out.push_str(whole);
            }
            // Not a reference: only its first characters are skipped, one may start inside.
            (false, _) => {
                out.push_str("${");
                rest = &reference[2..];
                continue;
            }
        }
        rest = after;
    }
    out.push_str(rest);
    (out, unset)
}

fn is_name(name: &str) -> bool {
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::expand;

    fn lookup(name: &str) -> Option<&'static str> {
        match name {
            "A" => Some("one"),
            "B_2" => Some("${A}"),
            "EMPTY" => Some(""),
            _ => None,
        }
    }

    #[test]
    fn variables_are_replaced_once_and_unset_ones_stay() {
        for (text, expected, unset) in [
            ("", "", &[][..]),
            ("plain $A {A}", "plain $A {A}", &[]),
            ("${A}", "one", &[]),
            ("${env:A}/x${A}", "one/xone", &[]),
            ("${B_2}", "${A}", &[]),
            ("<${EMPTY}>", "<>", &[]),
            ("${NO}/x", "${NO}/x", &["NO"]),
            ("${env:NO}", "${env:NO}", &["NO"]),
            ("${", "${", &[]),
            ("${}", "${}", &[]),
            ("${A", "${A", &[]),
            ("${1}", "${1}", &[]),
            ("${A:-x}", "${A:-x}", &[]),
            ("${ ${A}", "${ one", &[]),
            ("ä${A}ö", "äoneö", &[]),
        ] {
            let (out, missing) = expand(text, lookup);
            assert_eq!(
                (out.as_str(), missing),
                (expected, unset.iter().map(|name| (*name).to_owned()).collect()),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn nothing_but_references_changes(text in "[${}A:envx ä]{0,40}") {
            let (out, _) = expand(&text, |_| None);
            prop_assert_eq!(out, text);
        }
    }
}
