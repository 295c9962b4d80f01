//! What exactly was in the way of a refused operation: which file or folder on the
//! path, whose it is, its mode, and the command that mends it.
//!
//! "Permission denied" alone sends people looking at the wrong file: the one that
//! refuses is often a folder above it.

use std::fmt;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::account::Account;

/// The file or folder whose owner and mode refused an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    pub path: PathBuf,
    pub is_folder: bool,
    pub owner: Account,
    /// Permission bits, without the file's type.
    pub mode: u32,
    /// Who was refused.
    pub actor: Account,
}

/// What an operation needs the permission for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Opening the thing itself.
    Entry,
    /// Changing the list of entries in the folder that holds it.
    Folder,
}

impl Obstacle {
    /// Looks for it on the way to `path`; `None` if it cannot be made out.
    pub(super) fn find(path: &Path, need: Need) -> Option<Self> {
        let mut above = None;
        for ancestor in path.ancestors().collect::<Vec<_>>().into_iter().rev().skip_while(|a| a.as_os_str().is_empty())
        {
            match std::fs::metadata(ancestor) {
                Ok(_) => above = Some(ancestor),
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Self::of(above?),
                Err(_) => break,
            }
        }
        match need {
            Need::Entry if above == Some(path) => Self::of(path),
            Need::Entry | Need::Folder => Self::of(path.parent()?),
        }
    }

    fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        Some(Self {
            path: path.to_owned(),
            is_folder: metadata.is_dir(),
            owner: Account::of(metadata.uid()),
            mode: metadata.mode() & 0o7777,
            actor: Account::current(),
        })
    }

    /// The command that mends it.
    pub fn remedy(&self) -> String {
        let path = quoted(&self.path);
        if self.actor.is_root() {
            return format!("root is refused too: look at the mount options and at lsattr -d {path}");
        }
        if self.actor.uid == self.owner.uid {
            let bits = if self.is_folder { "u+rwx" } else { "u+rw" };
            return format!("chmod {bits} {path}");
        }
        format!("sudo chown {} {path}", self.actor.for_chown())
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_folder { "folder" } else { "file" };
        write!(
            formatter,
            "the {kind} {} belongs to {} with mode {:04o}, and this is {}",
            self.path.display(),
            self.owner,
            self.mode,
            self.actor
        )
    }
}

/// The path as one word of a shell command.
pub fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./-+@%:,=".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Account, Obstacle, quoted};

    fn account(uid: u32, name: &str) -> Account {
        Account { uid, name: Some(name.to_owned()) }
    }

    fn obstacle(owner: Account, actor: Account) -> Obstacle {
        Obstacle { path: PathBuf::from("/h/auth.json"), is_folder: false, owner, mode: 0o600, actor }
    }

    #[test]
    fn the_remedy_fits_owner_and_actor() {
        let (root, alice) = (account(0, "root"), account(1000, "alice"));
        let foreign = obstacle(root.clone(), alice.clone());
        assert_eq!(
            foreign.to_string(),
            "the file /h/auth.json belongs to root (uid 0) with mode 0600, and this is alice (uid 1000)"
        );
        assert_eq!(foreign.remedy(), "sudo chown alice /h/auth.json");
        assert_eq!(obstacle(alice.clone(), alice.clone()).remedy(), "chmod u+rw /h/auth.json");
        let folder = Obstacle { is_folder: true, ..obstacle(alice.clone(), alice.clone()) };
        assert_eq!(folder.remedy(), "chmod u+rwx /h/auth.json");
        assert!(obstacle(alice, root).remedy().contains("lsattr -d /h/auth.json"));
    }

    #[test]
    fn paths_are_quoted_for_a_shell() {
        for (path, expected) in
            [("/h/a.b-c", "/h/a.b-c"), ("/h/a b", "'/h/a b'"), ("/h/it's", r"'/h/it'\''s'"), ("-x", "'-x'"), ("", "''")]
        {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }
}
