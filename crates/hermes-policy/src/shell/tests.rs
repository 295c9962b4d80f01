//! What is seen in a text, as `name argument …` lines.

use super::{Event, Place, read};
use crate::Context;

pub(super) fn seen(text: &str) -> Vec<String> {
    let context = Context { home: Some("/home/ann".to_owned()), ..Context::default() };
    let show = |event| match event {
        Event::Command(simple) => simple.text(),
        Event::Trouble(trouble, _) => format!("!{trouble:?}"),
    };
    read(text, &Place::new(&context)).into_iter().map(show).collect()
}

/// One text, and the programs it would start in order.
fn check(text: &str, expected: &[&str]) {
    assert_eq!(seen(text), expected, "{text}");
}

#[test]
fn quoting_hides_nothing() {
    for text in [
        "rm -rf /",
        "r''m -rf /",
        "\\rm -r\\f /",
        "'rm' \"-rf\" $'\\x2f'",
        "rm\\\n -rf /",
        "rm${IFS}-rf${IFS}/",
        "{rm,-rf,/}",
        "X=rm; $X -rf /",
        "X=r; Y=m; $X$Y -rf /",
        "X='rm -rf /'; $X",
        "a=(rm -rf /); \"${a[@]}\"",
        "set -- rm -rf /; \"$@\"",
        "$(echo rm) -rf /",
        "`printf '%s' rm` -rf /",
        "$(printf '\\x72\\x6d') -rf ${PATH:0:1}",
        "X=xrmx; ${X:1:2} -rf /",
        "X=mr; $(rev <<< $X) -rf /",
        "read c <<< rm; $c -rf /",
        "printf -v c rm; $c -rf /",
        "X=RM; ${X,,} -rf /",
        "X=aarm; ${X#aa} -rf /",
        "X=rXm; ${X/X/} -rf /",
        "Y=X; X=rm; ${!Y} -rf /",
    ] {
        let seen = seen(text);
        assert_eq!(seen.last().map(String::as_str), Some("rm -rf /"), "{text}: {seen:?}");
    }
}

#[test]
fn what_starts_other_programs_is_seen_through() {
    for text in [
        "sudo -u root rm -rf /",
        "env -i A=1 rm -rf /",
        "env -S 'rm -rf /'",
        "env -S'rm -rf' /",
        "env -u X -iS 'rm -rf /'",
        "env A=1 --split-string='rm -rf /'",
        "env -S 'A=1 rm' -rf /",
        "nice -n 10 nohup timeout -s KILL 5 rm -rf /",
        "command rm -rf /; ",
        "exec rm -rf /",
        "busybox rm -rf /",
        "stdbuf -oL setsid ionice -c 3 rm -rf /",
        "time rm -rf /",
        "echo / | xargs rm -rf",
        "echo / | xargs -I% rm -rf %",
        "bash -c 'rm -rf /'",
        "bash -lc 'rm -rf \"$1\"' x /",
        "eval 'rm' '-rf /'",
        "echo 'rm -rf /' | sh",
        "bash <<'E'\nrm -rf /\nE",
        "bash <<< 'rm -rf /'",
        "bash <(echo rm -rf /)",
        "source <(echo rm -rf /)",
        "echo cm0gLXJmIC8= | base64 -d | bash",
        "trap 'rm -rf /' EXIT",
        "f() { rm -rf \"$1\"; }; f /",
        "alias x='rm -rf'\nx /",
        "watch -n 1 'rm -rf /'",
        "su root -c 'rm -rf /'",
        "(cd x && { rm -rf /; }) &",
        "if a; then while b; do case c in c) rm -rf /;; esac; done; fi",
        "for x in a /; do rm -rf $x; done",
        "X=rm bash -c '$X -rf /'",
        "echo $(( $(rm -rf /) ))",
        "coproc rm -rf /",
        "[[ $(rm -rf /) ]]",
        "a=\"$(rm -rf /)\"",
        "ls > >(rm -rf /)",
        "ssh host rm -rf /",
    ] {
        let seen = seen(text);
        assert!(seen.iter().any(|line| line == "rm -rf /" || line == "rm -rf a /"), "{text}: {seen:?}");
    }
}

#[test]
fn data_is_not_commands() {
    check("echo 'rm -rf /' # rm -rf /", &["echo 'rm -rf /'"]);
    check("cat > x <<E\nrm -rf /\nE", &["cat > x"]);
    check("git commit -m 'rm -rf /'", &["git commit -m 'rm -rf /'"]);
    check("env sort -S 'rm -rf /' x", &["env sort -S 'rm -rf /' x", "sort -S 'rm -rf /' x"]);
    check("grep 'rm -rf' x; : 'shutdown'", &["grep 'rm -rf' x", ": shutdown"]);
}

#[test]
fn what_is_not_known_is_said() {
    check("$X y", &["!Unresolved", "y"]);
    check("echo $X", &["echo …"]);
    check("ls ${X:-a}", &["ls a …"]);
    check("if", &["!Unparsable"]);
}

#[test]
fn branches_keep_both_values() {
    check("X=ls; if a; then X=rm; fi; $X", &["a", "ls", "rm"]);
    check("X=ls; for i in 1 2; do $X; X=rm; done", &["ls", "ls", "rm"]);
    check("(X=rm); X=ls; $X", &["ls"]);
}
