//! Who a number is: accounts by name, read from `/etc/passwd`.
//!
//! The binary is static, and glibc's own lookup loads shared objects at run time;
//! so the file is parsed here. An account kept elsewhere (LDAP) shows its number.

use std::fmt;

use rustix::fs::Uid;
use rustix::process::geteuid;

const PASSWD: &str = "/etc/passwd";

/// An owner of files or processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub uid: u32,
    pub name: Option<String>,
}

impl Account {
    /// The account of this number.
    pub fn of(uid: u32) -> Self {
        // Without the file the number has to do.
        let passwd = std::fs::read(PASSWD).unwrap_or_default();
        Self { uid, name: name_in(&String::from_utf8_lossy(&passwd), uid) }
    }

    /// The account this thread acts as.
    pub fn current() -> Self {
        Self::of(geteuid().as_raw())
    }

    pub fn is_root(&self) -> bool {
        self.uid == Uid::ROOT.as_raw()
    }

    /// How `chown` is told about it.
    pub(super) fn for_chown(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.uid.to_string())
    }
}

impl fmt::Display for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(formatter, "{name} (uid {})", self.uid),
            None => write!(formatter, "uid {}", self.uid),
        }
    }
}

/// The first name that this passwd text gives to the number.
fn name_in(passwd: &str, uid: u32) -> Option<String> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        let number = fields.nth(1)?.parse::<u32>().ok()?;
        (number == uid).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::{Account, name_in};

    #[test]
    fn names_are_found_by_number() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\n\n#note\n+::::::\n:x:7:7::/:\nbroken:x\nodd:x:abc:1::/:\n\
                      alice:x:1000:1000:Alice,,,:/home/alice:/bin/sh\nagain:x:1000:1::/:\nlast:x:4294967294:1::/:";
        for (uid, expected) in
            [(0, Some("root")), (1000, Some("alice")), (4_294_967_294, Some("last")), (1, None), (7, None)]
        {
            assert_eq!(name_in(passwd, uid).as_deref(), expected, "{uid}");
        }
        assert_eq!(name_in("", 0), None);
    }

    #[test]
    fn an_account_is_shown_with_its_number() {
        assert_eq!(Account { uid: 5, name: Some("games".to_owned()) }.to_string(), "games (uid 5)");
        assert_eq!(Account { uid: 5, name: None }.to_string(), "uid 5");
        assert_eq!(Account { uid: 5, name: None }.for_chown(), "5");
    }
}
