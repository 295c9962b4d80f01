//! From a name to the folder and entry to change, without ever leaving the home.
//!
//! The hazard is a link, or a folder swapped for a link between check and use, that
//! makes a write land elsewhere. So every step goes from one open folder to the next
//! with links not followed by the kernel; a link's text is read and walked here.
//! That holds on kernels and under seccomp filters without `openat2`, whose
//! RESOLVE_BENEATH would also refuse absolute links back into the home. A walk may
//! pass outside, where it only looks; it must end inside. Links in `/proc` lead to
//! whatever a process has open, whatever their text says: they are refused.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{OFlags, PROC_SUPER_MAGIC, fstat, fstatfs};
use rustix::io::Errno;

use super::folder::{Created, Folder};
use super::name;
use super::{FileError, FileKind, NameProblem, Step};

/// Links and missing folders on one walk; the kernel's own limit for links.
const DETOURS: usize = 40;

/// An entry of a folder inside the home; when found, it was no link.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) folder: Folder,
    pub(super) name: OsString,
}

impl Place {
    /// Finds where `name` really is. Missing folders on the way are created.
    pub(super) fn find(home: &Path, name: &str) -> Result<Self, FileError> {
        let pending = name::parts(name)?.rev().collect();
        let current = Folder::open(home, OFlags::RDONLY).map_err(|error| match error {
            Errno::NOENT => FileError::NoHome { home: home.to_owned() },
            Errno::NOTDIR => FileError::NotAFolder { path: home.to_owned(), kind: FileKind::at(home) },
            _ => FileError::at(Step::OpenFolder, home.to_owned(), error),
        })?;
        Walk { home, current, above: Vec::new(), way_out: None, outside: None, pending, detours: 0 }.finish()
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path.join(&self.name)
    }
}

/// A link and the text it holds.
#[derive(Debug)]
struct Link {
    path: PathBuf,
    target: PathBuf,
}

/// What tells one folder from all others on this machine.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

#[derive(Debug)]
struct Walk<'home> {
    home: &'home Path,
    current: Folder,
    /// How `current` was reached: from the home, or from a folder outside.
    above: Vec<Folder>,
    /// The last link that was read inside the home.
    way_out: Option<Link>,
    /// Set while outside: the home, to recognise it on the way back.
    outside: Option<Identity>,
    /// Names still to walk, the next one last.
    pending: Vec<OsString>,
    detours: usize,
}

impl Walk<'_> {
    fn finish(mut self) -> Result<Place, FileError> {
        while let Some(name) = self.pending.pop() {
            if name == OsStr::new("..") {
                self.go_up()?;
            } else if !self.pending.is_empty() {
                self.go_down(&name)?;
            } else if let Some(target) = self.current.link(&name)? {
                self.follow(&name, target)?;
            } else {
                return self.arrive(name);
            }
        }
        // A link led to a folder: `/`, or something that ends in `..`.
        self.stay_inside()?;
        Err(FileError::NotAFile { path: self.current.path, kind: FileKind::Folder })
    }

    fn arrive(self, name: OsString) -> Result<Place, FileError> {
        self.stay_inside()?;
        if name::is_reserved(&name) {
            let name = name.to_string_lossy().into_owned();
            return Err(FileError::Name { name, problem: NameProblem::Reserved });
        }
        Ok(Place { folder: self.current, name })
    }

    fn go_down(&mut self, name: &OsStr) -> Result<(), FileError> {
        let access = if self.outside.is_some() { OFlags::PATH } else { OFlags::RDONLY };
        match self.current.enter(name, access) {
            Ok(folder) => self.reach(folder),
            Err(Errno::LOOP | Errno::NOTDIR) => match self.current.link(name)? {
                Some(target) => self.follow(name, target),
                None => self.look_again(name),
            },
            Err(error) => {
                self.stay_inside()?;
                match error {
                    Errno::NOENT => self.create(name),
                    _ => Err(FileError::at(Step::OpenFolder, self.current.path.join(name), error)),
                }
            }
        }
    }

    /// Goes back to where `current` was entered from; from the home, to what is
    /// above it.
    fn go_up(&mut self) -> Result<(), FileError> {
        if let Some(folder) = self.above.pop() {
            self.current = folder;
            return Ok(());
        }
        let path = self.current.path.join("..");
        let folder = self.current.enter(OsStr::new(".."), OFlags::PATH);
        self.start_over(folder.map_err(|error| FileError::at(Step::OpenFolder, path, error))?)
    }

    /// Walks the text of a link in its place.
    fn follow(&mut self, name: &OsStr, target: PathBuf) -> Result<(), FileError> {
        let link = Link { path: self.current.path.join(name), target };
        self.detour(|| FileError::LinkLoop { link: link.path.clone(), target: link.target.clone() })?;
        let magic = fstatfs(&self.current.fd).is_ok_and(|system| system.f_type == PROC_SUPER_MAGIC);
        if magic {
            return Err(self.leaves(self.way_out.as_ref().unwrap_or(&link)));
        }
        self.pending.extend(link.target.components().rev().filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        }));
        let absolute = link.target.is_absolute();
        if self.outside.is_none() {
            self.way_out = Some(link);
        }
        if absolute {
            let root = PathBuf::from("/");
            let folder = Folder::open(&root, OFlags::PATH);
            self.start_over(folder.map_err(|error| FileError::at(Step::OpenFolder, root, error))?)?;
        }
        Ok(())
    }

    /// Goes on from a folder that was not reached from the home.
    fn start_over(&mut self, folder: Folder) -> Result<(), FileError> {
        if self.outside.is_none() {
            self.outside = Some(identity(self.above.first().unwrap_or(&self.current))?);
        }
        self.reach(folder)?;
        self.above.clear();
        Ok(())
    }

    /// Makes this the current folder, and notices when it is the home.
    fn reach(&mut self, folder: Folder) -> Result<(), FileError> {
        let Some(home) = &self.outside else {
            self.above.push(std::mem::replace(&mut self.current, folder));
            return Ok(());
        };
        if identity(&folder)? != *home {
            self.above.push(std::mem::replace(&mut self.current, folder));
            return Ok(());
        }
        let folder = folder.enter(OsStr::new("."), OFlags::RDONLY);
        let folder = folder.map_err(|error| FileError::at(Step::OpenFolder, self.home.to_owned(), error))?;
        self.current = Folder { path: self.home.to_owned(), ..folder };
        self.above.clear();
        self.outside = None;
        Ok(())
    }

    /// Creates a missing folder of the home; the walk then looks at what is there.
    fn create(&mut self, name: &OsStr) -> Result<(), FileError> {
        if self.current.create(name)? == Created::Now
            && let Ok(created) = self.current.enter(name, OFlags::RDONLY)
        {
            self.current.give(&created.fd);
        }
        self.retry(name)
    }

    /// Neither a folder nor a link when it was tried; perhaps it is one by now.
    fn look_again(&mut self, name: &OsStr) -> Result<(), FileError> {
        match self.current.kind(name) {
            FileKind::Folder | FileKind::Link | FileKind::Unknown => self.retry(name),
            kind => Err(FileError::NotAFolder { path: self.current.path.join(name), kind }),
        }
    }

    fn retry(&mut self, name: &OsStr) -> Result<(), FileError> {
        let path = self.current.path.join(name);
        self.detour(|| FileError::Unstable { path })?;
        self.pending.push(name.to_owned());
        Ok(())
    }

    fn detour(&mut self, too_many: impl FnOnce() -> FileError) -> Result<(), FileError> {
        self.detours += 1;
        if self.detours > DETOURS { Err(too_many()) } else { Ok(()) }
    }

    fn stay_inside(&self) -> Result<(), FileError> {
        match (&self.outside, &self.way_out) {
            (Some(_), Some(link)) => Err(self.leaves(link)),
            _ => Ok(()),
        }
    }

    fn leaves(&self, link: &Link) -> FileError {
        FileError::LeavesHome { link: link.path.clone(), target: link.target.clone(), home: self.home.to_owned() }
    }
}

fn identity(folder: &Folder) -> Result<Identity, FileError> {
    let stat = fstat(&folder.fd).map_err(|error| FileError::at(Step::OpenFolder, folder.path.clone(), error))?;
    Ok(Identity { device: stat.st_dev, inode: stat.st_ino })
}
