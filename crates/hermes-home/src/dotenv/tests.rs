//! What a `.env` means, and that changing one line changes nothing else.

use proptest::prelude::*;

use super::{EditError, EnvFile, What};

fn pairs(text: &str) -> Vec<(String, String)> {
    EnvFile::parse(text).iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn check(text: &str, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(pairs(text), expected, "{text:?}");
}

fn check_problems(bytes: &[u8], expected: &[(usize, What)]) {
    let file = EnvFile::from_bytes(bytes);
    let found: Vec<_> = file.problems().iter().map(|problem| (problem.line, problem.what)).collect();
    assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(bytes));
    assert_eq!(file.to_bytes(), bytes);
}

#[test]
fn assignments_are_read_as_python_dotenv_reads_them() {
    check("A=1", &[("A", "1")]);
    check("A=1\nB=2\n", &[("A", "1"), ("B", "2")]);
    check("  A  =  1  \n", &[("A", "1")]);
    check("export A=1\nexport\tB=2\n", &[("A", "1"), ("B", "2")]);
    check("export=1\n", &[("export", "1")]);
    check("'A'=1\n", &[("A", "1")]);
    check("A=\nB=", &[("A", ""), ("B", "")]);
    check("A=x=y==\n", &[("A", "x=y==")]);
    check("A=a b  c\n", &[("A", "a b  c")]);
    check("# A=1\n\n   # B=2\nC=3", &[("C", "3")]);
    check("A=1\r\nB=2\r\n", &[("A", "1"), ("B", "2")]);
    check("A=1\rB=2", &[("A", "1"), ("B", "2")]);
    check("\u{feff}A=1\n", &[("A", "1")]);
    check("A=1\nB=2\nA=3\n", &[("B", "2"), ("A", "3")]);
    check("a=1\nA=2\n", &[("a", "1"), ("A", "2")]);
    check("A=\u{a0}x\u{a0}\n", &[("A", "x")]);
}

#[test]
fn comments_end_bare_values_after_a_blank_only() {
    check("A=1 # one\n", &[("A", "1")]);
    check("A=1\t# one\n", &[("A", "1")]);
    check("A=1# one\n", &[("A", "1# one")]);
    check("A=#abc\n", &[("A", "#abc")]);
    check("A= # paste it here\n", &[("A", "")]);
    check("A=a'b\"c # d\n", &[("A", "a'b\"c")]);
    check("A='1' # one\n", &[("A", "1")]);
    check("A=\"1\"# one\n", &[("A", "1")]);
    check("A='1 # one'\n", &[("A", "1 # one")]);
}

#[test]
fn quotes_keep_blanks_lines_and_their_own_escapes() {
    check("A=' 1 '\n", &[("A", " 1 ")]);
    check(r"A='a\nb\'c\\d'", &[("A", r"a\nb'c\d")]);
    check(r#"A="a\nb\tc\"d\\e\'f\q""#, &[("A", "a\nb\tc\"d\\e'f\\q")]);
    check(r#"A="\a\b\f\r\v""#, &[("A", "\u{7}\u{8}\u{c}\r\u{b}")]);
    check("A=\"one\ntwo\"\nB=2\n", &[("A", "one\ntwo"), ("B", "2")]);
    check("A='one\r\ntwo'\r\nB=2\r\n", &[("A", "one\ntwo"), ("B", "2")]);
    check("A=\"x=1\nB=2\"\n", &[("A", "x=1\nB=2")]);
    check("A=''\nB=\"\"\n", &[("A", ""), ("B", "")]);
    check(r#"A="\$HOME \`x\`""#, &[("A", "$HOME `x`")]);
    check("A='${HOME}'", &[("A", "${HOME}")]);
}

#[test]
fn a_backslash_before_the_closing_quote_does_not_swallow_the_next_lines() {
    check("A='C:\\'\nB='x'\n", &[("A", "C:\\"), ("B", "x")]);
    check("A=\"C:\\\\\"\nB=\"x\"\n", &[("A", "C:\\"), ("B", "x")]);
    check(r#"A="a\\" b""#, &[("A", "a\\\" b")]);
}

#[test]
fn lines_that_set_nothing_are_kept_and_reported() {
    check_problems(b"A=1\nnonsense\nB=2\n", &[(2, What::NotAnAssignment)]);
    check_problems(b"export A\n", &[(1, What::NotAnAssignment)]);
    check_problems(b"=1\n", &[(1, What::NotAnAssignment)]);
    check_problems(
        b"MY-KEY=1\n2A=1\n\xc3\xa4=1\n",
        &[(1, What::InvalidName), (2, What::InvalidName), (3, What::InvalidName)],
    );
    check_problems(b"\nA=\"open\nB=2\n", &[(2, What::UnterminatedQuote)]);
    check_problems(b"A='open\nB='x'\n", &[(1, What::UnterminatedQuote)]);
    check_problems(b"A='x' y\nB=2\n", &[(1, What::TextAfterQuote)]);
    check_problems(b"A=x\0y\n", &[(1, What::Nul)]);
    check_problems(b"A=1\n# caf\xe9\nB=caf\xe9\n", &[(2, What::NotUtf8), (3, What::NotUtf8)]);
    check_problems(b"A='1\r\n2'\r\n?\r\n", &[(3, What::NotAnAssignment)]);
    check_problems(b"A=${B}\nC='${B}'\nD=$B\n", &[(1, What::LiteralReference)]);
    check("A=1\nnonsense\nB=2\n", &[("A", "1"), ("B", "2")]);
    check("A=\"open\nB=2\n", &[("B", "2")]);
}

#[test]
fn a_problem_never_quotes_the_line() {
    let file = EnvFile::parse("sk-secret-value\nsk-secret=1\nA='sk-secret\n");
    assert_eq!(file.problems().len(), 3);
    for problem in file.problems() {
        assert!(!problem.to_string().contains("secret"), "{problem}");
    }
    assert!(!format!("{:?}", EnvFile::parse("A=sk-secret")).contains("secret"));
}

fn check_set(before: &str, name: &str, value: &str, after: &str) {
    let mut file = EnvFile::parse(before);
    file.set(name, value).unwrap();
    assert_eq!(file.render(), after);
    assert_eq!(file.get(name), Some(value));
}

#[test]
fn set_changes_one_line_and_keeps_the_rest() {
    check_set("", "A", "1", "A=1\n");
    check_set("# top\nB=2", "A", "1", "# top\nB=2\nA=1\n");
    check_set("\u{feff}", "A", "1", "\u{feff}A=1\n");
    check_set("A=1\n\n# c\nB=2\n", "A", "3", "A=3\n\n# c\nB=2\n");
    check_set("  export A = 'old' # why\nB=2\n", "A", "new", "  export A=new # why\nB=2\n");
    check_set("A=\"x\"#c\n", "A", "y", "A=y #c\n");
    check_set("A= # paste it here\n", "A", "k", "A=k # paste it here\n");
    check_set("A=1\r\nB=2\r\n", "C", "3", "A=1\r\nB=2\r\nC=3\r\n");
    check_set("A=1\r\nB=2\r\n", "A", "3", "A=3\r\nB=2\r\n");
    check_set("A=1\nA=2\n", "A", "3", "A=1\nA=3\n");
    check_set("A=\"one\ntwo\"\nB=2\n", "A", "1", "A=1\nB=2\n");
    check_set("A  = 1\n", "A", "1", "A  = 1\n");
    check_set("nonsense\n", "A", "", "nonsense\nA=\n");
}

#[test]
fn values_are_quoted_as_little_as_possible() {
    for (value, written) in [
        ("sk-or-v1_0.9/a:b@c", "sk-or-v1_0.9/a:b@c"),
        ("", ""),
        ("a b", "'a b'"),
        ("a#b", "'a#b'"),
        ("$HOME", "'$HOME'"),
        ("~", "'~'"),
        ("a\\b", "'a\\b'"),
        ("C:\\", "\"C:\\\\\""),
        ("it's", "\"it's\""),
        ("it's \"5$\"", "\"it's \\\"5\\$\\\"\""),
        ("a\nb", "'a\nb'"),
        ("a\r\nb", "\"a\\r\nb\""),
    ] {
        check_set("", "A", value, &format!("A={written}\n"));
    }
}

#[test]
fn unset_removes_every_line_of_the_name_and_nothing_else() {
    let mut file = EnvFile::parse("# top\nA=1\nB=2\nexport A='x\ny'\n# A=3\n");
    assert_eq!(file.unset("A"), Ok(true));
    assert_eq!(file.render(), "# top\nB=2\n# A=3\n");
    assert_eq!(file.unset("A"), Ok(false));
}

#[test]
fn bytes_that_are_not_utf8_survive_a_change_of_another_line() {
    let mut file = EnvFile::from_bytes(b"# caf\xe9\nA=1 # \xff\xfe\nB=\xe9\n");
    file.set("A", "2").unwrap();
    file.set("C", "3").unwrap();
    assert_eq!(file.to_bytes(), b"# caf\xe9\nA=2 # \xff\xfe\nB=\xe9\nC=3\n");
}

#[test]
fn bad_names_nul_and_entangled_lines_are_refused_and_change_nothing() {
    let text = "A='open\nB=1\n";
    let mut file = EnvFile::parse(text);
    for name in ["", "1A", "A-B", "A B", "ä", "A\n", "A=B"] {
        assert_eq!(file.set(name, "x"), Err(EditError::Name(name.to_owned())));
        assert_eq!(file.unset(name), Err(EditError::Name(name.to_owned())));
    }
    assert_eq!(file.set("A", "x\0"), Err(EditError::Nul { name: "A".to_owned() }));
    assert_eq!(file.set("B", "# x"), Err(EditError::Entangled { name: "B".to_owned(), line: 1 }));
    assert_eq!(file.render(), text);
}

/// Text made of the characters that quoting is about.
fn awkward() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            Just("'"),
            Just("\""),
            Just("\\"),
            Just("$"),
            Just("`"),
            Just("#"),
            Just(" "),
            Just("\n"),
            Just("\r"),
            Just("="),
            Just("${A}"),
            Just("a"),
            Just("ä"),
            Just("\t"),
            Just("!"),
            Just("~"),
            Just("\u{feff}"),
        ],
        0..12,
    )
    .prop_map(|parts| parts.concat())
}

/// Lines as people write them, right and wrong.
fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        (any::<prop::sample::Index>(), awkward())
            .prop_map(|(name, value)| format!("{}={value}", ["A", "B", "C"][name.index(3)])),
        awkward().prop_map(|text| format!("# {text}")),
        awkward(),
        Just(String::new()),
        awkward().prop_map(|text| format!("export D='{text}'")),
    ];
    (proptest::collection::vec(line, 0..6), prop_oneof![Just("\n"), Just("\r\n")])
        .prop_map(|(lines, end)| lines.join(end))
}

proptest! {
    #[test]
    fn any_bytes_are_read_and_written_back_unchanged(bytes: Vec<u8>) {
        prop_assert_eq!(EnvFile::from_bytes(&bytes).to_bytes(), bytes);
    }

    #[test]
    fn any_lines_are_read_and_written_back_unchanged(text in lines()) {
        prop_assert_eq!(EnvFile::parse(&text).render(), text);
    }

    #[test]
    fn what_was_set_is_read_again(value in prop_oneof![awkward(), any::<String>()]) {
        let value = value.replace('\0', "");
        let mut file = EnvFile::default();
        file.set("A", &value).unwrap();
        file.set("B", "'\"").unwrap();
        let text = file.render();
        let again = EnvFile::parse(&text);
        prop_assert_eq!(again.get("A"), Some(value.as_str()));
        prop_assert!(again.problems().is_empty(), "{:?}", again.problems());
    }

    #[test]
    fn setting_and_removing_touch_no_other_variable(text in lines(), value in awkward()) {
        let before = EnvFile::parse(&text);
        let others = |file: &EnvFile| file.iter().filter(|(name, _)| *name != "A").map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Vec<_>>();
        let mut file = before.clone();
        if file.set("A", &value).is_ok() {
            let again = EnvFile::from_bytes(&file.to_bytes());
            prop_assert_eq!(again.get("A"), Some(value.as_str()));
            prop_assert_eq!(others(&file), others(&before));
        }
        if file.unset("A").is_ok() {
            prop_assert_eq!(file.get("A"), None);
            prop_assert_eq!(others(&file), others(&before));
        }
    }
}

mod in_a_shell {
    use std::process::{Command, Stdio};

    use super::EnvFile;

    /// Every text of up to three of the characters that quoting is about. A carriage
    /// return is not among them: no spelling of it suits both readers.
    fn values() -> Vec<String> {
        const PARTS: [&str; 14] = ["'", "\"", "\\", "$", "`", "#", " ", "\n", "a", "ä", "!", "~", "*", "${A}"];
        let mut values = vec![String::new()];
        let mut longest = values.clone();
        for _ in 0..3 {
            longest = longest.iter().flat_map(|start| PARTS.map(|part| format!("{start}{part}"))).collect();
            values.extend(longest.iter().cloned());
        }
        values
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test sources the file as a person's shell would")]
    fn what_was_set_is_what_a_shell_sources() {
        let values = values();
        let mut text = String::new();
        for (index, value) in values.iter().enumerate() {
            let mut line = EnvFile::default();
            line.set(&format!("V{index}"), value).unwrap();
            text.push_str(&line.render());
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".env");
        std::fs::write(&path, &text).unwrap();
        let script = r#". "$1"; i=0; while [ $i -lt "$2" ]; do eval "printf '%s\\0' \"\$V$i\""; i=$((i+1)); done"#;
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(&path).arg(values.len().to_string()).env("LC_ALL", "C.UTF-8");
        let output = shell.stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let sourced = String::from_utf8(output.stdout).unwrap();
        let sourced: Vec<_> = sourced.split_terminator('\0').collect();
        let file = EnvFile::parse(&text);
        assert_eq!(sourced.len(), values.len());
        for (index, (value, sourced)) in values.iter().zip(sourced).enumerate() {
            assert_eq!(sourced, value, "V{index} in the shell");
            assert_eq!(file.get(&format!("V{index}")), Some(value.as_str()), "V{index}");
        }
    }
}

mod on_disk {
    use std::os::unix::fs::PermissionsExt;

    use crate::{Asked, HomeRoot, dotenv};
    use hermes_proto::HostEnvironment;

    #[test]
    fn set_and_unset_change_the_file_and_keep_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let environment = HostEnvironment::from_pairs([("HERMES_HOME", folder.path())]);
        let home = HomeRoot::find(&environment).unwrap().select(&Asked::Nothing).unwrap();
        assert_eq!(dotenv::load(&home).unwrap().get("A"), None);
        assert!(!dotenv::unset(&home, "A").unwrap());
        assert!(!home.env_path().exists());

        std::fs::write(home.env_path(), "# mine\nA=1\n").unwrap();
        std::fs::set_permissions(home.env_path(), std::fs::Permissions::from_mode(0o400)).unwrap();
        dotenv::set(&home, "B", "two words").unwrap();
        assert!(dotenv::unset(&home, "A").unwrap());
        assert_eq!(std::fs::read_to_string(home.env_path()).unwrap(), "# mine\nB='two words'\n");
        assert_eq!(dotenv::load(&home).unwrap().get("B"), Some("two words"));
        assert_eq!(std::fs::metadata(home.env_path()).unwrap().permissions().mode() & 0o777, 0o400);
    }
}
