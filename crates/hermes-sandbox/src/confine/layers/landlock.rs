//! Landlock: which files may be touched, as an allow-list that needs no privileges.
//!
//! A right given on a folder holds for everything below and cannot be taken back there.
//! Where no mount namespace hides things, the list therefore names the neighbours of every
//! hidden place one by one, and no folder around one. The price: such folders cannot
//! be listed, and what appears in them later stays out of reach.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hermes_proto::executor::Layer;
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use super::{Applied, Entering, Failed};
use crate::confine::Network;
use crate::confine::places::{Access, DEVICES, Places};
use crate::kernel;

/// From this version on abstract sockets and signals stop at the confinement.
pub(super) const SCOPES: u32 = 6;
/// From this version on connecting to a socket by its path is a right of its own.
pub(super) const UNIX_SOCKETS: u32 = 9;
/// Before this version files could be emptied without the right to write.
const TRUNCATION: u32 = 3;
const NEWEST: ABI = ABI::V9;

/// The version of the interface, 0 if there is none.
pub(super) fn version() -> u32 {
    kernel::landlock().abi()
}

/// Whether files are safe behind it where no mounts protect them.
pub(super) fn keeps_files(entering: &Entering<'_>) -> bool {
    version() >= TRUNCATION && !entering.rehearsal.unavailable.contains(&Layer::Landlock)
}

pub(super) fn apply(entering: &Entering<'_>) -> Result<Applied, Failed> {
    match version() {
        0 => return Ok(Applied::Missing("not in this kernel, or not enabled".to_owned())),
        version if entering.namespaces().is_err() && !keeps_files(entering) => {
            return Ok(Applied::Missing(format!("version {version} does not keep files from being emptied")));
        }
        _ => {}
    }
    let status =
        restrict(entering).map_err(|error| Failed { step: "restricting files", source: io::Error::other(error) })?;
    match status {
        RulesetStatus::NotEnforced => Ok(Applied::Missing("the kernel enforces none of it".to_owned())),
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(Applied::InForce),
    }
}

/// The process's own name is writable for everything but Landlock.
pub(super) fn prove(entering: &Entering<'_>) -> Result<String, String> {
    // Else the file would be root's.
    set_dumpable_behavior(DumpableBehavior::Dumpable).map_err(|error| format!("prctl: {error}"))?;
    let renamed =
        fs::OpenOptions::new().write(true).open("/proc/self/comm").and_then(|mut file| file.write_all(b"proof"));
    match renamed {
        Ok(()) => return Err("a file that is not on the list was written".to_owned()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        Err(error) => return Err(format!("/proc/self/comm: {error}")),
    }
    let mut hidden = 0;
    for place in entering.places.iter().filter(|place| place.access == Access::Hidden) {
        let is_open = fs::File::open(&place.path).is_ok();
        if is_open && !entering.has(Layer::MountNamespace) {
            return Err(format!("{} could be opened", place.path.display()));
        }
        hidden += 1;
    }
    if version() >= SCOPES && rustix::process::test_kill_process(entering.outside.process).is_ok() {
        return Err("a process outside could be signalled".to_owned());
    }
    Ok(format!("version {}; writing off the list and opening {hidden} hidden places failed", version()))
}

fn restrict(entering: &Entering<'_>) -> Result<RulesetStatus, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?;
    if entering.confinement.network == Network::Off {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let mut created = ruleset.create()?.set_compatibility(CompatLevel::BestEffort);
    for (path, rights) in rules(entering) {
        created = allow(created, &path, rights)?;
    }
    Ok(created.restrict_self()?.ruleset)
}

/// A path that cannot be opened by us cannot be opened from inside either.
fn allow(ruleset: RulesetCreated, path: &Path, rights: Rights) -> Result<RulesetCreated, RulesetError> {
    let Ok(opened) = PathFd::new(path) else { return Ok(ruleset) };
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let wanted = rights.flags();
    let allowed = if is_folder { wanted } else { wanted & AccessFs::from_file(NEWEST) };
    ruleset.add_rule(PathBeneath::new(opened, allowed))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rights {
    Read,
    Write,
    /// Used, but neither made nor run.
    Device,
}

impl Rights {
    fn flags(self) -> BitFlags<AccessFs> {
        match self {
            Self::Read => AccessFs::from_read(NEWEST) | AccessFs::ResolveUnix,
            Self::Write => AccessFs::from_all(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock),
            Self::Device => {
                AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::ReadDir | AccessFs::IoctlDev | AccessFs::Truncate
            }
        }
    }
}

fn rules(entering: &Entering<'_>) -> Vec<(PathBuf, Rights)> {
    let mut rules = if entering.has(Layer::MountNamespace) {
        let writable = |access| matches!(access, Access::ReadWrite | Access::Temporary);
        let places = entering.places.iter().filter(|place| writable(place.access));
        let mut rules: Vec<_> = places.map(|place| (place.path.clone(), Rights::Write)).collect();
        rules.push((PathBuf::from("/"), Rights::Read));
        rules
    } else {
        let mut listing = Listing { places: &entering.places, rules: Vec::new() };
        listing.visit(Path::new("/"), Some(Rights::Read));
        listing.rules
    };
    rules.extend(DEVICES.iter().chain(&["ptmx", "pts"]).map(|name| (Path::new("/dev").join(name), Rights::Device)));
    rules.push((PathBuf::from("/dev/shm"), Rights::Write));
    rules
}

/// Names everything around the hidden places.
struct Listing<'a> {
    places: &'a Places,
    rules: Vec<(PathBuf, Rights)>,
}

impl Listing<'_> {
    /// `rights` hold in `folder` where no place says otherwise.
    fn visit(&mut self, folder: &Path, rights: Option<Rights>) {
        if folder == Path::new("/dev") {
            return;
        }
        if folder != Path::new("/") && !self.places.has_below(folder) {
            self.rules.extend(rights.map(|rights| (folder.to_owned(), rights)));
            return;
        }
        let mut children: Vec<PathBuf> = self.places_below(folder);
        if rights.is_some() {
            children.extend(neighbours(folder));
        }
        children.sort();
        children.dedup();
        for child in children {
            let rights = self.places.at(&child).map_or(rights, |place| rights_of(place.access));
            self.visit(&child, rights);
        }
    }

    /// The children of `folder` that are places or have some below.
    fn places_below(&self, folder: &Path) -> Vec<PathBuf> {
        let below = self.places.iter().filter_map(|place| place.path.strip_prefix(folder).ok());
        below.filter_map(|rest| rest.components().next()).map(|name| folder.join(name)).collect()
    }
}

/// Links are passed over: what they lead to is listed where it is, or hidden.
fn neighbours(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let not_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| !kind.is_symlink());
    entries.flatten().filter(not_link).map(|entry| entry.path()).collect()
}

fn rights_of(access: Access) -> Option<Rights> {
    match access {
        Access::Hidden => None,
        Access::ReadOnly => Some(Rights::Read),
        Access::ReadWrite | Access::Temporary => Some(Rights::Write),
    }
}
