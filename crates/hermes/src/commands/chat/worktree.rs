//! `-w`: a git worktree of its own, so that an agent's changes do not mix with the person's.

use std::path::{Path, PathBuf};

use hermes_proto::Fault;
use hermes_sandbox::process::{self, Helper};

use crate::context::{Context, usage};
use crate::exit::Failure;

/// Makes a worktree on a new branch beside the repository's own files, and tells where it is. It stays: what was done in it
/// is the person's to merge or remove.
pub(super) fn make(folder: Option<&Path>, context: &Context) -> Result<PathBuf, Failure> {
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let top = git(folder, &["rev-parse", "--show-toplevel"], context)
        .map_err(|_| usage(format_args!("-w needs a git repository, and {} is in none", folder.display())))?;
    let name = format!("hermes-{:08x}", random()?);
    let path = PathBuf::from(&top).join(".worktrees").join(&name);
    let text = path.to_str().ok_or_else(|| usage(format_args!("{} is not UTF-8", path.display())))?;
    git(Path::new(&top), &["worktree", "add", "-b", &format!("hermes/{name}"), "--", text], context)?;
    context.note(format_args!("note: working in {text} on branch hermes/{name}"));
    Ok(path)
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
