//! `-w`: a git worktree of its own, so that an agent's changes do not mix with the person's.

use std::path::{Path, PathBuf};

use hermes_proto::Fault;
use hermes_sandbox::process::{self, Helper};

use crate::context::{Context, usage};
use crate::exit::Failure;

/// A worktree.
#[derive(Debug)]
pub(super) struct Worktree {
    pub(super) folder: PathBuf,
    /// The repository's own files. Commands may change them, as they may without a worktree: a commit is written there.
    pub(super) repository: String,
}

/// Made by this program, and no part of the person's work.
const IGNORED: &str = "/.worktrees/";

/// Makes a worktree on a new branch beside the repository's own files, and tells where it is. It stays: what was done in it
/// is the person's to merge or remove.
pub(super) fn make(folder: Option<&Path>, context: &Context) -> Result<Worktree, Failure> {
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let top = git(folder, &["rev-parse", "--show-toplevel"], context).map_err(|_| {
        usage(format_args!("-w needs a git repository, and {} is in none", folder.display()))
            .hint("run git init there, or leave -w out")
    })?;
    let name = format!("hermes-{:08x}", random()?);
    let path = PathBuf::from(&top).join(".worktrees").join(&name);
    let text = path.to_str().ok_or_else(|| usage(format_args!("{} is not UTF-8", path.display())))?;
    let repository = git(folder, &["rev-parse", "--path-format=absolute", "--git-common-dir"], context)?;
    ignore(Path::new(&repository)).map_err(|error| {
        Failure::new(Fault::Failed, format_args!("cannot write {repository}/info/exclude: {error}"))
    })?;
    git(Path::new(&top), &["worktree", "add", "-b", &format!("hermes/{name}"), "--", text], context)?;
    context.note(format_args!("note: working in {text} on branch hermes/{name}"));
    Ok(Worktree { folder: path, repository })
}

/// Keeps worktrees out of the person's `git status`.
fn ignore(repository: &Path) -> std::io::Result<()> {
    let path = repository.join("info/exclude");
    let mut text = std::fs::read_to_string(&path).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(String::new()),
        _ => Err(error),
    })?;
    if text.lines().any(|line| line == IGNORED) {
        return Ok(());
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    std::fs::create_dir_all(repository.join("info"))?;
    std::fs::write(path, text + IGNORED + "\n")
}

/// What git prints, without the end of the line.
fn git(folder: &Path, arguments: &[&str], context: &Context) -> Result<String, Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::new(Fault::Failed, format_args!("git {}: {why}", arguments[0]));
    let path = context.environment.text("PATH").unwrap_or_default();
    let program = process::find_program("git", path.as_ref()).ok_or_else(|| failed(&"git is not installed"))?;
    let home = context.environment.text("HOME").unwrap_or_default();
    let helper = Helper::new(program).args(arguments.iter().copied()).environment([("PATH", path), ("HOME", home)]);
    let outcome = helper.folder(folder).run().map_err(|error| failed(&error))?;
    Ok(outcome.standard_output.text())
}

fn random() -> Result<u32, Failure> {
    let mut bytes = [0; 4];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|error| Failure::new(Fault::Failed, format_args!("no random numbers: {error}")))?;
    Ok(u32::from_le_bytes(bytes))
}
