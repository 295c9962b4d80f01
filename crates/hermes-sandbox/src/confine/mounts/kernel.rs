//! `/dev` and `/proc` of a confinement: what every program expects and nothing beyond.
//!
//! Root's files in `/proc/sys` and device nodes such as disks ask for the owner, not
//! for a capability: to a confined root they would be open.

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, mount};

use super::attach::{Detached, NO_DEVICES, NO_PROGRAMS, NO_SET_USER_ID, READ_ONLY, Reach};
use super::attach::{empty_folder, make_file, make_folder, set};
use crate::confine::places::DEVICES;

/// Folders of `/proc` through which the whole machine is changed.
const READ_ONLY_IN_PROC: &[&str] = &["sys", "irq", "bus", "fs", "driver"];
/// Files of `/proc` that change the machine or tell too much about it.
const BLANK_IN_PROC: &[&str] = &[
    "sysrq-trigger",
    "kcore",
    "kmsg",
    "keys",
    "key-users",
    "timer_list",
    "sched_debug",
    "latency_stats",
    "kpagecount",
    "kpageflags",
    "kpagecgroup",
    "vmallocinfo",
    "slabinfo",
    "mtrr",
];
const EMPTY_IN_PROC: &[&str] = &["acpi", "scsi"];

const LINKS_IN_DEV: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

/// Device nodes, cloned before `/dev` is covered.
pub(super) fn clone_devices() -> io::Result<Vec<(PathBuf, Detached)>> {
    let paths = DEVICES.iter().map(|name| Path::new("/dev").join(name)).filter(|path| path.exists());
    paths.map(|path| Ok((path.clone(), Detached::clone_of(&path)?))).collect()
}

/// A small `/dev` with these nodes, a set of pseudo-terminals of its own and shared memory.
pub(super) fn make_dev(devices: Vec<(PathBuf, Detached)>, shared_memory_options: &str) -> io::Result<()> {
    let dev = Path::new("/dev");
    empty_folder(dev, "mode=755,size=64k", MountFlags::NOEXEC)?;
    for (path, device) in devices {
        make_file(&path)?;
        device.set(NO_SET_USER_ID | NO_PROGRAMS)?;
        device.attach(&path)?;
    }
    for (name, target) in LINKS_IN_DEV {
        symlink(target, dev.join(name))?;
    }
    for name in ["pts", "shm"] {
        make_folder(&dev.join(name))?;
    }
    let options = c"newinstance,ptmxmode=0666,mode=620";
    mount(c"devpts", "/dev/pts", c"devpts", MountFlags::NOSUID | MountFlags::NOEXEC, options)?;
    empty_folder(&dev.join("shm"), shared_memory_options, MountFlags::empty())?;
    set(dev, Reach::ThisMount, READ_ONLY)
}

/// A `/proc` that shows the processes of this namespace only. Refused inside containers
/// that cover parts of theirs.
pub(super) fn make_proc() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount(c"proc", "/proc", c"proc", flags, c"")?;
    Ok(())
}

/// Takes out of `/proc` what concerns the whole machine.
pub(super) fn narrow_proc(blank: &Path) -> io::Result<()> {
    for folder in in_proc(READ_ONLY_IN_PROC) {
        let same = Detached::clone_of(&folder)?;
        same.set(READ_ONLY | NO_SET_USER_ID | NO_DEVICES | NO_PROGRAMS)?;
        same.attach(&folder)?;
    }
    for file in in_proc(BLANK_IN_PROC) {
        cover_file(&file, blank)?;
    }
    for folder in in_proc(EMPTY_IN_PROC) {
        empty_folder(&folder, "mode=555,size=4k", MountFlags::NOEXEC | MountFlags::RDONLY)?;
    }
    Ok(())
}

/// Those of these names that this kernel has.
fn in_proc(names: &[&str]) -> impl Iterator<Item = PathBuf> {
    names.iter().map(|name| Path::new("/proc").join(name)).filter(|path| path.exists())
}

/// Puts a file that nobody can open on top of `path`.
pub(super) fn cover_file(path: &Path, blank: &Path) -> io::Result<()> {
    let cover = Detached::clone_of(blank)?;
    cover.set(READ_ONLY | NO_SET_USER_ID | NO_DEVICES | NO_PROGRAMS)?;
    cover.attach(path)
}
