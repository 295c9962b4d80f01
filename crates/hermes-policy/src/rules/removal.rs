//! Removal of files: refused for the root, system folders and homes, asked about
//! where it is recursive or names a place outside the working folder.

use super::{Rule, named};
use crate::Class::{Ask, Floor};
use crate::shell::glob::{self, Slash};
use crate::shell::{Field, Place, Simple, UNKNOWN};

const REMOVERS: &[&str] = &["rm", "unlink", "srm", "grm", "rmdir", "trash", "gio", "shred", "rimraf"];
const MOVERS: &[&str] = &["mv", "gmv"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "rm-root",
        description: "removes the root of the file system",
        class: Floor,
        on: named(REMOVERS, |command, place| {
            command.has_long("--no-preserve-root", 6) || targets(command, place).any(|path| is_root(&path))
        }),
        hits: &["rm -rf /", "rm -rf /*", "rm -r --no-preserve-root build", "cd / && rm -rf *", "rm -fr //", "rm / -rf"],
        misses: &["rm -rf ./", "rm -rf build", "echo rm -rf /"],
    },
    Rule {
        key: "rm-system-folder",
        description: "removes a folder of the system",
        class: Floor,
        on: named(REMOVERS, |command, place| targets(command, place).any(|path| is_system(&path))),
        hits: &["rm -rf /etc", "rm -rf /usr/*", "sudo rm -r /var/", "rm -rf /bo*", "cd /var && rm -rf ."],
        misses: &["rm -rf /etc/nginx", "rm -rf /var/tmp/build", "rm -rf /opt/app/cache"],
    },
    Rule {
        key: "rm-home",
        description: "removes a home folder",
        class: Floor,
        on: named(REMOVERS, |command, place| targets(command, place).any(|path| is_home(&path))),
        hits: &["rm -rf ~", "rm -rf $HOME/*", "rm -rf \"${HOME}\"", "rm -rf /home/ann", "cd && rm -rf *", "rm -rf ~/."],
        misses: &["rm -rf ~/project/build", "rm ~/notes.txt"],
    },
    Rule {
        key: "find-delete-system",
        description: "deletes everything below the root, a system folder or a home",
        class: Floor,
        on: named(&["find"], |command, place| {
            deletes(command) && !is_filtered(command) && roots(command, place).any(|path| is_protected(&path))
        }),
        hits: &["find / -delete", "find ~ -type f -delete", "find /etc -exec rm -rf {} +"],
        misses: &["find / -name '*.pyc' -delete", "find . -delete"],
    },
    Rule {
        key: "mv-system-folder",
        description: "moves the root, a system folder or a home away",
        class: Floor,
        on: named(MOVERS, |command, place| sources(command).any(|field| is_protected(&place.resolve(field, command)))),
        hits: &["mv / /dev/null", "mv /etc /tmp/x", "mv ~ /dev/null", "sudo mv /usr/* /mnt/backup"],
        misses: &["mv build /tmp", "mv ~/a ~/b"],
    },
    Rule {
        key: "xargs-rm",
        description: "removes files named by the output of another command",
        class: Ask,
        on: named(REMOVERS, |command, _| command.through.iter().any(|by| matches!(*by, "xargs" | "parallel"))),
        hits: &["git ls-files -d | xargs rm", "cat list | xargs -n1 rm -f"],
        misses: &["cat list | xargs ls", "echo xargs rm"],
    },
    Rule {
        key: "find-exec-rm",
        description: "removes every file that find finds",
        class: Ask,
        on: named(REMOVERS, |command, _| command.through.contains(&"find")),
        hits: &["find . -name '*.o' -exec rm {} \\;", "find . -type d -execdir rm -r {} +"],
        misses: &["find . -name '*.o' -exec ls {} +"],
    },
    Rule {
        key: "find-delete",
        description: "deletes every file that find finds",
        class: Ask,
        on: named(&["find"], |command, _| command.has(&["-delete"])),
        hits: &["find . -name '*.pyc' -delete", "find . -{delete,print}"],
        misses: &["find . -name delete", "find . -name '*.pyc'"],
    },
    Rule {
        key: "rm-recursive",
        description: "removes folders with everything in them",
        class: Ask,
        on: named(REMOVERS, |command, _| is_recursive(command)),
        hits: &["rm -rf node_modules", "rm build -r", "rm --recursive x", "rm -Rf dist", "\\rm -rf x", "rimraf dist"],
        misses: &["rm -f file", "rm -- -r", "rmdir empty"],
    },
    Rule {
        key: "rm-absolute",
        description: "removes a file by its absolute path",
        class: Ask,
        on: named(REMOVERS, |command, place| {
            command.name != "rmdir" && operands(command).any(|field| is_outside(field, command, place))
        }),
        hits: &["rm /srv/data.db", "rm -f /var/log/app.log", "rm ~/notes.txt", "rm ../../../etc/x /opt/y", "rm /tmp/*"],
        misses: &["rm file.txt", "rm -f /tmp/build.log", "rm -f \"$TMPDIR/x\" ./a b/c"],
    },
    Rule {
        key: "shred",
        description: "overwrites files so that they cannot be had back",
        class: Ask,
        on: named(&["shred", "srm", "wipe", "scrub"], |command, _| command.operands().next().is_some()),
        hits: &["shred -u secrets.txt", "wipe -f notes"],
        misses: &["shred --help"],
    },
    Rule {
        key: "erase-history",
        description: "erases the record of past commands",
        class: Ask,
        on: named(&["history"], |command, _| command.has_letter('c') || command.has_letter('w')),
        hits: &["history -c", "history -cw"],
        misses: &["history | tail", "history 20"],
    },
];

/// What would be removed.
fn operands(command: &Simple) -> impl Iterator<Item = &Field> {
    let skip = usize::from(command.name == "gio");
    command.operands().skip(skip)
}

fn targets(command: &Simple, place: &Place) -> impl Iterator<Item = String> {
    operands(command).map(move |field| place.resolve(field, command))
}

/// All operands but the last, which is where they go.
fn sources(command: &Simple) -> impl Iterator<Item = &Field> {
    let count = command.operands().count().saturating_sub(1);
    let all = if command.value_of("-t").is_some() { count + 1 } else { count };
    command.operands().take(all)
}

fn is_recursive(command: &Simple) -> bool {
    let letters = command.has_letter('r') || command.has_letter('R');
    let always = matches!(command.name.as_str(), "rimraf");
    always || (command.name != "rmdir" && command.name != "shred" && (letters || command.has_long("--recursive", 3)))
}

pub(super) fn is_protected(path: &str) -> bool {
    is_root(path) || is_system(path) || is_home(path)
}

/// The root itself, or everything in it.
pub(super) fn is_root(path: &str) -> bool {
    matches!(path, "/" | "/*" | "/.*" | "/**" | "/?*" | "/*/" | "/*/*" | "/.")
}

const SYSTEM: &[&str] = &[
    "/home",
    "/root",
    "/etc",
    "/usr",
    "/var",
    "/bin",
    "/sbin",
    "/boot",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/srv",
    "/dev",
    "/proc",
    "/sys",
    "/run",
    "/mnt",
    "/media",
    "/Users",
    "/System",
    "/Library",
    "/Applications",
    "/private",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local",
    "/usr/share",
    "/var/lib",
    "/var/log",
    "/nix",
    "/nix/store",
    "/private/etc",
    "/private/var",
];

pub(super) fn is_system(path: &str) -> bool {
    let folder = emptied(path);
    SYSTEM.iter().any(|system| {
        *system == folder || (folder.contains(['*', '?', '[']) && glob::matches(folder, system, Slash::Apart))
    })
}

pub(super) fn is_home(path: &str) -> bool {
    let folder = emptied(path);
    if folder == "~" {
        return true;
    }
    let user = folder.strip_prefix("/home/").or_else(|| folder.strip_prefix("/Users/"));
    user.is_some_and(|user| !user.is_empty() && !user.contains('/') && !user.contains(UNKNOWN) && user != "Shared")
}

/// `/etc/*` is all of `/etc`.
fn emptied(path: &str) -> &str {
    ["/*", "/.*", "/**", "/."]
        .iter()
        .find_map(|all| path.strip_suffix(all))
        .filter(|folder| !folder.is_empty())
        .unwrap_or(path)
}

fn deletes(command: &Simple) -> bool {
    let removes = |pair: &[Field]| {
        matches!(pair[0].text.as_str(), "-exec" | "-execdir")
            && matches!(pair[1].text.as_str(), "rm" | "/bin/rm" | "unlink" | "shred")
    };
    command.has(&["-delete"]) || command.arguments.windows(2).any(removes)
}

/// Something else than the kind of file narrows the search.
fn is_filtered(command: &Simple) -> bool {
    const TESTS: &[&str] = &[
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-regex",
        "-iregex",
        "-mtime",
        "-mmin",
        "-atime",
        "-amin",
        "-ctime",
        "-newer",
        "-size",
        "-empty",
        "-user",
        "-group",
        "-perm",
        "-nouser",
        "-nogroup",
        "-inum",
        "-samefile",
    ];
    command.has(TESTS)
}

fn roots(command: &Simple, place: &Place) -> impl Iterator<Item = String> {
    let words = command.arguments.iter().take_while(|field| !field.text.starts_with(['-', '(', '!']));
    words.map(move |field| place.resolve(field, command))
}

/// An absolute path that is not one file in a folder for temporary ones.
fn is_outside(field: &Field, command: &Simple, place: &Place) -> bool {
    if !field.text.starts_with(['/', '~']) {
        return false;
    }
    let path = place.resolve(field, command);
    let temporary = ["/tmp/", "/var/tmp/", "/private/tmp/", "/dev/shm/"].iter().any(|folder| path.starts_with(folder));
    !temporary || field.pattern
}
