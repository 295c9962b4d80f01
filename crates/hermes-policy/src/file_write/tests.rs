//! A file tool's write and a shell's write of the same file get the same answer.

use super::{file_write_findings, judge_file_write};
use crate::allow_list::{AllowList, Allowed, narrowest};
use crate::{Class, Context, findings, judge};

fn context() -> Context {
    Context {
        home: Some("/home/ann".to_owned()),
        hermes_home: Some("/srv/hermes".to_owned()),
        folder: Some("/home/ann/work".to_owned()),
        ..Context::default()
    }
}

/// Path of a file tool, and what is said about it.
const PATHS: &[(&str, &str)] = &[
    ("notes.txt", ""),
    ("src/main.rs", ""),
    ("/tmp/x", ""),
    ("~/work/x", ""),
    ("~/.bashrc", "write-shell-startup"),
    ("../.bashrc", "write-shell-startup"),
    (".././/.zshrc", "write-shell-startup"),
    ("/home/ann/.profile", "write-shell-startup"),
    ("/home//ann/./work/../.profile", "write-shell-startup"),
    ("~/../ann/.bashrc", "write-shell-startup"),
    ("~/.config/systemd/user/x.service", "write-shell-startup"),
    ("~/.ssh/authorized_keys", "write-ssh"),
    ("../.ssh/config", "write-ssh"),
    ("/root/.ssh/authorized_keys", "write-ssh"),
    ("~/.netrc", "write-credential-file"),
    ("/etc/hosts", "write-system-file"),
    ("/etc", "write-system-file"),
    ("//etc//passwd", "write-system-file"),
    ("/tmp/../etc/cron.d/x", "write-system-file"),
    ("../../../etc/x", "write-system-file"),
    ("../../../../../../etc/x", "write-system-file"),
    ("/usr/local/bin/x", "write-system-file"),
    ("/proc/sys/kernel/core_pattern", "write-kernel-settings"),
    ("/srv/hermes/.env", "hermes-credentials"),
    ("/srv/hermes/config.yaml", "hermes-credentials"),
    ("/srv/hermes/auth.json", "hermes-credentials"),
    ("/srv/hermes/profiles/work/auth.json", "hermes-credentials"),
    ("/srv/x/../hermes/.env", "hermes-credentials"),
    ("/srv/hermes/SOUL.md", "write-hermes-instructions"),
    ("/srv/hermes/profiles/work/SOUL.md", "write-hermes-instructions"),
    ("/srv/hermes/skills/x/SKILL.md", ""),
    (".env", "write-project-settings"),
    ("app/.env.local", "write-project-settings"),
    ("/dev/sda", "write-raw-disk"),
    ("/proc/sysrq-trigger", "sysrq"),
    // Files whose names look like something to a shell.
    ("$HOME/.bashrc", ""),
    ("~ann/.bashrc", ""),
    ("a b;c", ""),
    ("`x`", ""),
    ("it's", ""),
    ("*", ""),
    ("{a,b}", ""),
];

#[test]
fn sensitive_files_are_asked_about() {
    for (path, rule) in PATHS {
        assert_eq!(judge_file_write(path, &context()).rule, *rule, "{path}");
    }
    assert_eq!(judge_file_write("/dev/sda", &context()).class, Class::Floor);
}

#[test]
fn a_file_tool_and_a_shell_agree() {
    for (path, _) in PATHS {
        let by_tool = file_write_findings(path, &context());
        let by_shell = judge(by_tool.text(), &context());
        let verdict = by_tool.verdict();
        assert_eq!((verdict.class, verdict.rule), (by_shell.class, by_shell.rule), "{path}: {}", by_tool.text());
        // And as a shell would be told it, with what a shell expands.
        if !path.contains(['$', ';', '`', '\'', '*', '{']) && !path.starts_with("~ann") {
            let typed = judge(&format!("echo x > {path}"), &context());
            assert_eq!((verdict.class, verdict.rule), (typed.class, typed.rule), "{path}");
        }
    }
}

/// What was allowed for the tool is what it would be for the shell, and for no other file.
#[test]
fn one_grant_covers_both_ways() {
    let write = file_write_findings("../.bashrc", &context());
    assert_eq!(write.text(), "> /home/ann/.bashrc");
    let mut session = AllowList::default();
    session.allow(narrowest(&write).unwrap());
    let none = AllowList::default();
    let allowed = Allowed { session: &session, permanent: &none };
    assert!(allowed.covers(&file_write_findings("~/.bashrc", &context())).is_some());
    assert!(allowed.covers(&findings("> /home/ann/.bashrc", &context())).is_some());
    assert!(allowed.covers(&file_write_findings("~/.zshrc", &context())).is_none());
}

#[test]
fn without_a_folder_or_a_home_it_does_as_a_shell_does() {
    for path in [".bashrc", "~/.bashrc", "/etc/hosts", "../etc/x", ""] {
        let verdict = judge_file_write(path, &Context::default());
        let typed = judge(&format!("> {path}"), &Context::default());
        if !path.is_empty() {
            assert_eq!(verdict.rule, typed.rule, "{path}");
        }
    }
}
