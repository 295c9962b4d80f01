//! A control group with the budget of the whole confinement.
//!
//! It is made outside, where the right to it is, joined from inside, and removed by the
//! process that waits outside. One that died without doing so leaves an empty folder; its
//! name says whose it was, and the next start takes it away.

mod hierarchy;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, getpid, kill_process};

use self::hierarchy::Hierarchy;
use super::{Applied, Entering, Failed, landlock};
use crate::confine::{Limits, family};

const PREFIX: &str = "hermes-";
/// The confined process and its proof: with room for no more the proof cannot fork.
const DURING_PROOF: u64 = 2;

/// Folders of one group, one per hierarchy.
#[derive(Debug)]
pub(in crate::confine) struct Group {
    name: String,
    folders: Vec<PathBuf>,
    /// Writing to these moves the writer into the group.
    doors: Vec<File>,
    /// The number of processes, held low until the proof is done.
    processes: Option<(File, u64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Removed {
    All,
    InPart,
}

impl Group {
    /// Makes a group with the wanted budget; else says why there is none.
    pub(in crate::confine) fn make(limits: &Limits) -> Result<Self, String> {
        let owner = getpid();
        let started = start_time(owner).unwrap_or_default();
        let name = format!("{PREFIX}{}-{started}", owner.as_raw_nonzero());
        let mut group = Self { name, folders: Vec::new(), doors: Vec::new(), processes: None };
        let filled = group.fill(limits);
        if filled.is_err() {
            group.end();
        }
        filled.map(|()| group)
    }

    /// Takes the group away, and ends whatever is still in it.
    pub(in crate::confine) fn end(&self) {
        // One that is empty can be removed at once, and with a process namespace it is empty.
        if self.remove() == Removed::InPart {
            self.kill();
            // What cannot be removed now is swept at the next start.
            self.remove();
        }
    }

    fn remove(&self) -> Removed {
        let left = self.folders.iter().filter(|folder| {
            let removed = fs::remove_dir(folder);
            removed.is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
        });
        if left.count() == 0 { Removed::All } else { Removed::InPart }
    }

    /// No process in the group can fork any more, and all are killed.
    fn kill(&self) {
        for folder in &self.folders {
            let _ = fs::write(folder.join("pids.max"), "0");
            if fs::write(folder.join("cgroup.kill"), "1").is_ok() {
                continue;
            }
            let members = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
            for process in members.lines().filter_map(|line| Pid::from_raw(line.trim().parse().ok()?)) {
                let _ = kill_process(process, Signal::KILL);
            }
        }
    }

    /// Gives the processes their real number, after the proof.
    pub(in crate::confine) fn open_up(&self) -> io::Result<()> {
        self.processes.as_ref().map_or(Ok(()), |(file, most)| (&*file).write_all(most.to_string().as_bytes()))
    }

    fn fill(&mut self, limits: &Limits) -> Result<(), String> {
        let hierarchy = Hierarchy::find(limits)?;
        for parent in &hierarchy.parents {
            sweep(parent);
            let folder = parent.join(&self.name);
            fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            self.folders.push(folder.clone());
            let door = folder.join(hierarchy.door());
            let open = File::options().write(true).open(&door);
            self.doors.push(open.map_err(|error| format!("{}: {error}", door.display()))?);
        }
        for (file, value) in hierarchy.budget(limits) {
            self.write(&file, &value)?;
        }
        self.limit_processes(limits)
    }

    fn limit_processes(&mut self, limits: &Limits) -> Result<(), String> {
        let Some(most) = limits.processes else { return Ok(()) };
        let path = self.find("pids.max")?;
        let file = File::options().write(true).open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        (&file).write_all(DURING_PROOF.to_string().as_bytes()).map_err(|error| format!("pids.max: {error}"))?;
        self.processes = Some((file, most));
        Ok(())
    }

    fn write(&self, file: &str, value: &str) -> Result<(), String> {
        let path = self.find(file)?;
        fs::write(&path, value).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn find(&self, file: &str) -> Result<PathBuf, String> {
        let candidates = self.folders.iter().map(|folder| folder.join(file));
        candidates.into_iter().find(|path| path.exists()).ok_or_else(|| format!("{file} is not there"))
    }

    fn join(&self) -> io::Result<()> {
        self.doors.iter().try_for_each(|mut door| door.write_all(b"0"))
    }
}

pub(super) fn apply(entering: &Entering<'_>) -> Result<Applied, Failed> {
    if !entering.confinement.limits.wants_group() {
        return Ok(Applied::NotWanted);
    }
    let group = match &entering.group {
        Err(reason) => return Ok(Applied::Missing(reason.clone())),
        Ok(group) => group,
    };
    // Joined in any case: a budget that could be left is better than none.
    if let Err(error) = group.join() {
        return Ok(Applied::Missing(format!("the group cannot be joined: {error}")));
    }
    if entering.namespaces().is_err() && !landlock::keeps_files(entering) {
        return Ok(Applied::Missing("nothing keeps processes from leaving the group".to_owned()));
    }
    Ok(Applied::InForce)
}

pub(super) fn prove(entering: &Entering<'_>) -> Result<String, String> {
    let group = entering.group.as_ref().map_err(Clone::clone)?;
    let membership = fs::read_to_string("/proc/self/cgroup").map_err(|error| format!("/proc/self/cgroup: {error}"))?;
    let inside = membership.lines().filter(|line| line.ends_with(&group.name)).count();
    if inside < group.folders.len() {
        return Err(format!("{inside} of {} groups joined", group.folders.len()));
    }
    for parent in group.folders.iter().filter_map(|folder| folder.parent()) {
        if fs::write(parent.join("cgroup.procs"), "0").is_ok() {
            return Err(format!("left for {}", parent.display()));
        }
    }
    if group.processes.is_none() {
        return Ok("leaving the group failed".to_owned());
    }
    if family::can_fork() {
        return Err("one process too many could be started".to_owned());
    }
    Ok("leaving the group and starting one process too many failed".to_owned())
}

/// Takes away the groups of owners that are gone. One with processes in it stays.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_left = entry
            .file_name()
            .to_str()
            .and_then(owner_of)
            .is_some_and(|(owner, started)| start_time(owner).is_none_or(|now| now != started));
        if is_left {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

fn owner_of(name: &str) -> Option<(Pid, u64)> {
    let (process, started) = name.strip_prefix(PREFIX)?.split_once('-')?;
    Some((Pid::from_raw(process.parse().ok()?)?, started.parse().ok()?))
}

/// In ticks since boot; with the number it tells one process from a later one.
fn start_time(process: Pid) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    // Counted from the state, which follows the name in parentheses.
    stat.rsplit(')').next()?.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{owner_of, start_time};
    use rustix::process::{Pid, getpid};

    #[test]
    fn a_groups_name_tells_its_owner() {
        assert_eq!(owner_of("hermes-12-345"), Some((Pid::from_raw(12).unwrap(), 345)));
        for foreign in ["hermes", "hermes-", "hermes-12", "hermes-x-1", "hermes-0-1", "docker-12-345"] {
            assert_eq!(owner_of(foreign), None, "{foreign}");
        }
        assert!(start_time(getpid()).is_some_and(|ticks| ticks > 0));
        assert_eq!(start_time(Pid::from_raw(i32::MAX).unwrap()), None);
    }
}
