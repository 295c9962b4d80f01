//! How the original wrote a rule into `command_allowlist`: by its description.
//!
//! Only those are here whose rule of ours asks. What is refused always cannot be allowed.

/// The key of the rule that an old entry means.
pub(super) fn key(entry: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(text, _)| *text == entry).map(|(_, key)| *key)
}

pub(super) const ALIASES: &[(&str, &str)] = &[
    ("delete in root path", "rm-absolute"),
    ("recursive delete", "rm-recursive"),
    ("recursive delete (long flag)", "rm-recursive"),
    ("xargs with rm", "xargs-rm"),
    ("find -exec rm", "find-exec-rm"),
    ("find -exec/-execdir rm", "find-exec-rm"),
    ("find -delete", "find-delete"),
    ("world/other-writable permissions", "open-permissions"),
    ("recursive world/other-writable (long flag)", "open-permissions"),
    ("recursive chown to root", "chown-recursive-root"),
    ("recursive chown to root (long flag)", "chown-recursive-root"),
    ("disk copy", "dd"),
    ("SQL DROP", "sql-drop"),
    ("SQL TRUNCATE", "sql-drop"),
    ("SQL DELETE without WHERE", "sql-delete-all"),
    ("overwrite system config", "write-system-file"),
    ("overwrite system file via tee", "write-system-file"),
    ("overwrite system file via redirection", "write-system-file"),
    ("copy/move file into /etc/", "write-system-file"),
    ("in-place edit of system config", "write-system-file"),
    ("in-place edit of system config (long flag)", "write-system-file"),
    ("overwrite project env/config via tee", "write-project-settings"),
    ("overwrite project env/config via redirection", "write-project-settings"),
    ("overwrite project env/config file", "write-project-settings"),
    ("stop/restart system service", "stop-service"),
    ("stop/disable system service", "stop-service"),
    ("force kill processes", "kill-by-name-hard"),
    ("kill hermes/gateway process (self-termination)", "kill-hermes"),
    ("kill process via pgrep expansion (self-termination)", "kill-found"),
    ("kill process via backtick pgrep expansion (self-termination)", "kill-found"),
    ("shell command via -c/-lc flag", "shell-command"),
    ("script execution via -e/-c flag", "interpreter-code"),
    ("script execution via heredoc", "interpreter-input"),
    ("pipe remote content to shell", "download-to-shell"),
    ("execute remote script via process substitution", "download-to-shell"),
    ("chmod +x followed by immediate execution", "new-program-run-at-once"),
    ("git reset --hard (destroys uncommitted changes)", "git-reset-hard"),
    ("git force push (rewrites remote history)", "git-push-force"),
    ("git force push short flag (rewrites remote history)", "git-push-force"),
    ("git clean with force (deletes untracked files)", "git-clean"),
    ("git branch force delete", "git-branch-delete"),
    ("docker compose restart/stop/kill/down (container lifecycle)", "container-stop"),
    ("docker restart/stop/kill (container lifecycle)", "container-stop"),
    ("stop/restart hermes gateway (kills running agents)", "hermes-gateway-stop"),
    ("hermes update (restarts gateway, kills running agents)", "hermes-update"),
];
