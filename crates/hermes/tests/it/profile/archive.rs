//! Packing a profile and taking it in again.

use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::in_profiles;
use crate::support::{Sandbox, finish, mode, set_mode};

/// A well-formed archive of these files.
pub(super) fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, *content).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// Names in an archive, sorted.
fn names(archive: &[u8]) -> Vec<String> {
    let mut archive = tar::Archive::new(GzDecoder::new(archive));
    let mut names: Vec<String> =
        archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().display().to_string()).collect();
    names.sort();
    names
}

/// A profile with something of every kind.
fn furnished(sandbox: &Sandbox) -> PathBuf {
    sandbox.ok(["profile", "create", "work"]);
    let long = format!("skills/{}/{}", "long-folder-name".repeat(8), "long-file-name-ä".repeat(10));
    for (file, bits) in [
        ("config.yaml", 0o640),
        (".env", 0o600),
        ("auth.json", 0o600),
        ("auth.json.bak", 0o600),
        ("mcp-tokens/server", 0o600),
        ("memories/MEMORY.md", 0o600),
        ("skills/x/run.sh", 0o755),
        ("skills/x/uv.lock", 0o644),
        ("skills/empty", 0o400),
        (&long, 0o600),
        ("state.db", 0o600),
        ("state.db-wal", 0o600),
        ("state.db-shm", 0o600),
        ("logs/agent.log", 0o600),
        ("cache/page", 0o600),
        ("gateway.lock", 0o600),
        ("gateway.pid", 0o600),
        ("gateway_state.json", 0o600),
    ] {
        let content = if file == "skills/empty" { String::new() } else { format!("content of {file}") };
        sandbox.write(format!("profiles/work/{file}"), content);
        set_mode(sandbox.file(format!("profiles/work/{file}")), bits);
    }
    let home = sandbox.file("profiles/work");
    symlink("../x/run.sh", home.join("skills/x/link")).unwrap();
    symlink("/etc/passwd", home.join("skills/outside")).unwrap();
    drop(std::os::unix::net::UnixListener::bind(home.join("skills/socket")).unwrap());
    home
}

fn text(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_profile_survives_the_way_through_an_archive() {
    let sandbox = Sandbox::new();
    let home = furnished(&sandbox);
    let file = sandbox.file("out.tar.gz");
    let run = sandbox.run(["profile", "export", "work", "-o", file.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(mode(&file), 0o600);
    for name in [".env", "auth.json", "auth.json.bak", "mcp-tokens", "logs", "cache", "gateway.lock", "state.db-shm"] {
        assert!(run.stderr.contains(name), "{name}: {run:?}");
    }
    assert!(run.stderr.contains("a link that leads out of the profile): skills/outside"), "{run:?}");
    assert!(run.stderr.contains("neither a file nor a folder): skills/socket"), "{run:?}");

    sandbox.ok(["profile", "import", file.to_str().unwrap(), "--name", "again"]);
    let copy = sandbox.file("profiles/again");
    assert_eq!(mode(&copy), 0o700);
    let long = format!("skills/{}/{}", "long-folder-name".repeat(8), "long-file-name-ä".repeat(10));
    for path in [
        "config.yaml",
        "SOUL.md",
        "memories/MEMORY.md",
        "skills/x/run.sh",
        "skills/x/uv.lock",
        "skills/empty",
        &long,
        "state.db",
        "state.db-wal",
    ] {
        assert_eq!(text(copy.join(path)), text(home.join(path)), "{path}");
        assert_eq!(mode(copy.join(path)), mode(home.join(path)), "{path}");
        let modified = |base: &Path| base.join(path).metadata().unwrap().modified().unwrap();
        let apart = modified(&home).duration_since(modified(&copy)).unwrap();
        assert!(apart.as_secs() < 1, "{path} is {apart:?} apart");
    }
    assert_eq!(std::fs::read_link(copy.join("skills/x/link")).unwrap(), Path::new("../x/run.sh"));
    for path in
        [".env", "auth.json", "auth.json.bak", "mcp-tokens", "gateway.pid", "gateway_state.json", "skills/outside"]
    {
        assert!(copy.join(path).symlink_metadata().is_err(), "{path}");
    }
}

#[test]
fn secrets_travel_only_when_asked_and_stay_private() {
    let sandbox = Sandbox::new();
    furnished(&sandbox);
    let bytes = sandbox.command(["profile", "export", "work", "-o", "-", "--with-secrets"]).output().unwrap().stdout;
    let names = names(&bytes);
    for name in ["work/.env", "work/auth.json", "work/mcp-tokens/server"] {
        assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("gateway.") || name.contains("logs/")), "{names:?}");

    let mut command = sandbox.command(["profile", "import", "-", "--name", "again"]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let run = finish(child);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(sandbox.read("profiles/again/.env"), "content of .env");
    for name in [".env", "auth.json", "mcp-tokens/server"] {
        assert_eq!(mode(sandbox.file("profiles/again").join(name)), 0o600, "{name}");
    }
}

#[test]
fn the_default_home_is_packed_without_the_profiles() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    sandbox.ok(["profile", "use", "work"]);
    sandbox.write("config.yaml", "a: 1\n");
    let output = sandbox.command(["profile", "export", "default", "-o", "-"]).output().unwrap();
    assert_eq!(names(&output.stdout), ["default", "default/config.yaml"]);
}

#[test]
fn an_existing_file_is_replaced_only_by_force() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    let folder = sandbox.file("out");
    std::fs::create_dir(&folder).unwrap();
    let export = |more: &[&str]| {
        let mut command = sandbox.command([&["profile", "export", "work"], more].concat());
        finish(command.current_dir(&folder).spawn().unwrap())
    };
    assert_eq!(export(&[]).code, 0);
    let inode = || std::fs::metadata(folder.join("work.tar.gz")).unwrap().ino();
    let before = inode();
    let run = export(&[]);
    assert_eq!(inode(), before);
    assert!(
        run.code == 1 && run.stderr.contains("work.tar.gz exists already") && run.stderr.contains("--force"),
        "{run:?}"
    );
    assert_eq!(export(&["--force"]).code, 0);
    assert_ne!(inode(), before);
    assert_eq!(export(&["-o", "."]).code, 1);
    assert_eq!(export(&["-o", "missing/x.tar.gz"]).code, 1);
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["work.tar.gz"]);
}

#[test]
fn a_full_disk_leaves_no_archive() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = sandbox.command(["profile", "export", "work", "-o", "-"]);
    let run = finish(command.stdout(full).spawn().unwrap());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("No space left on device"), "{run:?}");
}

#[test]
fn a_reader_that_leaves_early_ends_it_quietly() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    let noise: Vec<u8> = (0..2_000_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    sandbox.write("profiles/work/skills/big", noise);
    let mut child = sandbox.command(["profile", "export", "work", "-o", "-"]).spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let run = finish(child);
    assert!(run.code == 0 && !run.stderr.contains("hermes:"), "{run:?}");
}

#[test]
fn the_name_comes_from_the_archive_unless_given() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("a.tar.gz");
    let import = |bytes: Vec<u8>, more: &[&str]| {
        sandbox.write("a.tar.gz", bytes);
        sandbox.run([&["profile", "import", file.to_str().unwrap()], more].concat())
    };
    assert_eq!(import(packed(&[("./work/config.yaml", b"")]), &[]).code, 0);
    assert!(sandbox.file("profiles/work/SOUL.md").exists());
    let run = import(packed(&[("work/config.yaml", b"")]), &[]);
    assert!(run.code == 1 && run.stderr.contains("already exists"), "{run:?}");
    for top in ["Work", "default", "a.b"] {
        let run = import(packed(&[(&format!("{top}/config.yaml"), b"")]), &[]);
        assert!(run.code == 1 && run.stderr.contains("hint: name the new profile with --name"), "{run:?}");
        let name = format!("from-{}", top.len());
        assert_eq!(import(packed(&[(&format!("{top}/config.yaml"), b"")]), &["--name", &name]).code, 0);
        sandbox.ok(["profile", "delete", &name, "--yes"]);
    }
    assert_eq!(import(packed(&[("x/y", b"")]), &["--name", "../x"]).code, 2);
    assert_eq!(in_profiles(&sandbox), ["work"]);
    let said = sandbox.fails(1, ["profile", "import", "/nowhere/x.tar.gz"]);
    assert!(said.contains("cannot open /nowhere/x.tar.gz"), "{said}");
}

#[test]
fn what_belongs_to_another_running_program_is_not_taken_in() {
    let sandbox = Sandbox::new();
    let large = vec![b'x'; 3 << 20];
    let bytes = packed(&[
        ("work/gateway.pid", b"1"),
        ("work/gateway_state.json", b"{}"),
        ("work/logs/agent.log", &large),
        ("work/profiles/evil/SOUL.md", b""),
        ("work/config.yaml", b"a: 1\n"),
    ]);
    sandbox.write("a.tar.gz", bytes);
    let run = sandbox.run(["profile", "import", sandbox.file("a.tar.gz").to_str().unwrap()]);
    assert_eq!(run.code, 0, "{run:?}");
    for path in ["gateway.pid", "gateway_state.json", "logs/agent.log", "profiles"] {
        assert!(!sandbox.file("profiles/work").join(path).exists(), "{path}");
    }
    assert!(run.stderr.contains("gateway.pid, gateway_state.json, logs/agent.log"), "{run:?}");
    assert_eq!(sandbox.read("profiles/work/config.yaml"), "a: 1\n");
}
