//! Archives made to do harm, built byte by byte.

use std::io::Write;
use std::path::PathBuf;

use flate2::write::GzEncoder;
use tar::EntryType;

use super::in_profiles;
use crate::support::{Sandbox, mode};

const BLOCK: usize = 512;

/// One entry exactly as told, however little sense it makes.
struct Raw {
    name: &'static [u8],
    kind: u8,
    link: &'static [u8],
    content: Vec<u8>,
    mode: u32,
    /// What the header claims, if not the truth.
    size: Option<u64>,
}

impl Raw {
    fn new(kind: u8, name: &'static str) -> Self {
        Self { name: name.as_bytes(), kind, link: b"", content: Vec::new(), mode: 0o644, size: None }
    }

    fn to(self, link: &'static str) -> Self {
        Self { link: link.as_bytes(), ..self }
    }

    fn holding(self, content: impl Into<Vec<u8>>) -> Self {
        Self { content: content.into(), ..self }
    }

    fn claiming(self, size: u64) -> Self {
        Self { size: Some(size), ..self }
    }

    fn with_mode(self, mode: u32) -> Self {
        Self { mode, ..self }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..self.name.len()].copy_from_slice(self.name);
        header.as_old_mut().linkname[..self.link.len()].copy_from_slice(self.link);
        header.set_entry_type(EntryType::new(self.kind));
        header.set_mode(self.mode);
        header.set_uid(12345);
        header.set_gid(12345);
        header.set_size(self.size.unwrap_or(self.content.len() as u64));
        header.set_cksum();
        let mut bytes = header.as_bytes().to_vec();
        bytes.extend(&self.content);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
        bytes
    }
}

fn file(name: &'static str) -> Raw {
    Raw::new(b'0', name).holding("x")
}

fn folder(name: &'static str) -> Raw {
    Raw::new(b'5', name)
}

fn link(name: &'static str, target: &'static str) -> Raw {
    Raw::new(b'2', name).to(target)
}

fn hard_link(name: &'static str, target: &'static str) -> Raw {
    Raw::new(b'1', name).to(target)
}

fn tar_of(entries: &[Raw]) -> Vec<u8> {
    let mut bytes: Vec<u8> = entries.iter().flat_map(Raw::bytes).collect();
    bytes.extend([0; 2 * BLOCK]);
    bytes
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Everything around the home, to see that nothing was written there.
fn surroundings(sandbox: &Sandbox) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(sandbox.home().parent().unwrap())
        .unwrap()
        .chain(std::fs::read_dir(sandbox.home()).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

/// Imports these bytes and expects a refusal that says so, with nothing left behind.
fn refused(sandbox: &Sandbox, what: &str, archive: &[u8], said: &str) {
    sandbox.write("a.tar.gz", archive);
    let before = surroundings(sandbox);
    let stderr = sandbox.fails(1, ["profile", "import", sandbox.file("a.tar.gz").to_str().unwrap()]);
    assert!(stderr.contains(said), "{what}: {stderr}");
    assert_eq!(in_profiles(sandbox), ["other"], "{what}");
    assert_eq!(surroundings(sandbox), before, "{what}");
}

/// A sandbox in which `profiles/` has something to lose.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "other"]);
    sandbox
}

#[test]
fn entries_that_leave_their_folder_are_refused() {
    let sandbox = sandbox();
    let long_name = |name: &str| Raw::new(b'L', "././@LongLink").holding(format!("{name}\0"));
    for (what, entries, said) in [
        ("absolute", vec![file("/tmp/hermes-evil")], "leaves its folder"),
        ("upwards", vec![file("../evil")], "leaves its folder"),
        ("upwards later", vec![folder("work"), file("work/../../evil")], "leaves its folder"),
        ("upwards in a long name", vec![long_name("work/../../../evil"), file("work/a")], "leaves its folder"),
        ("a NUL in a long name", vec![long_name("work/a\0/../b"), file("work/a")], "NUL byte"),
        ("absolute folder", vec![folder("/tmp/hermes-evil")], "leaves its folder"),
        ("into a sibling", vec![folder("work"), file("work/../other/SOUL.md")], "leaves its folder"),
    ] {
        refused(&sandbox, what, &compressed(&tar_of(&entries)), said);
    }
}

#[test]
fn links_that_lead_out_are_refused() {
    let sandbox = sandbox();
    for (what, entries, said) in [
        ("absolute", vec![link("work/a", "/etc")], "outside of its folder"),
        ("upwards", vec![link("work/a", "..")], "outside of its folder"),
        ("to a sibling", vec![link("work/a", "../other")], "outside of its folder"),
        ("upwards from below", vec![link("work/a/b", "../../other")], "outside of its folder"),
        ("through a link", vec![folder("work/d"), link("work/d/up", ".."), link("work/d/x", "up/../..")], "outside"),
        ("nowhere", vec![link("work/a", "")], "outside of its folder"),
        ("the folder itself", vec![link("work", "/tmp")], "outside of a folder"),
        ("entry behind a link", vec![folder("work/d"), link("work/l", "d"), file("work/l/x")], "behind a link"),
        ("entry behind a file", vec![file("work/f"), file("work/f/x")], "behind a link or a file"),
        ("folder over a link", vec![folder("work/d"), link("work/l", "d"), folder("work/l")], "twice"),
        ("file over a link", vec![link("work/l", "config.yaml"), file("work/l")], "twice"),
        ("hard link out", vec![hard_link("work/a", "/etc/passwd")], "no file of the archive"),
        ("hard link upwards", vec![hard_link("work/a", "work/../../other/SOUL.md")], "no file of the archive"),
        ("hard link to another top", vec![file("work/x"), hard_link("work/a", "other/x")], "no file of the archive"),
        ("hard link to nothing", vec![hard_link("work/a", "work/missing")], "no file of the archive"),
        ("hard link to a link", vec![link("work/l", "x"), hard_link("work/a", "work/l")], "no file of the archive"),
        (
            "hard link through a link",
            vec![file("work/d/x"), link("work/l", "d"), hard_link("work/a", "work/l/x")],
            "no file of the archive",
        ),
    ] {
        refused(&sandbox, what, &compressed(&tar_of(&entries)), said);
    }
}

#[test]
fn what_is_no_profile_is_refused() {
    let sandbox = sandbox();
    for (what, entries, said) in [
        ("character device", vec![Raw::new(b'3', "work/null")], "neither a file"),
        ("block device", vec![Raw::new(b'4', "work/disk")], "neither a file"),
        ("pipe", vec![Raw::new(b'6', "work/pipe")], "neither a file"),
        ("unknown kind", vec![Raw::new(b'V', "work/volume")], "neither a file"),
        ("two folders", vec![file("work/a"), file("more/a")], "more than one folder"),
        ("a file at the top", vec![file("work")], "outside of a folder"),
        ("nothing", vec![], "holds no folder"),
        ("only itself", vec![folder("./")], "holds no folder"),
        ("the same twice", vec![file("work/a"), file("work/a")], "twice"),
        ("an existing profile", vec![file("other/a")], "already exists"),
    ] {
        refused(&sandbox, what, &compressed(&tar_of(&entries)), said);
    }
}

#[test]
fn bombs_are_refused_before_they_go_off() {
    let sandbox = sandbox();
    let huge = 5 << 30;
    for (what, entries, said) in [
        ("large file", vec![file("work/a").claiming(huge)], "unpacks to more than"),
        ("large link", vec![link("work/a", "b").claiming(huge)], "unpacks to more than"),
        ("large long name", vec![Raw::new(b'L', "x").holding(vec![b'a'; 3 << 20]), file("work/a")], "description"),
        ("large attributes", vec![Raw::new(b'x', "x").holding(vec![b'a'; 3 << 20]), file("work/a")], "description"),
    ] {
        refused(&sandbox, what, &compressed(&tar_of(&entries)), said);
    }
    let mut trailing = tar_of(&[file("work/a")]);
    trailing.resize(trailing.len() + (17 << 20), 0);
    refused(&sandbox, "trailing data", &compressed(&trailing), "after its end");
}

#[test]
fn damaged_archives_are_refused() {
    let sandbox = sandbox();
    let noise: Vec<u8> = (0..50_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let tar = tar_of(&[folder("work"), file("work/a").holding(noise)]);
    let good = compressed(&tar);
    refused(&sandbox, "empty file", b"", "cannot be read");
    refused(&sandbox, "no archive", b"hello, I am a letter", "cannot be read");
    refused(&sandbox, "a bare tar", &tar, "cannot be read");
    for length in [5, 100, good.len() / 2, good.len() - 8, good.len() - 1] {
        refused(&sandbox, &format!("cut to {length}"), &good[..length], "cannot be read");
    }
    let mut wrong_sum = good.clone();
    let place = wrong_sum.len() - 6;
    wrong_sum[place] ^= 1;
    refused(&sandbox, "wrong checksum", &wrong_sum, "cannot be read");
    refused(&sandbox, "garbage behind", &[&good[..], b"garbage"].concat(), "cannot be read");
    refused(&sandbox, "tar cut short", &compressed(&tar[..5 * BLOCK]), "in the middle of entry");
    let mut bad_header = tar.clone();
    bad_header[0] = b'x';
    refused(&sandbox, "bad header", &compressed(&bad_header), "cannot be read");
    let random = compressed(&noise_of(4096));
    refused(&sandbox, "random bytes", &random, "cannot be read");
}

fn noise_of(length: u32) -> Vec<u8> {
    (0..length).map(|number| (number.wrapping_mul(2_246_822_519) >> 11) as u8 | 1).collect()
}

#[test]
fn modes_that_give_rights_away_are_dropped() {
    let sandbox = sandbox();
    let entries = [
        folder("work").with_mode(0o777),
        folder("work/skills").with_mode(0o6555),
        file("work/skills/run").with_mode(0o6755),
        folder("work/workspace").with_mode(0o1777),
        file("work/.env").with_mode(0o644),
        file("work/auth.json").with_mode(0o666),
        hard_link("work/second", "work/skills/run"),
    ];
    sandbox.write("a.tar.gz", compressed(&tar_of(&entries)));
    sandbox.ok(["profile", "import", sandbox.file("a.tar.gz").to_str().unwrap()]);
    let home = sandbox.file("profiles/work");
    for (path, expected) in [
        ("", 0o700),
        ("skills", 0o755),
        ("skills/run", 0o755),
        ("workspace", 0o777),
        (".env", 0o600),
        ("auth.json", 0o600),
        ("second", 0o755),
    ] {
        assert_eq!(mode(home.join(path)), expected, "{path}");
    }
    use std::os::unix::fs::MetadataExt;
    assert_eq!(home.join("second").metadata().unwrap().uid(), sandbox.home().metadata().unwrap().uid());
}
