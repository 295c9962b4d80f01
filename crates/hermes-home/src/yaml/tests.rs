//! Tables and properties of reading and changing YAML.

use proptest::prelude::*;
use serde_json::json;

use super::{Content, Scalar};
use super::{EditError, Node, block, natural, parse, set, unset};

fn path(dotted: &str) -> Vec<String> {
    dotted.split('.').map(str::to_owned).collect()
}

fn scalar(word: &str) -> Node {
    Node::new(Content::Scalar(natural(word)))
}

#[track_caller]
fn check_set(before: &str, dotted: &str, word: &str, after: &str) {
    assert_eq!(set(before.as_bytes(), &path(dotted), &scalar(word)).as_deref(), Ok(after), "{before:?}");
}

#[track_caller]
fn check_unset(before: &str, dotted: &str, after: &str) {
    assert_eq!(unset(before.as_bytes(), &path(dotted)), Ok(Some(after.to_owned())), "{before:?}");
}

#[test]
fn documents_are_read_as_they_are_meant() {
    for (text, expected) in [
        ("", json!({})),
        ("# nothing\n", json!({})),
        ("---\n", json!({})),
        ("--- # c\n...\n", json!({})),
        ("null\n", json!({})),
        ("{}\n", json!({})),
        ("\u{feff}a: 1\n", json!({"a": 1})),
        ("%YAML 1.2\n---\na: 1\n", json!({"a": 1})),
        ("a:\r\n  b: x\r\n", json!({"a": {"b": "x"}})),
        ("a: {b: [1, 2.5, ~], c: 'x'}\n", json!({"a": {"b": [1, 2.5, null], "c": "x"}})),
        ("a: |\n  one\n  two\nb: >-\n  one\n  two\n", json!({"a": "one\ntwo\n", "b": "one two"})),
        ("a: one\n  two\nb: \"x\\ty\"\n", json!({"a": "one two", "b": "x\ty"})),
        ("a: 1\na: 2\n", json!({"a": 2})),
        ("a: &x {q: 1}\nb: *x\n", json!({"a": {"q": 1}, "b": {"q": 1}})),
        ("a: &x {q: 1, r: 2}\nb:\n  <<: *x\n  q: 3\n", json!({"a": {"q": 1, "r": 2}, "b": {"q": 3, "r": 2}})),
        ("a: &x {q: 1}\nc: &y {q: 2}\nb: {<<: [*x, *y]}\n", json!({"a": {"q": 1}, "c": {"q": 2}, "b": {"q": 1}})),
        ("a: !!str 1\nb: !!int '2'\nc: !!float 3\nd: !other x\n", json!({"a": "1", "b": 2, "c": 3.0, "d": "x"})),
        ("1: x\ntrue: y\n", json!({"1": "x", "true": "y"})),
        ("ключ: да\n", json!({"ключ": "да"})),
        ("a: .inf\n", json!({"a": ".inf"})),
    ] {
        assert_eq!(parse(text.as_bytes()).map(|node| node.to_json()), Ok(expected), "{text:?}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_line_and_column() {
    for (text, line, column, message) in [
        ("a: 1\nb: [1\n", 3, 1, ""),
        ("a: 1\n\tb: 2\n", 1, 4, "found a tab"),
        ("a: 'x\n", 1, 4, ""),
        ("a: b: c\n", 1, 5, ""),
        ("a: 1\n---\nb: 2\n", 2, 1, "second document"),
        ("- a\n", 1, 1, "a list at the top"),
        ("word\n", 1, 1, "text at the top"),
        ("a: *x\n", 1, 4, ""),
        ("a: &x [*x]\n", 1, 8, "contains it"),
        ("a: 1\n? [b]\n: c\n", 2, 3, "cannot be a key"),
        ("a: {<<: 1}\n", 1, 9, "merge key"),
    ] {
        let error = parse(text.as_bytes()).unwrap_err();
        let position = error.position();
        assert_eq!((position.line, position.column), (line, column), "{text:?}: {error}");
        assert!(error.to_string().contains(message), "{text:?}: {error}");
    }
    let error = parse(b"a: 1\nb: \xff\n").unwrap_err();
    assert_eq!((error.to_string().as_str(), error.position().line, error.position().column), ("not valid UTF-8", 2, 4));
}

#[test]
fn hostile_documents_end_at_a_bound() {
    let laughs = std::iter::once("a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned())
        .chain((1..20).map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(","))))
        .collect::<String>();
    let tower = std::iter::once("a0: &a0 [x]\n".to_owned())
        .chain((1..5000).map(|n| format!("a{n}: &a{n} [*a{}]\n", n - 1)))
        .collect::<String>();
    let merges = format!(
        "a: &a {{{}}}\nb: {{<<: [{}]}}\n",
        (0..9000).map(|n| format!("k{n}: 1,")).collect::<String>(),
        ["*a"; 3].join(",")
    );
    for (text, message) in [
        (format!("a: {}", "[".repeat(100_000)), "limit"),
        (format!("a: {}", "{a: ".repeat(100_000)), "nested"),
        (format!("a: {}", "[".repeat(200)), "nested"),
        ("- ".repeat(100_000), "nested"),
        (format!("a: {}", "? ".repeat(100_000)), ""),
        (laughs, "more than"),
        (tower, "nested"),
        ("x".repeat(2 << 20), "larger than"),
        (format!("a: [{}]", "1,".repeat(200_000)), "more than"),
    ] {
        let error = parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(message), "{}: {error}", &text[..30]);
    }
    parse(merges.as_bytes()).unwrap();
}

#[test]
fn set_changes_one_value_and_keeps_the_rest() {
    let full = "# head\nmodel:\n  # inner\n  default: x  # trailing\n\n  provider: 'auto'\n# tail\nz: [1, 2] # c\n";
    check_set(full, "model.default", "w", &full.replace("x  #", "w  #"));
    check_set(full, "model.provider", "3", &full.replace("'auto'", "3"));
    check_set(full, "z.1", "true", &full.replace("[1, 2]", "[1, true]"));
    check_set(full, "new.deep.key", "1", &format!("{full}new:\n  deep:\n    key: 1\n"));
    for (before, dotted, word, after) in [
        ("", "a.b", "1", "a:\n  b: 1\n"),
        ("# only\n", "a", "x", "# only\na: x\n"),
        ("# only", "a", "x", "# only\na: x\n"),
        ("# only\r\n", "a", "x", "# only\r\na: x\r\n"),
        ("---\n", "a", "x", "---\na: x\n"),
        ("---\na: 1\n...\n", "b", "2", "---\na: 1\nb: 2\n...\n"),
        ("%YAML 1.2\n---\na: 1\n", "a", "2", "%YAML 1.2\n---\na: 2\n"),
        ("\u{feff}a: 1\n", "a", "2", "\u{feff}a: 2\n"),
        ("\u{feff}", "a", "2", "\u{feff}a: 2\n"),
        ("a: 1", "b", "2", "a: 1\nb: 2"),
        ("a:\n", "a.b", "1", "a:\n  b: 1\n"),
        ("a: # why\nz: 1\n", "a.b", "1", "a: # why\n  b: 1\nz: 1\n"),
        ("a: ~\n", "a.b", "1", "a:\n  b: 1\n"),
        ("a: {}\n", "a.b", "1", "a: {b: 1}\n"),
        ("a: {b: 1, c: 2} # k\n", "a.c", "x", "a: {b: 1, c: x} # k\n"),
        ("a:\n    b: 1\n", "a.c", "2", "a:\n    b: 1\n    c: 2\n"),
        ("a:\r\n  b: 1\r\n", "a.c", "2", "a:\r\n  b: 1\r\n  c: 2\r\n"),
        ("a: |\n  one\n  two\nb: 1\n", "a", "x", "a: x\nb: 1\n"),
        ("a: one\n  two\nb: 1\n", "b", "2", "a: one\n  two\nb: 2\n"),
        ("l:\n- x: 1\n- y\n", "l.0.x", "2", "l:\n- x: 2\n- y\n"),
        ("1: a\n", "1", "b", "1: b\n"),
        ("'1': a\n", "1", "b", "'1': b\n"),
        ("a: &x 1\nb: 2\n", "b", "3", "a: &x 1\nb: 3\n"),
        ("a: &x {q: 1}\nb:\n  <<: *x\n", "b.q", "2", "a: &x {q: 1}\nb:\n  <<: *x\n  q: 2\n"),
    ] {
        check_set(before, dotted, word, after);
    }
}

#[test]
fn text_is_quoted_where_it_would_be_read_as_something_else() {
    for (word, written) in [
        ("word", "word"),
        ("two words", "two words"),
        ("anthropic/claude-4.5", "anthropic/claude-4.5"),
        ("http://host:80/x", "http://host:80/x"),
        ("1e3", "1e3"),
        ("~", "~"),
        ("", "''"),
        ("yes", "'yes'"),
        ("Off", "'Off'"),
        ("2024-01-01", "'2024-01-01'"),
        ("1_000", "'1_000'"),
        ("18446744073709551616", "'18446744073709551616'"),
        ("it's", "'it''s'"),
        (" lead", "' lead'"),
        ("a: b", "'a: b'"),
        ("a #b", "'a #b'"),
        ("[x]", "'[x]'"),
        ("é", "'é'"),
        ("one\ntwo", "\"one\\ntwo\""),
        ("bell\u{7}", "\"bell\\u0007\""),
        ("\u{feff}", "\"\\ufeff\""),
    ] {
        check_set("", "a", word, &format!("a: {written}\n"));
        check_set("{}\n", "a", word, &format!("{{a: {written}}}\n"));
    }
}

#[test]
fn unset_removes_one_key_and_what_only_led_to_it() {
    for (before, dotted, after) in [
        ("a: 1\nb: 2\n", "a", "b: 2\n"),
        ("a: 1\n", "a", ""),
        ("# c\na: 1\n", "a", "# c\n"),
        ("a:\n  b:\n    c: 1\nz: 1\n", "a.b.c", "z: 1\n"),
        ("a:\n  # why\n  b: 1\nz: 1\n", "a.b", "a:\n  # why\n  {}\nz: 1\n"),
        ("a:\n  b: 1\n  c: 2\n", "a.b", "a:\n  c: 2\n"),
        ("a: {b: 1, c: 2}\n", "a.c", "a: {b: 1}\n"),
        ("x: &x {q: 1}\na:\n  <<: *x\n  b: 1\n", "a.b", "x: &x {q: 1}\na:\n  <<: *x\n"),
        ("l: [1, 2, 3]\n", "l.1", "l: [1, 3]\n"),
        ("# x\n\n# about a\na: 1 # t\n\nb: 2\n", "b", "# x\n\n# about a\na: 1 # t\n\n"),
    ] {
        check_unset(before, dotted, after);
    }
    assert_eq!(unset(b"a: 1\n", &path("b.c")), Ok(None));
    assert_eq!(unset(b"a: 1\n", &path("a.c")), Ok(None));
}

#[test]
fn what_cannot_be_changed_alone_is_refused() {
    for (text, dotted, message) in [
        ("a: 1\nb: word\n", "b.c", "b is text (line 2, column 4), so b.c cannot be set below it"),
        ("a: [1, 2]\n", "a.2", "a has 2 items (line 1, column 4); a.2 is past its end"),
        ("a: [1, 2]\n", "a.x", "a is a list (line 1, column 4), so a.x cannot be set below it"),
        ("a: &x {q: 1}\nb: *x\n", "b.q", "b stands for another value by an alias (line 2, column 4)"),
        ("a: &x {q: 1}\nb: *x\n", "a.q", "a.q cannot be changed without changing something else in the file"),
        ("a: 1\na: 2\n", "a", "a appears more than once; the last one (line 2, column 1) counts"),
        (
            "a: &x {q: {r: 1}}\nb: {<<: *x}\n",
            "b.q.r",
            "b.q comes from a merge key (<<) and is not written where it applies (line 1, column 8)",
        ),
        ("a: [\n", "a", "while parsing a node, did not find expected node content"),
    ] {
        let error = set(text.as_bytes(), &path(dotted), &scalar("9")).unwrap_err();
        assert_eq!(error.to_string(), message, "{text:?}");
    }
    let error = unset(b"a: &x {q: 1}\nb: {<<: *x}\n", &path("b.q")).unwrap_err();
    assert!(matches!(error, EditError::Merged { .. }), "{error}");
}

/// Documents that real people write, and some that only YAML allows.
const DOCUMENTS: &[&str] = &[
    "",
    "# only a comment\n",
    "---\n",
    "a: 1",
    "# head\nmodel:\n  # inner\n  default: x  # trailing\n\n  provider: 'auto'\n# tail\nz: [1, 2] # c\n",
    "a: {b: 1, c: {d: 2}}\n",
    "a: {\n  b: 1, # bb\n  c: 2\n}\nb: 2\n",
    "a:\nb: 2\n",
    "a: |\n  text\n  more\nb: >-\n  folded\n\n\n# end\n",
    "b: |+\n  keep\n\n\na: 1\n",
    "a:\r\n  b: 1\r\n  c: 2\r\n",
    "---\na: 1\n...\n",
    "list:\n- 1\n- x: 1\n  y: 2\n",
    "\u{feff}a: 1\n",
    "a:\n    вложенный: да\n",
    "x: &anc {q: 1}\na: *anc\nb:\n  <<: *anc\n  r: 1\n",
    "a: multi\n  line plain\nb: \"dq\\n\"\n'c': 'it''s'\n",
    "? a\n: b\n",
    "a:\n  b: 1\n  # trailing comment in a\n\n# about c\nc: 3\n",
    "a:\n  b:\n    c: 1 # one\n    d: 2\n  # after b\n  e: 3\nb: 1\n",
    "%YAML 1.2\n---\na: !!str 1\nb: 2\n",
];

fn documents() -> impl Strategy<Value = String> {
    proptest::sample::select(DOCUMENTS).prop_map(str::to_owned)
}

/// Segments that hit what is there, and ones that are odd.
fn segment() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => proptest::sample::select(&["a", "b", "c", "model", "default", "list", "0", "1", "x"][..]).prop_map(str::to_owned),
        2 => "[a-z_]{1,8}",
        2 => "\\PC{1,12}",
        1 => any::<String>().prop_filter("a key has a first character", |text| !text.is_empty()),
    ]
}

fn segments() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(segment(), 1..4)
}

fn values() -> impl Strategy<Value = Node> {
    prop_oneof![
        "\\PC{0,20}".prop_map(|word| scalar(&word)),
        any::<String>().prop_map(|text| Node::new(Content::Scalar(Scalar::text(text)))),
        any::<i64>().prop_map(|number| scalar(&number.to_string())),
        any::<f64>().prop_map(|number| scalar(&number.to_string())),
        json_values().prop_map(|json| Node::from_json(&json)),
    ]
}

fn json_values() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        any::<String>().prop_map(|value| json!(value)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::Array),
            proptest::collection::vec((segment(), inner), 0..4)
                .prop_map(|pairs| serde_json::Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Documents broken in small ways: a piece inserted, a character or a line gone or doubled.
fn mutated() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "  ", "\n", "# c\n", "a: ", "b", "- ", "{", "}", "[", "]", ", ", ": ", "'", "\"", "|\n", ">-\n", "&x ", "*x",
        "\t", "\r", "\r\n", "é", "c: 1\n", "  d: 2\n", "? ", "!!str ", "...\n", "---\n", "<<: ", "%YAML", "\u{feff}",
        "\0", "\u{85}",
    ];
    let change = (any::<prop::sample::Index>(), proptest::sample::select(PIECES), any::<bool>());
    (documents(), documents(), proptest::collection::vec(change, 0..5)).prop_map(|(first, second, changes)| {
        let mut text = first + &second;
        for (at, piece, insert) in changes {
            let characters: Vec<(usize, char)> = text.char_indices().collect();
            let Some((offset, character)) = characters.get(at.index(characters.len() + 1)).copied() else {
                text.push_str(piece);
                continue;
            };
            if insert {
                text.insert_str(offset, piece);
            } else {
                text.replace_range(offset..offset + character.len_utf8(), "");
            }
        }
        text
    })
}

fn own_line_comments(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| line.starts_with('#')).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_set_is_read_back_and_all_else_stays(text in documents(), path in segments(), value in values()) {
        let before = parse(text.as_bytes()).unwrap();
        match set(text.as_bytes(), &path, &value) {
            Ok(after) => {
                let tree = parse(after.as_bytes()).unwrap();
                prop_assert!(tree.at(&path).unwrap().same(&value), "{after:?}");
                // Only comments inside the value that was replaced may go.
                if before.at(&path).is_none() {
                    prop_assert_eq!(own_line_comments(&text), own_line_comments(&after));
                }
            }
            Err(EditError::Unfaithful { .. }) => {
                let anchored = text.contains('&');
                prop_assert!(anchored, "refused {:?} {:?} in {:?}", path, value, text);
            }
            Err(EditError::Parse(error)) => prop_assert!(false, "{error}"),
            Err(_) => {}
        }
    }

    #[test]
    fn a_new_key_can_be_taken_back(text in documents(), path in segments(), value in values()) {
        let before = parse(text.as_bytes()).unwrap();
        if before.at(&path[..1]).is_some() {
            return Ok(());
        }
        let with = set(text.as_bytes(), &path, &value).unwrap();
        let without = unset(with.as_bytes(), &path).unwrap().unwrap();
        prop_assert!(parse(without.as_bytes()).unwrap().same(&before), "{with:?} {without:?}");
        prop_assert_eq!(own_line_comments(&text), own_line_comments(&without));
    }

    #[test]
    fn a_tree_survives_being_written(value in json_values()) {
        let tree = Node::from_json(&json!({ "v": value }));
        let text = block(&tree);
        prop_assert!(parse(text.as_bytes()).unwrap().same(&tree), "{text:?}");
    }

    #[test]
    fn broken_documents_never_panic_and_never_become_wrong(text in mutated(), path in segments(), value in values()) {
        let Ok(before) = parse(text.as_bytes()) else { return Ok(()) };
        if let Ok(after) = set(text.as_bytes(), &path, &value) {
            prop_assert!(parse(after.as_bytes()).unwrap().at(&path).unwrap().same(&value));
        }
        if let Ok(Some(after)) = unset(text.as_bytes(), &path) {
            prop_assert!(parse(after.as_bytes()).unwrap().at(&path).is_none_or(|_| path.iter().any(|part| part.parse::<usize>().is_ok())));
        }
        let _ = before.to_json();
    }

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), path in segments()) {
        let _ = parse(&bytes);
        let _ = set(&bytes, &path, &scalar("x"));
        let _ = unset(&bytes, &path);
    }
}
