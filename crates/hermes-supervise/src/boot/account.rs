//! Which numbers the user hermes has: those of the image, or those that the operator asks for so
//! that files of a mounted folder belong to the right person.
//!
//! The accounts are files that are read and written here: the binary is static, and usermod would
//! walk through the home to change the owner of everything it finds.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use hermes_proto::HostEnvironment;
use hermes_sandbox::privilege::{Identity, PrivilegeError};

use crate::places::{ACCOUNT, USER};

const PASSWD: &str = "/etc/passwd";
const GROUP: &str = "/etc/group";
/// What root may be asked to become somebody with.
const LARGEST: u32 = 65_534;

/// The numbers of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    pub uid: u32,
    pub gid: u32,
}

/// Why it is not known who hermes is.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    #[error("there is no user {USER} in {PASSWD}")]
    Unknown,
    #[error("cannot read {PASSWD}: {0}")]
    Read(io::Error),
    #[error(transparent)]
    Privilege(#[from] PrivilegeError),
}

impl Account {
    /// The account as it is now: as changed at boot, else as the image has it.
    pub fn current() -> Result<Self, AccountError> {
        if let Some(changed) = noted(Path::new(ACCOUNT)) {
            return Ok(changed);
        }
        let passwd = std::fs::read_to_string(PASSWD).map_err(AccountError::Read)?;
        in_passwd(&passwd).ok_or(AccountError::Unknown)
    }

    /// What the operator asks for; anything that is not a usable number is no request.
    #[must_use]
    pub fn asked(self, environment: &HostEnvironment) -> Self {
        let number = |names: [&str; 2]| names.iter().find_map(|name| usable(environment.text(name)?));
        Self {
            uid: number(["HERMES_UID", "PUID"]).unwrap_or(self.uid),
            gid: number(["HERMES_GID", "PGID"]).unwrap_or(self.gid),
        }
    }

    /// With the groups that the image gives it.
    pub fn identity(self) -> Result<Identity, AccountError> {
        let groups = std::fs::read_to_string(GROUP).unwrap_or_default();
        Ok(Identity::new(self.uid, self.gid, groups_of(&groups))?)
    }

    /// Makes these the numbers of the user, as root. On a read-only root file system the accounts
    /// stay as they are and only the note for later calls changes.
    pub fn write(self) -> Vec<String> {
        let mut problems = Vec::new();
        for (path, change) in
            [(PASSWD, Self::in_passwd_line as fn(Self, &str) -> Option<String>), (GROUP, Self::in_group_line)]
        {
            if let Err(error) = self.rewrite(Path::new(path), change) {
                problems.push(format!(
                    "{path} cannot be changed, `docker exec --user {USER}` has the old numbers: {error}"
                ));
            }
        }
        let note = format!("{}:{}\n", self.uid, self.gid);
        if let Err(error) = write_note(Path::new(ACCOUNT), &note) {
            problems.push(format!("{ACCOUNT}: {error}"));
        }
        problems
    }

    fn rewrite(self, path: &Path, change: fn(Self, &str) -> Option<String>) -> io::Result<()> {
        let text = std::fs::read_to_string(path)?;
        let lines = text.lines().map(|line| change(self, line).unwrap_or_else(|| line.to_owned()) + "\n");
        let changed: String = lines.collect();
        // In place: the file may be a mount of its own, which cannot be replaced.
        if changed == text { Ok(()) } else { std::fs::write(path, changed) }
    }

    fn in_passwd_line(self, line: &str) -> Option<String> {
        let mut fields: Vec<&str> = line.split(':').collect();
        let (uid, gid) = (self.uid.to_string(), self.gid.to_string());
        if fields.len() < 4 || fields[0] != USER {
            return None;
        }
        fields[2] = &uid;
        fields[3] = &gid;
        Some(fields.join(":"))
    }

    fn in_group_line(self, line: &str) -> Option<String> {
        let mut fields: Vec<&str> = line.split(':').collect();
        let gid = self.gid.to_string();
        if fields.len() < 3 || fields[0] != USER {
            return None;
        }
        fields[2] = &gid;
        Some(fields.join(":"))
    }
}

/// Digits only, from 1 to the last ordinary number.
fn usable(text: &str) -> Option<u32> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|number| (1..=LARGEST).contains(number))
}

/// What root noted at boot. In a container that was never root, /run may be anybody's to write.
fn noted(path: &Path) -> Option<Account> {
    let is_roots = path.symlink_metadata().is_ok_and(|note| note.is_file() && note.uid() == 0);
    is_roots.then(|| std::fs::read_to_string(path).ok())?.as_deref().and_then(parse_pair)
}

fn parse_pair(text: &str) -> Option<Account> {
    let (uid, gid) = text.trim().split_once(':')?;
    Some(Account { uid: usable(uid)?, gid: usable(gid)? })
}

fn in_passwd(passwd: &str) -> Option<Account> {
    let fields: Vec<&str> =
        passwd.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|line| line[0] == USER)?;
    Some(Account { uid: fields.get(2)?.parse().ok()?, gid: fields.get(3)?.parse().ok()? })
}

/// The groups that name the user as a member.
fn groups_of(group: &str) -> Vec<u32> {
    let number = |line: &str| {
        let fields: Vec<&str> = line.split(':').collect();
        fields.get(3)?.split(',').any(|member| member == USER).then(|| fields[2].parse().ok())?
    };
    group.lines().filter_map(number).collect()
}

fn write_note(path: &Path, note: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, note)
}

#[cfg(test)]
mod tests {
    use hermes_proto::HostEnvironment;

    use super::{Account, groups_of, in_passwd, parse_pair};

    const IMAGE: Account = Account { uid: 10_000, gid: 10_000 };

    #[test]
    fn only_usable_numbers_are_a_request() {
        let check = |pairs: &[(&str, &str)], uid, gid| {
            let environment = HostEnvironment::from_pairs(pairs.iter().copied());
            assert_eq!(IMAGE.asked(&environment), Account { uid, gid }, "{pairs:?}");
        };
        check(&[], 10_000, 10_000);
        check(&[("PUID", "1000"), ("PGID", "100")], 1000, 100);
        check(&[("PUID", "1000"), ("HERMES_UID", "99")], 99, 10_000);
        check(&[("HERMES_UID", "x"), ("PUID", "7")], 7, 10_000);
        for bad in ["0", "-1", "+5", " 5", "5 ", "65535", "4294967296", "root", "", "1e3", "٣"] {
            check(&[("HERMES_UID", bad), ("HERMES_GID", bad)], 10_000, 10_000);
        }
    }

    #[test]
    fn the_accounts_of_the_image_are_read_and_changed() {
        let passwd =
            "root:x:0:0::/root:/bin/sh\nhermes:x:10000:10001:Hermes:/opt/data:/bin/bash\nhermes2:x:7:7::/:/x\n";
        assert_eq!(in_passwd(passwd), Some(Account { uid: 10_000, gid: 10_001 }));
        assert_eq!(in_passwd("hermes:x\n"), None);
        let to = Account { uid: 5, gid: 6 };
        assert_eq!(to.in_passwd_line("hermes:x:1:2:H:/d:/s").as_deref(), Some("hermes:x:5:6:H:/d:/s"));
        assert_eq!(to.in_passwd_line("hermes2:x:1:2:H:/d:/s"), None);
        assert_eq!(to.in_group_line("hermes:x:1:a,b").as_deref(), Some("hermes:x:6:a,b"));
        assert_eq!(groups_of("a:x:1:hermes\nb:x:2:x,hermes,y\nc:x:3:hermes2\nd:x:4:\nbroken\n"), [1, 2]);
    }

    #[test]
    fn a_note_that_would_keep_root_is_none() {
        assert_eq!(parse_pair("1000:100\n"), Some(Account { uid: 1000, gid: 100 }));
        for bad in ["0:0", "0:5", "5:0", "5", "", "a:b", "-1:5"] {
            assert_eq!(parse_pair(bad), None, "{bad}");
        }
    }
}
