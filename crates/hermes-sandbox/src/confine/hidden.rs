//! Where secrets and the reins of other programs usually lie.
//!
//! A list like this is never complete; that is why it only adds to what the caller
//! knows (its own home) and why the rest of the system is at least not writable.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Below the user's home: keys, tokens, password stores, browser profiles, histories.
const IN_HOME: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".pgpass",
    ".my.cnf",
    ".authinfo",
    ".authinfo.gpg",
    ".git-credentials",
    ".pypirc",
    ".vault-token",
    ".terraform.d/credentials.tfrc.json",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/containers/auth.json",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".config/keepassxc",
    ".config/Bitwarden",
    ".config/1Password",
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".var/app",
    "snap",
    ".Xauthority",
    ".ICEauthority",
    ".bash_history",
    ".zsh_history",
    ".psql_history",
    ".mysql_history",
];

/// Sockets through which other programs are told what to do, most of them with root's rights.
const CONTROL: &[&str] = &[
    "/run/docker.sock",
    "/run/docker",
    "/run/containerd",
    "/run/podman",
    "/run/crio",
    "/run/k3s",
    "/run/libvirt",
    "/run/dbus",
    "/run/systemd/private",
    "/run/systemd/io.system.ManagedOOM",
    "/run/snapd.socket",
    "/run/snapd-snap.socket",
    "/run/user",
    "/run/s6",
    "/var/snap/lxd/common/lxd/unix.socket",
    "/var/lib/lxd/unix.socket",
    "/var/lib/incus/unix.socket",
];

/// Files that their modes keep from everybody but root, who is an ordinary user inside.
const OF_ROOT: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/wireguard",
    "/etc/kubernetes",
    "/etc/NetworkManager/system-connections",
    "/var/backups",
    "/var/spool/cron",
    "/var/lib/docker",
    "/var/lib/containers",
    "/var/lib/kubelet",
    "/var/lib/sss",
    "/var/lib/systemd/random-seed",
];

/// Everybody from here on is a person; below are accounts of services.
const FIRST_PERSON: u32 = 1000;
const NOBODY: u32 = 65534;

/// The places that should be hidden from whatever runs for the user `uid`, whose home is
/// `home_of_user`. Names that do not exist are among them.
pub fn default_hidden(home_of_user: &Path, uid: u32) -> Vec<PathBuf> {
    let mut hidden: BTreeSet<PathBuf> = IN_HOME.iter().map(|name| home_of_user.join(name)).collect();
    hidden.extend(CONTROL.iter().map(PathBuf::from));
    if uid == 0 {
        hidden.extend(OF_ROOT.iter().map(PathBuf::from));
    }
    // Without the list of accounts there is still /home.
    let accounts = fs::read_to_string("/etc/passwd").unwrap_or_default();
    hidden.extend(other_homes(home_of_user, uid, &accounts, folders_in(Path::new("/home"))));
    hidden.into_iter().collect()
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).collect()
}

fn other_homes(own: &Path, uid: u32, accounts: &str, more: Vec<PathBuf>) -> impl Iterator<Item = PathBuf> {
    let of_accounts = accounts.lines().filter_map(move |line| home_of_person(line, uid));
    let own = own.to_owned();
    // A home around ours cannot be hidden without ours, nor can the root.
    of_accounts.chain(more).filter(move |home| !own.starts_with(home) && !home.starts_with(&own))
}

/// The home in a line of `/etc/passwd`, if it belongs to another person or to root.
fn home_of_person(line: &str, uid: u32) -> Option<PathBuf> {
    let mut fields = line.split(':').skip(2);
    let account: u32 = fields.next()?.parse().ok()?;
    let home = PathBuf::from(fields.nth(2)?);
    let is_person = account == 0 || (account >= FIRST_PERSON && account != NOBODY);
    (is_person && account != uid && home.is_absolute()).then_some(home)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{default_hidden, other_homes};

    const ACCOUNTS: &str = "root:x:0:0:root:/root:/bin/bash\n\
        daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n\
        ann:x:1000:1000::/home/ann:/bin/bash\n\
        ben:x:1001:1001::/srv/ben:/bin/bash\n\
        rooted:x:1002:1002::/:/bin/bash\n\
        nobody:x:65534:65534::/nonexistent:/bin/false\n\
        broken\n";

    fn check(own: &str, uid: u32, expected: &[&str]) {
        let more = vec![PathBuf::from("/home/ann"), PathBuf::from("/home/kim")];
        let mut found: Vec<_> = other_homes(Path::new(own), uid, ACCOUNTS, more).collect();
        found.sort();
        found.dedup();
        assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{own}");
    }

    #[test]
    fn other_peoples_homes_are_found_and_ours_is_not() {
        check("/home/ann", 1000, &["/home/kim", "/root", "/srv/ben"]);
        check("/root", 0, &["/home/ann", "/home/kim", "/srv/ben"]);
        check("/srv/ben", 1001, &["/home/ann", "/home/kim", "/root"]);
        check("/home/kim/nested", 7, &["/home/ann", "/root", "/srv/ben"]);
    }

    #[test]
    fn what_only_root_could_read_is_hidden_from_root() {
        let hides = |uid, path: &str| default_hidden(Path::new("/root"), uid).contains(&PathBuf::from(path));
        assert!(hides(0, "/etc/shadow"));
        assert!(!hides(1000, "/etc/shadow"));
        assert!(hides(0, "/root/.ssh") && hides(1000, "/run/docker.sock"));
    }
}
