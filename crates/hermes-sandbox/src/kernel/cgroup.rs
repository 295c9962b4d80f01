//! Control groups: which of the two interfaces is mounted.

/// The interfaces through which resources of groups of processes can be limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CgroupVersion {
    V2,
    V1,
    /// Version 1 holds controllers, version 2 is mounted beside it.
    Hybrid,
    /// None is mounted where this process can see it.
    None,
}

pub(super) fn probe() -> CgroupVersion {
    // Without /proc nothing is known to be mounted.
    from_mounts(&std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default())
}

fn from_mounts(mountinfo: &str) -> CgroupVersion {
    let mounted = |wanted: &str| mountinfo.lines().filter_map(file_system_type).any(|found| found == wanted);
    match (mounted("cgroup2"), mounted("cgroup")) {
        (true, false) => CgroupVersion::V2,
        (false, true) => CgroupVersion::V1,
        (true, true) => CgroupVersion::Hybrid,
        (false, false) => CgroupVersion::None,
    }
}

/// The word after the lone dash: before it, the number of optional fields varies.
/// White space within a field is escaped by the kernel.
fn file_system_type(line: &str) -> Option<&str> {
    line.split(' ').skip_while(|field| *field != "-").nth(1)
}

#[cfg(test)]
mod tests {
    use super::{CgroupVersion, from_mounts};

    #[test]
    fn the_version_is_what_is_mounted() {
        let v1 = "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:5 - cgroup cgroup rw,cpu\n";
        let v2 = "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
        let other = "25 1 8:1 / / rw - ext4 /dev/cgroup rw\n26 1 0:5 / /cgroup2 rw - tmpfs cgroup rw\n";
        for (mounts, expected) in [
            (String::new(), CgroupVersion::None),
            (other.to_owned(), CgroupVersion::None),
            (format!("{other}{v1}"), CgroupVersion::V1),
            (format!("{v2}{other}"), CgroupVersion::V2),
            (format!("{v2}{v1}"), CgroupVersion::Hybrid),
            ("- \n-\nnonsense - ".to_owned(), CgroupVersion::None),
        ] {
            assert_eq!(from_mounts(&mounts), expected, "{mounts}");
        }
    }
}
