//! Where a control group can be made: one place in version 2, one per controller in version 1.
//!
//! A group next to ours leaves the budget that we are under, so its memory is never set
//! higher than what holds for us.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::access;

use super::Limits;

const EACH_PERIOD: u64 = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

/// The folders in which the group's folders are made.
#[derive(Debug)]
pub(super) struct Hierarchy {
    version: Version,
    pub(super) parents: Vec<PathBuf>,
    /// The memory that we ourselves may use.
    own_memory: Option<u64>,
}

impl Hierarchy {
    pub(super) fn find(limits: &Limits) -> Result<Self, String> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").map_err(|error| format!("mountinfo: {error}"))?;
        let own = fs::read_to_string("/proc/self/cgroup").map_err(|error| format!("cgroup: {error}"))?;
        let wanted = wanted(limits);
        let mounted: Option<Vec<_>> = wanted.iter().map(|controller| mount_of_one(&mounts, controller)).collect();
        match (mounted, mount_of_two(&mounts)) {
            (Some(mut folders), _) => {
                folders.dedup();
                Self::of_one(folders, &own)
            }
            (None, Some(root)) => Self::of_two(&root, &own, &wanted),
            (None, None) => Err("no control groups are mounted".to_owned()),
        }
    }

    /// The file through which a process with one thread joins a group. To move a whole process the kernel first waits until no
    /// processor is in the middle of a fork, 10 milliseconds and more; to move the thread that asks it waits for nothing. Groups of
    /// version 2 hold whole processes only.
    pub(super) fn door(&self) -> &'static str {
        match self.version {
            Version::One => "tasks",
            Version::Two => "cgroup.procs",
        }
    }

    /// File names and what to write to them. The number of processes is set apart.
    pub(super) fn budget(&self, limits: &Limits) -> Vec<(String, String)> {
        let mut budget = Vec::new();
        let mut set = |file: &str, value: u64| budget.push((file.to_owned(), value.to_string()));
        if let Some(bytes) = limits.memory_bytes {
            let bytes = bytes.min(self.own_memory.unwrap_or(u64::MAX));
            match self.version {
                Version::One => set("memory.limit_in_bytes", bytes),
                Version::Two => set("memory.max", bytes),
            }
        }
        match (self.version, limits.processor_weight) {
            (Version::One, Some(weight)) => set("cpu.shares", (u64::from(weight) * 1024 / 100).max(2)),
            (Version::Two, Some(weight)) => set("cpu.weight", u64::from(weight.clamp(1, 10_000))),
            (_, None) => {}
        }
        if let Some(percent) = limits.processor_percent {
            let quota = (u64::from(percent) * EACH_PERIOD / 100).max(1000);
            match self.version {
                Version::One => set("cpu.cfs_quota_us", quota),
                Version::Two => budget.push(("cpu.max".to_owned(), format!("{quota} {EACH_PERIOD}"))),
            }
        }
        budget
    }

    fn of_one(parents: Vec<PathBuf>, own: &str) -> Result<Self, String> {
        if let Some(closed) = parents.iter().find(|folder| !is_writable(folder)) {
            return Err(format!("{} is not writable", closed.display()));
        }
        let own_memory = parents.iter().find_map(|folder| {
            let ours = path_in(own, |controllers| controllers.split(',').any(|name| name == "memory"))?;
            let stat = fs::read_to_string(below(folder, &ours).join("memory.stat")).ok()?;
            stat.lines().find_map(|line| line.strip_prefix("hierarchical_memory_limit "))?.parse().ok()
        });
        Ok(Self { version: Version::One, parents, own_memory })
    }

    /// The nearest group around ours that hands the wanted controllers down and is writable.
    /// A group with processes in it, as ours is, cannot.
    fn of_two(root: &Path, own: &str, wanted: &[&str]) -> Result<Self, String> {
        let ours = path_in(own, str::is_empty).ok_or("this process is in no group")?;
        let ours = below(root, &ours);
        let own_memory = ours.ancestors().take_while(|folder| folder.starts_with(root)).filter_map(memory_max).min();
        let hands_down = |folder: &&Path| is_writable(folder) && hands_down(folder, wanted);
        let around = ours.ancestors().take_while(|folder| folder.starts_with(root));
        let parent = around
            .into_iter()
            .find(hands_down)
            .ok_or_else(|| format!("no writable group around {} has {}", ours.display(), wanted.join(", ")))?;
        Ok(Self { version: Version::Two, parents: vec![parent.to_owned()], own_memory })
    }
}

fn wanted(limits: &Limits) -> Vec<&'static str> {
    let mut wanted = Vec::new();
    wanted.extend(limits.memory_bytes.map(|_| "memory"));
    wanted.extend(limits.processes.map(|_| "pids"));
    wanted.extend(limits.processor_percent.or(limits.processor_weight).map(|_| "cpu"));
    wanted
}

fn memory_max(folder: &Path) -> Option<u64> {
    fs::read_to_string(folder.join("memory.max")).ok()?.trim().parse().ok()
}

fn hands_down(folder: &Path, wanted: &[&str]) -> bool {
    let control = folder.join("cgroup.subtree_control");
    let has_all = || {
        let enabled = fs::read_to_string(&control).unwrap_or_default();
        wanted.iter().all(|controller| enabled.split_whitespace().any(|word| word == *controller))
    };
    if has_all() {
        return true;
    }
    let request: Vec<_> = wanted.iter().map(|controller| format!("+{controller}")).collect();
    fs::write(&control, request.join(" ")).is_ok() && has_all()
}

fn is_writable(folder: &Path) -> bool {
    access(folder, rustix::fs::Access::WRITE_OK).is_ok()
}

fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

/// Our path in the hierarchy whose controllers fit.
fn path_in(own: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        fits(fields.next()?).then(|| fields.next().map(str::to_owned))?
    })
}

fn mount_of_two(mounts: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        after.starts_with("cgroup2 ").then(|| before.split(' ').nth(4).map(PathBuf::from))?
    })
}

fn mount_of_one(mounts: &str, controller: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let options = after.strip_prefix("cgroup ")?.split(' ').nth(1)?;
        options.split(',').any(|option| option == controller).then(|| before.split(' ').nth(4).map(PathBuf::from))?
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Hierarchy, Limits, Version, mount_of_one, mount_of_two, path_in};

    const MOUNTS: &str = "30 23 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n\
        31 30 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
        32 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n\
        33 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

    #[test]
    fn mounts_are_found_by_controller() {
        assert_eq!(mount_of_one(MOUNTS, "cpu"), Some(PathBuf::from("/sys/fs/cgroup/cpu,cpuacct")));
        assert_eq!(mount_of_one(MOUNTS, "memory"), Some(PathBuf::from("/sys/fs/cgroup/memory")));
        assert_eq!(mount_of_one(MOUNTS, "pids"), None);
        assert_eq!(mount_of_two(MOUNTS), Some(PathBuf::from("/sys/fs/cgroup/unified")));
    }

    #[test]
    fn our_own_place_is_found() {
        let own = "4:memory:/system.slice/a:b\n0::/user.slice\n";
        assert_eq!(path_in(own, |controllers| controllers == "memory").as_deref(), Some("/system.slice/a:b"));
        assert_eq!(path_in(own, str::is_empty).as_deref(), Some("/user.slice"));
    }

    #[test]
    fn a_budget_is_written_in_each_versions_words() {
        let limits = Limits {
            memory_bytes: Some(1000),
            processor_percent: Some(150),
            processor_weight: Some(50),
            ..Limits::default()
        };
        let check = |version, own_memory, expected: &[(&str, &str)]| {
            let hierarchy = Hierarchy { version, parents: Vec::new(), own_memory };
            let expected: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            assert_eq!(hierarchy.budget(&limits), expected);
        };
        check(
            Version::One,
            None,
            &[("memory.limit_in_bytes", "1000"), ("cpu.shares", "512"), ("cpu.cfs_quota_us", "150000")],
        );
        check(Version::Two, Some(400), &[("memory.max", "400"), ("cpu.weight", "50"), ("cpu.max", "150000 100000")]);
    }
}
