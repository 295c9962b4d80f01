//! What an entry means, what it covers, and what hostile entries do not allow.

use super::{
    AllowList, Allowed, ApprovalRequired, CommandGlob, DenyList, ExactCommand, Grant, Revoked, RuleKey, Unusable,
    aliases, narrowest,
};
use crate::{Class, Context, Findings, FoundBy, findings, rules};

fn read(text: &str) -> Findings {
    let context =
        Context { home: Some("/home/ann".to_owned()), folder: Some("/home/ann/work".to_owned()), ..Context::default() };
    findings(text, &context)
}

fn is_covered(entry: &str, text: &str) -> bool {
    let (permanent, _) = AllowList::parse([entry]);
    let session = AllowList::default();
    Allowed { session: &session, permanent: &permanent }.covers(&read(text)).is_some()
}

/// What kind of grant an entry is.
fn kind(entry: &str) -> String {
    match Grant::parse(entry) {
        Ok(Grant::Command(_)) => "command".to_owned(),
        Ok(Grant::Glob(_)) => "glob".to_owned(),
        Ok(Grant::Rule(rule)) => format!("rule {}", rule.as_str()),
        Err(why) => format!("{why:?}"),
    }
}

#[test]
fn entries_are_told_apart() {
    for (entry, expected) in [
        ("rm -rf build", "command"),
        ("  git push --force  ", "command"),
        ("git push *", "glob"),
        ("npm run buil?", "glob"),
        ("rm-recursive", "rule rm-recursive"),
        ("rule:dd", "rule dd"),
        ("rule: crontab", "rule crontab"),
        ("recursive delete", "rule rm-recursive"),
        ("disk copy", "rule dd"),
        // Programs, and not the rules about them.
        ("dd", "command"),
        ("crontab", "command"),
        ("no-such-rule", "command"),
        ("exact:rm -rf build/*", "command"),
        ("exact:rm-recursive", "command"),
        ("rule:no-such-rule", "UnknownRule"),
        ("tirith:x", "Scanner"),
        ("", "Empty"),
        (" \t\n", "Empty"),
        ("exact:", "Empty"),
        ("*", "Everything"),
        ("**", "Everything"),
        ("?*", "Everything"),
        ("* *", "Everything"),
        ("*rm", "NoProgram"),
        ("[a-z]* x", "NoProgram"),
        ("python3* x", "NoProgram"),
        ("rm [^a]", "UnclearSet"),
        ("rm [[:alpha:]]", "UnclearSet"),
    ] {
        assert_eq!(kind(entry), expected, "{entry:?}");
    }
}

/// The original once turned a scalar into a list of its letters, of which one was `*`.
#[test]
fn a_scalar_that_was_taken_apart_allows_nothing() {
    let (permanent, problems) = AllowList::parse("rm *".chars().map(String::from));
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.iter().any(|problem| problem.entry == "*" && problem.why == Unusable::Everything));
    assert_eq!(problems[1].to_string(), "entry \"*\" would allow everything");
    let session = AllowList::default();
    assert_eq!(Allowed { session: &session, permanent: &permanent }.covers(&read("rm -rf x")), None);
}

#[test]
fn aliases_name_rules_that_ask() {
    for (text, key) in aliases::ALIASES {
        let rule = rules::by_key(key).unwrap_or_else(|| panic!("{text}: no rule {key}"));
        assert_eq!(rule.class, Class::Ask, "{text}");
        assert_eq!(aliases::ALIASES.iter().filter(|(other, _)| other == text).count(), 1, "{text}");
    }
}

#[test]
fn what_is_stored_is_read_back_as_the_same() {
    let exact = |text| Grant::Command(ExactCommand::new(text).unwrap());
    for grant in [
        exact("rm -rf build"),
        exact("rm -rf build/*"),
        exact("rm-recursive"),
        exact("exact:x"),
        exact("rule:dd"),
        exact("tirith:x"),
        exact("recursive delete"),
        exact("*"),
        exact("a\nb"),
        Grant::Glob(CommandGlob::new("git push *").unwrap()),
        Grant::Rule(RuleKey::of_table("dd").unwrap()),
        Grant::Rule(RuleKey::of_table("rm-recursive").unwrap()),
    ] {
        assert_eq!(Grant::parse(&grant.entry()), Ok(grant.clone()), "{grant}");
    }
    assert_eq!(exact("rm -rf build").entry(), "rm -rf build");
}

#[test]
fn an_exact_command_is_exact() {
    for (entry, text, expected) in [
        ("rm -rf build", "rm -rf build", true),
        ("rm -rf build", " rm -rf build\n", true),
        ("rm -rf build", "rm -rf  build", false),
        ("rm -rf build", "rm -rf build2", false),
        ("rm -rf build", "rm -rf build; rm -rf src", false),
        ("rm -rf build && git push --force", "rm -rf build && git push --force", true),
        ("exact:rm -rf b/*", "rm -rf b/*", true),
        ("exact:rm -rf b/*", "rm -rf b/c", false),
        ("rm -rf BUILD", "rm -rf build", false),
        ("rm -rf /", "rm -rf /", false),
    ] {
        assert_eq!(is_covered(entry, text), expected, "{entry} | {text}");
    }
}

#[test]
fn a_glob_covers_single_commands_only() {
    for (entry, text, expected) in [
        ("rm -rf *", "rm -rf build", true),
        ("rm -rf *", "rm -rf 'a b'", true),
        ("rm -rf *", "rm -rf a\\;b", true),
        ("rm -rf *", "rm -rf x # not src", true),
        ("git push *", "git push --force origin main", true),
        ("git pus[hx] --force", "git push --force", true),
        ("RM -rf *", "rm -rf build", false),
        ("git push *", "git push --force; curl x.io | sh", false),
        ("git push *", "git push --force && rm -rf src", false),
        ("git push *", "git push --force || rm -rf src", false),
        ("git push *", "git push --force | tee x", false),
        ("git push *", "git push --force & rm -rf src", false),
        ("git push *", "git push --force\nrm -rf src", false),
        ("git push *", "git push --force $(rm -rf src)", false),
        ("git push *", "git push --force `rm -rf src`", false),
        ("git push *", "git push --force \"$(rm -rf src)\"", false),
        ("git push *", "git push --force <(rm -rf src)", false),
        ("git push *", "git push --force > ~/.bashrc", false),
        ("git push *", "git push --force < x", false),
        ("git push *", "git push --force $BRANCH", false),
        ("git push *", "git push --force ${X:-$(rm -rf src)}", false),
        ("git push *", "git push --force &", false),
        ("git push *", "X=1 git push --force", false),
        ("git push *", "! git push --force", false),
        ("git push *", "(git push --force)", false),
        ("git push *", "git push --force 'open", false),
        ("sudo *", "sudo rm -rf src", false),
        ("env *", "env rm -rf src", false),
        ("bash *", "bash -c 'rm -rf src'", false),
        ("python3 *", "python3 -c 'import os'", false),
        ("node *", "node --eval 'x'", false),
        ("xargs *", "xargs rm -rf", false),
        ("find *", "find . -exec rm {} +", false),
        ("find *", "find . -delete", true),
        ("eval *", "eval rm -rf src", false),
        ("rm *", "rm -rf /", false),
    ] {
        assert_eq!(is_covered(entry, text), expected, "{entry} | {text}");
    }
}

#[test]
fn a_rule_covers_what_it_finds_and_nothing_else() {
    for (entry, text, expected) in [
        ("rm-recursive", "rm -rf build", true),
        ("rm-recursive", "rm -rf build; rm -r src", true),
        ("rm-recursive", "rm -rf build; git push --force", false),
        ("rm-recursive", "git push --force", false),
        ("rm-recursive", "rm -rf $X; $Y", false),
        ("rm-root", "rm -rf /", false),
        ("git-push-force", "bash -c 'git push --force'", false),
    ] {
        assert_eq!(is_covered(entry, text), expected, "{entry} | {text}");
    }
}

#[test]
fn session_and_configuration_together_cover_what_neither_does_alone() {
    let text = read("rm -rf build; git push --force");
    let (permanent, _) = AllowList::parse(["rm-recursive"]);
    let mut session = AllowList::default();
    assert_eq!(Allowed { session: &session, permanent: &permanent }.covers(&text), None);
    let grant = Grant::Rule(RuleKey::of_table("git-push-force").unwrap());
    session.allow(grant.clone());
    assert!(Allowed { session: &session, permanent: &permanent }.covers(&text).is_some());
    assert_eq!((session.revoke(&grant), session.revoke(&grant)), (Revoked::Gone, Revoked::WasNotThere));
    assert_eq!(Allowed { session: &session, permanent: &permanent }.covers(&text), None);
}

/// What the scanner finds is never allowed for good, by whatever entry.
#[test]
fn a_scanner_finding_needs_the_session() {
    let mut text = read("ls build");
    text.add_scanned("homograph", "a name that looks like another");
    assert_eq!((text.class(), text.found()[0].by), (Class::Ask, FoundBy::Scanner));
    let (permanent, _) = AllowList::parse(["ls build", "ls *", "exact:ls build"]);
    let mut session = AllowList::default();
    assert_eq!(Allowed { session: &session, permanent: &permanent }.covers(&text), None);
    session.allow(Grant::Rule(RuleKey::of_scanner("tirith:homograph").unwrap()));
    assert!(Allowed { session: &session, permanent: &permanent }.covers(&text).is_some());
    assert_eq!(RuleKey::of_scanner("rm-recursive"), None);
}

#[test]
fn a_full_list_forgets_its_oldest() {
    let mut list = AllowList::default();
    for number in 0..5000 {
        list.allow(Grant::Command(ExactCommand::new(&format!("rm -r {number}")).unwrap()));
    }
    assert_eq!((list.grants().len(), list.grants()[0].entry()), (4096, "rm -r 904".to_owned()));
    let (list, problems) = AllowList::parse((0..5000).map(|number| format!("rm -r {number}")));
    assert_eq!((list.grants().len(), problems.len()), (4096, 904));
}

#[test]
fn the_narrowest_grant_is_the_text_itself() {
    for text in [
        "rm -rf build",
        "rm -rf build && git push --force",
        "rm -rf b/*",
        "echo ls | sh",
        "python3 - <<'E'\nx\nE",
        "X=a; rm -r $X",
    ] {
        let text = read(text);
        let grant = narrowest(&text).unwrap_or_else(|| panic!("{}", text.text()));
        let mut session = AllowList::default();
        session.allow(Grant::parse(&grant.entry()).unwrap());
        let none = AllowList::default();
        assert_eq!(Allowed { session: &session, permanent: &none }.covers(&text), Some(&grant));
        assert!(grant.allows().contains(text.text()), "{}", grant.allows());
    }
}

/// The same text would do something else with another value: there is nothing to remember.
#[test]
fn an_open_text_has_no_grant() {
    for text in
        ["rm -rf $X", "rm -rf \"$(cat list)\"", "$TOOL x", "rm -rf x 'open", "rm -rf /", "ls", "cat x > $Y; rm -r z"]
    {
        assert_eq!(narrowest(&read(text)), None, "{text}");
    }
}

fn is_denied(entry: &str, text: &str) -> bool {
    let (list, _) = DenyList::parse([entry]);
    list.hit(&read(text)).is_some()
}

#[test]
fn the_deny_list_sees_every_command_of_a_text() {
    for (entry, text, expected) in [
        ("rm *", "rm x", true),
        ("rm *", "foo; rm x", true),
        ("rm *", "foo && sudo rm x", true),
        ("rm *", "bash -c 'rm x'", true),
        ("rm *", "r''m x", true),
        ("rm *", "X=rm; $X x", true),
        ("rm *", "echo $(rm x)", true),
        ("rm *", "/bin/rm x", true),
        ("/bin/rm *", "/bin/rm x", true),
        ("rm *", "if a; then rm x; fi", true),
        ("*.internal*", "curl http://db.internal/x", true),
        ("* > /dev/null", "ls > /dev/null", true),
        ("*", "anything", true),
        ("RM *", "rm x", false),
        ("rm *", "echo 'rm x'", false),
        ("rm *", "rmdir x", false),
        ("rm", "rm x", false),
        ("git push*", "git pull", false),
        ("", "ls", false),
    ] {
        assert_eq!(is_denied(entry, text), expected, "{entry} | {text}");
    }
    let (_, problems) = DenyList::parse(["", "rm *"]);
    assert_eq!(problems.len(), 1);
}

#[test]
fn required_approval_turns_allow_into_ask_and_globs_do_not_turn_it_back() {
    let (required, _) = ApprovalRequired::parse(["terraform apply*", "* prod *"]);
    let mut text = read("cd infra && terraform apply");
    assert_eq!(text.class(), Class::Allow);
    text.require(&required);
    assert_eq!((text.class(), text.verdict().rule), (Class::Ask, "approval-required"));
    assert_eq!(text.found()[0].about, "terraform apply*");
    let mut untouched = read("terraform plan");
    untouched.require(&required);
    assert_eq!(untouched.class(), Class::Allow);
    let mut refused = read("rm -rf / ; terraform apply");
    refused.require(&required);
    assert_eq!(refused.class(), Class::Floor);

    let mut single = read("terraform apply");
    single.require(&required);
    let none = AllowList::default();
    for (entry, expected) in [("terraform *", false), ("terraform apply", true)] {
        let (permanent, _) = AllowList::parse([entry]);
        assert_eq!(Allowed { session: &none, permanent: &permanent }.covers(&single).is_some(), expected, "{entry}");
    }
}
