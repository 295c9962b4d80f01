//! `sudo`: whether it is told to read a password, and how Hermes gives it one.
//!
//! Hazard: a password on the input of a shell is read by whatever reads first. A text is only
//! rewritten where every program in it that could read that input is sudo, and sudo surely reads
//! its line: it is told to forget earlier passwords (`-k`), so none is left over for the next.

use crate::shell::{self, Event, Feed, Place, Simple};
use crate::{Context, Findings, findings};

/// How a text uses sudo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SudoUse {
    NotAtAll,
    /// As people type it.
    Plain,
    /// With `-S`: it takes a password from its input.
    ReadsPassword,
}

/// A text whose sudos read their passwords from the shell's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    pub text: String,
    /// How many lines with the password it reads at most.
    pub prompts: usize,
}

/// What follows each sudo that is given a password.
const OPTIONS: &str = " -k -S -p ''";

/// How a text uses sudo, wherever it stands in it.
pub fn sudo_use(text: &str, context: &Context) -> SudoUse {
    let place = Place::new(context);
    let mut found = SudoUse::NotAtAll;
    for event in shell::read(text, &place) {
        match event {
            Event::Command(command) if command.name == "sudo" => {
                if reads_password(&command) {
                    return SudoUse::ReadsPassword;
                }
                found = SudoUse::Plain;
            }
            Event::Command(_) | Event::Trouble(..) => {}
        }
    }
    found
}

/// The same text with `sudo -k -S -p ''` for every sudo. Nothing where there is none, where it was
/// done already, and where it is not certain that nothing but sudo would read the password.
pub fn with_password_on_stdin(text: &str, context: &Context) -> Option<Rewritten> {
    if text.contains(['\0', '\r']) {
        return None;
    }
    let places = shell::places_of("sudo", text).filter(|places| !places.is_empty())?;
    let findings = findings(text, context);
    let counted = count_certain(&findings)?;
    if counted != places.len() {
        return None;
    }
    let letters: Vec<char> = text.chars().collect();
    let mut rewritten = String::with_capacity(text.len() + places.len() * OPTIONS.len());
    let mut from = 0;
    for place in places {
        let end = place.checked_add("sudo".len())?;
        if !letters.get(place..end)?.iter().copied().eq("sudo".chars()) || place < from {
            return None;
        }
        rewritten.extend(&letters[from..end]);
        rewritten.push_str(OPTIONS);
        from = end;
    }
    rewritten.extend(&letters[from..]);
    Some(Rewritten { text: rewritten, prompts: counted })
}

/// How many sudos there are, if each reads the shell's own input and nothing else does.
fn count_certain(findings: &Findings) -> Option<usize> {
    let (mut count, mut inside_reads) = (0, false);
    for event in &findings.events {
        let Event::Command(command) = event else { return None };
        let by_sudo = command.through.contains(&"sudo");
        match command.name.as_str() {
            "sudo" if !by_sudo && takes_password(command) => count += 1,
            "sudo" => return None,
            _ if leaves_input_alone(command) => {}
            _ if by_sudo => inside_reads |= !leaves_input_to_others(command),
            _ => return None,
        }
    }
    // A single sudo took the only line. Of several, one may be passed over (`false && sudo …`), and
    // what another one runs would find its line.
    (count <= 1 || !inside_reads).then_some(count)
}

/// Whether a command cannot come by what is on the shell's input: not by reading its own, and not
/// by opening the shell's.
fn leaves_input_alone(command: &Simple) -> bool {
    let opens = command.redirects.iter().any(|redirect| !redirect.writes);
    let is_quiet = QUIET.contains(&command.name.as_str());
    let is_fed = matches!(command.feed, Feed::Document(_) | Feed::Pipe { .. });
    let is_filter = FILTERS.contains(&command.name.as_str()) && is_fed && reads_files_only(command);
    !opens && (is_quiet || is_filter)
}

fn reads_files_only(command: &Simple) -> bool {
    let is_device = |text: &str| ["/dev", "/proc", "/sys"].iter().any(|folder| text.contains(folder));
    command.arguments.iter().all(|field| field.is_known() && !field.pattern && !is_device(&field.text))
}

/// Whether a program that sudo runs has no use for its input. Words that name a file, set an option
/// or run a hook may give it one.
fn leaves_input_to_others(command: &Simple) -> bool {
    let is_word = |text: &str| {
        let letters = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+-_:".contains(&byte));
        letters && !["-o", "-c", "--o", "--c"].iter().any(|option| text.starts_with(option))
    };
    let has_words = command.arguments.iter().all(|field| field.is_known() && !field.pattern && is_word(&field.text));
    match command.name.as_str() {
        name if PACKAGES.contains(&name) => has_words,
        name if SYSTEM_TOOLS.contains(&name) => reads_files_only(command),
        _ => false,
    }
}

/// Programs whose plain use by package or service name reads nothing.
const PACKAGES: &[&str] = &["apt", "apt-get", "dnf", "yum", "apk", "systemctl", "service"];

/// Programs that work on the files they are told.
const SYSTEM_TOOLS: &[&str] = &["chmod", "chown", "chgrp", "cp", "mv", "ln", "rm", "install", "useradd", "usermod"];

/// Programs that never read, and change nothing about what `sudo` means. A bare redirect is one.
const QUIET: &[&str] = &[
    "", "echo", "printf", "cd", "pwd", "true", "false", ":", "test", "[", "ls", "mkdir", "sleep", "whoami", "id",
    "uname", "hostname", "which", "date", "touch", "df", "du", "ps", "free", "uptime", "stat",
];

/// Programs that read what they are fed and the files they are told.
const FILTERS: &[&str] = &["cat", "grep", "head", "tail", "wc", "sort", "uniq", "cut", "tr"];

fn takes_password(sudo: &Simple) -> bool {
    let is_plain = sudo.through.is_empty() && sudo.variables.is_empty() && sudo.program == "sudo" && !sudo.background;
    let has_input = matches!(sudo.feed, Feed::Nothing) && sudo.redirects.iter().all(|redirect| redirect.writes);
    let options = options(sudo);
    is_plain
        && has_input
        && !options.others
        && !options.letters.contains(['S', 's', 'i', 'A', 'a', 'n', 'K', 'b', 'e', 'h', 'V'])
}

/// Whether this sudo reads a password from its input.
pub(crate) fn reads_password(sudo: &Simple) -> bool {
    options(sudo).letters.contains('S')
}

/// Whether it gets its password, or what it runs, from elsewhere than a terminal and its arguments.
pub(crate) fn asks_otherwise(sudo: &Simple) -> bool {
    options(sudo).letters.contains(['S', 's', 'A', 'a', 'i'])
}

/// What sudo itself is told; the options of what it runs are not among it.
#[derive(Debug, Default)]
struct Options {
    /// Short options, and long ones by their short form.
    letters: String,
    /// Options that are not known here.
    others: bool,
}

/// Letters of options with a value.
const VALUED: &str = "ughpCrtTUDRca";

/// Long options, from how many characters on they are unmistakable, and their letter.
const LONG: &[(&str, usize, char)] = &[
    ("--stdin", 4, 'S'),
    ("--askpass", 3, 'A'),
    ("--shell", 4, 's'),
    ("--login", 4, 'i'),
    ("--non-interactive", 5, 'n'),
    ("--background", 3, 'b'),
    ("--edit", 3, 'e'),
    ("--remove-timestamp", 5, 'K'),
    ("--reset-timestamp", 5, 'k'),
    ("--set-home", 4, 'H'),
    ("--preserve-env", 11, 'E'),
    ("--validate", 4, 'v'),
    ("--user", 4, 'u'),
    ("--group", 3, 'g'),
    ("--prompt", 5, 'p'),
    ("--chdir", 4, 'D'),
    ("--host", 4, 'h'),
    ("--chroot", 4, 'R'),
    ("--close-from", 4, 'C'),
    ("--other-user", 3, 'U'),
    ("--role", 4, 'r'),
    ("--type", 4, 't'),
    ("--command-timeout", 4, 'T'),
    ("--help", 4, 'h'),
    ("--version", 4, 'V'),
];

fn options(sudo: &Simple) -> Options {
    let mut options = Options::default();
    let mut texts = sudo.texts();
    while let Some(text) = texts.next() {
        if text == "--" || text == "-" {
            break;
        }
        if text.starts_with("--") {
            let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
            match LONG.iter().find(|(long, shortest, _)| name.len() >= *shortest && long.starts_with(name)) {
                Some((_, _, letter)) => {
                    options.letters.push(*letter);
                    if value.is_none() && VALUED.contains(*letter) && *letter != 'h' {
                        texts.next();
                    }
                }
                None => options.others = true,
            }
        } else if let Some(cluster) = text.strip_prefix('-') {
            if in_cluster(cluster, &mut options) {
                texts.next();
            }
        } else if !text.contains('=') {
            break;
        }
    }
    options
}

/// Reads `-nu`; answers whether the next word is the value of its last letter.
fn in_cluster(cluster: &str, options: &mut Options) -> bool {
    for (at, letter) in cluster.char_indices() {
        options.letters.push(letter);
        if VALUED.contains(letter) {
            // A bare `-h` asks for help.
            return at + letter.len_utf8() == cluster.len() && letter != 'h';
        }
    }
    false
}

#[cfg(test)]
mod tests;
