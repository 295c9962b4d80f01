//! Which files of a home belong in an archive.
//!
//! An archive is made to be given away or kept for years. Credentials must not be
//! in it by accident, and a process id or a lock from another machine would tell
//! the next one a lie.

use std::path::Path;

/// What a file of a home is to an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Settings and memory: what an archive is for.
    Content,
    /// Credentials, and folders that hold copies of them.
    Secret,
    /// True only of the process or the machine at hand.
    Runtime,
    /// The other homes of a root.
    OtherHomes,
}

const SECRET_FILES: [&str; 2] = [".env", "auth.json"];
const SECRET_FOLDERS: [&str; 4] = ["backups", "mcp-tokens", "proxy", "state-snapshots"];
const RUNTIME_FOLDERS: [&str; 3] = ["cache", "logs", "sandboxes"];
const RUNTIME_FILES: [&str; 4] = ["gateway_intent.json", "gateway_state.json", "processes.json", "runtime_status.json"];
const RUNTIME_ENDINGS: [&str; 3] = [".lock", ".pid", ".sock"];
/// Folders that the program itself locks files in. A `.lock` in a skill or in the
/// workspace is somebody's content.
const STATE_FOLDERS: [&str; 6] = ["checkpoints", "cron", "kanban", "memories", "pairing", "sessions"];
/// The marks of a new content that is being written; see [`crate::files`].
const TEMPORARY: (&str, &str) = (".hermes-", ".tmp");
/// Rebuilt by SQLite from the database and its `-wal`, which is kept.
const SHARED_MEMORY_ENDING: &str = ".db-shm";
const OTHER_HOMES: [&str; 2] = ["active_profile", "profiles"];

/// The class of a path below a home.
pub(super) fn class(relative: &Path) -> Class {
    let mut components = relative.components().map(|component| component.as_os_str().to_string_lossy());
    let (Some(top), rest) = (components.next(), components.next_back()) else {
        return Class::Content;
    };
    let name = rest.as_deref().unwrap_or(&top);
    let is_top = rest.is_none();
    let is_state = is_top || STATE_FOLDERS.contains(&&*top);
    if OTHER_HOMES.contains(&&*top) {
        Class::OtherHomes
    } else if SECRET_FOLDERS.contains(&&*top) || (is_top && is_secret_file(name)) {
        Class::Secret
    } else if RUNTIME_FOLDERS.contains(&&*top)
        || (is_top && RUNTIME_FILES.contains(&name))
        || (is_state && RUNTIME_ENDINGS.iter().any(|ending| name.ends_with(ending)))
        || name.ends_with(SHARED_MEMORY_ENDING)
        || is_temporary(name)
    {
        Class::Runtime
    } else {
        Class::Content
    }
}

fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.contains(TEMPORARY.0) && name.ends_with(TEMPORARY.1)
}

/// A credential file or a copy of one, such as `auth.json.bak`.
fn is_secret_file(name: &str) -> bool {
    SECRET_FILES.iter().any(|secret| {
        name.strip_prefix(secret).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '~', '-', '_']))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Class, class};

    #[test]
    fn files_are_classed_by_their_place_in_the_home() {
        let check = |path: &str, expected: Class| assert_eq!(class(Path::new(path)), expected, "{path}");
        for path in ["config.yaml", "SOUL.md", "state.db", "state.db-wal", "skills/x/uv.lock", "sessions/a.jsonl"] {
            check(path, Class::Content);
        }
        for path in ["workspace/.env", "skills/x/auth.json", "skills/logs/a", "memories/cache/a", "environment"] {
            check(path, Class::Content);
        }
        for path in [".env", "auth.json", "auth.json.bak", ".env.old", "mcp-tokens/x/y", "proxy", "backups/1.zip"] {
            check(path, Class::Secret);
        }
        for path in ["gateway.lock", "gateway.pid", "gateway.sock", "auth.lock", "cron/.tick.lock", "logs", "cache/x"] {
            check(path, Class::Runtime);
        }
        for path in [
            "gateway_state.json",
            "state.db-shm",
            "cron/executions.db-shm",
            "sandboxes/docker/t/f",
            ".auth.json.hermes-0123456789abcdef.tmp",
        ] {
            check(path, Class::Runtime);
        }
        for path in ["profiles", "profiles/a/config.yaml", "active_profile"] {
            check(path, Class::OtherHomes);
        }
    }
}
