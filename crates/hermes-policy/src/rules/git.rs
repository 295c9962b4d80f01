//! Git commands after which work or history is gone.

use super::{Rule, named};
use crate::Class::Ask;
use crate::shell::Simple;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "git-reset-hard",
        description: "throws away uncommitted changes",
        class: Ask,
        on: named(&["git"], |command, _| match verb(command) {
            Some("reset") => command.has_long("--hard", 4) || command.has_long("--merge", 4),
            Some("checkout" | "restore") => {
                let staged_only = command.has(&["--staged", "-S"]) && !command.has(&["--worktree", "-W"]);
                !staged_only
                    && (rest(command).any(|text| matches!(text, "." | ":/" | "*" | "./"))
                        || (verb(command) == Some("checkout") && command.has(&["-f", "--force"])))
            }
            _ => false,
        }),
        hits: &[
            "git reset --hard",
            "git -C repo reset --hard HEAD~3",
            "git reset --har",
            "git checkout -- .",
            "git restore .",
        ],
        misses: &[
            "git reset HEAD file",
            "git reset --soft HEAD~1",
            "git checkout main",
            "git restore --staged .",
            "git log --grep='reset --hard'",
        ],
    },
    Rule {
        key: "git-push-force",
        description: "overwrites or deletes history on the remote",
        class: Ask,
        on: named(&["git"], |command, _| {
            verb(command) == Some("push")
                && (command.has_letter('f')
                    || command.has_letter('d')
                    || ["--force", "--force-with-lease", "--delete", "--mirror", "--prune"]
                        .iter()
                        .any(|flag| command.has_long(flag, 5))
                    || rest(command).skip(1).any(|text| text.starts_with(['+', ':'])))
        }),
        hits: &[
            "git push --force",
            "git push -f origin main",
            "git push --force-with-lease",
            "git push origin +main",
            "git push origin :old",
            "git push --forc",
            "git push -uf o m",
        ],
        misses: &["git push", "git push -u origin main", "git push --tags", "git push --follow-tags"],
    },
    Rule {
        key: "git-clean",
        description: "removes files that git does not know",
        class: Ask,
        on: named(&["git"], |command, _| {
            verb(command) == Some("clean")
                && (command.has_letter('f') || command.has_long("--force", 4))
                && !command.has_letter('n')
                && !command.has_long("--dry-run", 5)
        }),
        hits: &["git clean -fd", "git clean -xdf", "git clean --force"],
        misses: &["git clean -n", "git clean -ndx", "make clean -f x"],
    },
    Rule {
        key: "git-branch-delete",
        description: "deletes a branch whether it was merged or not",
        class: Ask,
        on: named(&["git"], |command, _| {
            let delete = command.has_letter('d') || command.has_long("--delete", 5);
            let force = command.has_letter('f') || command.has_long("--force", 4);
            verb(command) == Some("branch") && (command.has_letter('D') || (delete && force))
        }),
        hits: &["git branch -D old", "git branch -d -f old", "git branch --delete --force old"],
        misses: &["git branch -d merged", "git branch --list", "git branch -a"],
    },
    Rule {
        key: "git-history-loss",
        description: "rewrites or forgets history of this repository",
        class: Ask,
        on: named(&["git", "git-filter-repo", "bfg"], |command, _| match verb(command) {
            _ if command.name != "git" => true,
            Some("filter-branch" | "filter-repo") => true,
            Some("reflog") => command.has(&["expire", "delete"]),
            Some("gc") => command
                .texts()
                .any(|text| text == "--prune=now" || text == "--prune=all" || text == "--aggressive=prune"),
            Some("update-ref") => command.has(&["-d"]),
            Some("stash") => command.has(&["drop", "clear"]),
            Some("worktree") => command.has(&["remove"]) && command.has(&["-f", "--force"]),
            Some("prune") => true,
            _ => false,
        }),
        hits: &[
            "git filter-branch --all",
            "git reflog expire --expire=now --all",
            "git stash drop",
            "git stash clear",
            "git gc --prune=now",
            "git update-ref -d refs/heads/x",
        ],
        misses: &["git stash", "git stash pop", "git reflog", "git gc", "git rebase main"],
    },
];

/// The subcommand, past git's own options.
fn verb(command: &Simple) -> Option<&str> {
    words(command).next()
}

fn rest(command: &Simple) -> impl Iterator<Item = &str> {
    words(command).skip(1)
}

fn words(command: &Simple) -> impl Iterator<Item = &str> {
    let mut skip = false;
    let mut seen = false;
    command.texts().filter(move |text| {
        if std::mem::take(&mut skip) {
            return false;
        }
        if text.starts_with('-') {
            skip = !seen && matches!(*text, "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path");
            return false;
        }
        seen = true;
        true
    })
}
