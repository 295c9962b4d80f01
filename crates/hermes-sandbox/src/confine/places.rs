//! Which access holds where: the paths of a confinement, resolved and put in order.
//!
//! Paths are given by the operator, but what they lead to may have been arranged by
//! whatever ran in the workspace before: a link there must not widen the next session.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{ConfineError, Confinement};

/// Each is private inside a mount namespace, and shared where there is none.
pub(super) const TEMPORARY: &[&str] = &["/tmp", "/var/tmp"];

/// Parts of `/run` that ordinary programs need: name resolution, and whole systems
/// that keep their programs there.
const NEEDED_IN_RUN: &[&str] = &[
    "/run/systemd/resolve/resolv.conf",
    "/run/systemd/resolve/stub-resolv.conf",
    "/run/NetworkManager/resolv.conf",
    "/run/NetworkManager/no-stub-resolv.conf",
    "/run/resolvconf/resolv.conf",
    "/run/current-system",
    "/run/booted-system",
    "/run/opengl-driver",
    "/run/wrappers",
];

/// The device nodes that programs may expect anywhere.
pub(super) const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// What holds at a place and below it, until a deeper place says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    Hidden,
    ReadOnly,
    ReadWrite,
    /// An empty folder of its own, or the shared one without a mount namespace.
    Temporary,
}

impl Access {
    fn word(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::ReadOnly => "read-only",
            Self::ReadWrite => "writable",
            Self::Temporary => "private",
        }
    }

    /// Nothing of what the host has there is seen.
    pub(super) fn covers(self) -> bool {
        matches!(self, Self::Hidden | Self::Temporary)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Folder,
    /// Anything that is not a folder: files, sockets.
    File,
}

/// One place, with what it was before the confinement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Without links.
    pub(super) path: PathBuf,
    pub(super) access: Access,
    pub(super) shape: Shape,
    /// Device and inode number.
    pub(super) identity: (u64, u64),
}

/// All places, outer before inner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Places(Vec<Place>);

impl Places {
    /// Resolves the paths of a confinement, and adds those that hold for every one.
    pub(super) fn resolve(confinement: &Confinement) -> Result<Self, ConfineError> {
        let mut places = Self::default();
        for path in &confinement.writable {
            places.add_writable(path, confinement)?;
        }
        for (paths, access) in [(&confinement.hidden, Access::Hidden), (&confinement.readable, Access::ReadOnly)] {
            for path in paths {
                places.add_if_there(path, access)?;
            }
        }
        places.add_of_every_confinement()?;
        places.hold_in_place();
        places.0.sort_by(|a, b| a.path.cmp(&b.path));
        places.drop_needless();
        Ok(places)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Place> {
        self.0.iter()
    }

    /// The innermost place around `path`, itself not counted.
    pub(super) fn around(&self, path: &Path) -> Option<&Place> {
        let outer = self.0.iter().filter(|place| place.path != path && path.starts_with(&place.path));
        outer.max_by_key(|place| place.path.as_os_str().len())
    }

    /// The place at `path` itself.
    pub(super) fn at(&self, path: &Path) -> Option<&Place> {
        self.0.iter().find(|place| place.path == path)
    }

    /// Whether a place lies below `folder`.
    pub(super) fn has_below(&self, folder: &Path) -> bool {
        self.0.iter().any(|place| place.path != folder && place.path.starts_with(folder))
    }

    fn add_writable(&mut self, given: &Path, confinement: &Confinement) -> Result<(), ConfineError> {
        let place = Place::resolve(given, Access::ReadWrite)
            .map_err(|source| ConfineError::Writable { path: given.to_owned(), source })?;
        for kernel in ["/proc", "/sys", "/dev"] {
            if place.path.starts_with(kernel) {
                return Err(ConfineError::Path { path: place.path, reason: "it belongs to the kernel" });
            }
        }
        if place.path == Path::new("/") {
            return Err(ConfineError::Path { path: place.path, reason: "the whole system cannot be writable" });
        }
        not_redirected(given, &place.path, confinement)?;
        self.add(place)
    }

    fn add_if_there(&mut self, given: &Path, access: Access) -> Result<(), ConfineError> {
        match Place::resolve(given, access) {
            Ok(place) if place.path == Path::new("/") => {
                Err(ConfineError::Path { path: given.to_owned(), reason: "it is the root of all" })
            }
            Ok(place) => self.add(place),
            // What we cannot reach, those inside cannot either.
            Err(_) => Ok(()),
        }
    }

    fn add(&mut self, place: Place) -> Result<(), ConfineError> {
        match self.at(&place.path) {
            Some(present) if present.access == place.access => Ok(()),
            Some(present) => {
                let (first, second) = (present.access.word(), place.access.word());
                Err(ConfineError::Contradiction { path: place.path, first, second })
            }
            None => {
                self.0.push(place);
                Ok(())
            }
        }
    }

    fn add_of_every_confinement(&mut self) -> Result<(), ConfineError> {
        for (paths, access) in [
            (TEMPORARY, Access::Temporary),
            (["/run"].as_slice(), Access::Hidden),
            (NEEDED_IN_RUN, Access::ReadOnly),
            (["/etc/resolv.conf"].as_slice(), Access::ReadOnly),
        ] {
            for path in paths {
                // What the caller said about the same place is more exact.
                match Place::resolve(Path::new(path), access) {
                    Ok(place) if self.at(&place.path).is_none() => self.add(place)?,
                    Ok(_) | Err(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Folders between a writable place and a hidden one in it become places too, which
    /// pins them: renamed, they would take the hidden one out of the next session's list.
    fn hold_in_place(&mut self) {
        let hidden: Vec<_> = self.0.iter().filter(|place| place.access == Access::Hidden).cloned().collect();
        for place in hidden {
            let Some(outer) = self.around(&place.path).filter(|outer| outer.access == Access::ReadWrite) else {
                continue;
            };
            let outer = outer.path.clone();
            let between = place.path.ancestors().skip(1).take_while(|folder| **folder != outer);
            for folder in between {
                if let Ok(pinned) = Place::resolve(folder, Access::ReadWrite)
                    && self.at(&pinned.path).is_none()
                {
                    self.0.push(pinned);
                }
            }
        }
    }

    /// Everything is read-only unless said otherwise: where nothing else was said around a
    /// place, saying so again only costs.
    fn drop_needless(&mut self) {
        let needless = |place: &Place| {
            let outer = self.around(&place.path).map(|outer| outer.access);
            place.access == Access::ReadOnly && matches!(outer, None | Some(Access::ReadOnly))
        };
        let needless: Vec<_> = self.0.iter().map(needless).collect();
        let mut needless = needless.into_iter();
        self.0.retain(|_| !needless.next().unwrap_or_default());
    }
}

impl Place {
    fn resolve(given: &Path, access: Access) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        if !given.is_absolute() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
        }
        // Most of what is asked for is not there, which one look tells; the way to it is looked at part by part.
        fs::metadata(given)?;
        let path = fs::canonicalize(given)?;
        let found = fs::symlink_metadata(&path)?;
        let shape = if found.is_dir() { Shape::Folder } else { Shape::File };
        Ok(Self { path, access, shape, identity: (found.dev(), found.ino()) })
    }
}

/// A path given inside another writable one must still lie inside it when links are followed.
fn not_redirected(given: &Path, resolved: &Path, confinement: &Confinement) -> Result<(), ConfineError> {
    for writable in &confinement.writable {
        let inside = given != writable && given.starts_with(writable);
        let still_inside = || fs::canonicalize(writable).is_ok_and(|outer| resolved.starts_with(outer));
        if inside && !still_inside() {
            return Err(ConfineError::Redirected { path: given.to_owned(), writable: writable.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    use super::{Access, Places};
    use crate::confine::{ConfineError, Confinement, Limits, Mode, Network};

    struct Tree {
        folder: tempfile::TempDir,
    }

    impl Tree {
        fn new(folders: &[&str]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            folders.iter().for_each(|name| fs::create_dir_all(folder.path().join(name)).unwrap());
            Self { folder }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn resolve(&self, writable: &[&str], readable: &[&str], hidden: &[&str]) -> Result<Places, ConfineError> {
            let below = |names: &[&str]| names.iter().map(|name| self.path(name)).collect();
            Places::resolve(&Confinement {
                mode: Mode::Auto,
                writable: below(writable),
                readable: below(readable),
                hidden: below(hidden),
                network: Network::On,
                limits: Limits::default(),
                host_name: String::new(),
            })
        }
    }

    #[test]
    fn the_inner_place_decides() {
        let tree = Tree::new(&["home/workspace/deep", "home/skills"]);
        let places = tree.resolve(&["home/workspace"], &["home/skills"], &["home"]).unwrap();
        let access = |path: &str| places.around(&tree.path(path)).map(|place| place.access);
        assert_eq!(access("home/.env"), Some(Access::Hidden));
        assert_eq!(access("home/workspace/deep"), Some(Access::ReadWrite));
        assert_eq!(access("home/skills/one"), Some(Access::ReadOnly));
        assert_eq!(access("home"), Some(Access::Temporary), "/tmp, where the tree is");
    }

    #[test]
    fn folders_around_a_hidden_place_cannot_be_moved_away() {
        let tree = Tree::new(&["work/.config/gcloud"]);
        let places = tree.resolve(&["work"], &[], &["work/.config/gcloud"]).unwrap();
        assert_eq!(places.at(&tree.path("work/.config")).unwrap().access, Access::ReadWrite);
        assert_eq!(places.at(&tree.path("work/.config/gcloud")).unwrap().access, Access::Hidden);
    }

    #[test]
    fn links_are_followed_first() {
        let tree = Tree::new(&["real"]);
        symlink(tree.path("real"), tree.path("link")).unwrap();
        let places = tree.resolve(&["link"], &[], &[]).unwrap();
        assert!(places.at(&tree.path("real")).is_some());
        assert!(places.at(&tree.path("link")).is_none());
    }

    #[test]
    fn a_link_planted_in_the_workspace_does_not_widen_the_next_session() {
        let tree = Tree::new(&["work", "elsewhere"]);
        symlink(tree.path("elsewhere"), tree.path("work/extra")).unwrap();
        let error = tree.resolve(&["work", "work/extra"], &[], &[]).unwrap_err();
        assert!(matches!(error, ConfineError::Redirected { .. }), "{error}");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let tree = Tree::new(&["home"]);
        let check = |writable: &[&str], hidden: &[&str], expected: &str| {
            let error = tree.resolve(writable, &[], hidden).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(&["home"], &["home"], "asked to be writable and hidden at once");
        check(&["missing"], &[], "cannot be made writable: No such file");
        check(&["/"], &[], "the whole system cannot be writable");
        check(&["/proc/self"], &[], "it belongs to the kernel");
        check(&[], &["/"], "it is the root of all");
    }

    #[test]
    fn a_missing_hidden_or_readable_place_is_passed_over() {
        let tree = Tree::new(&["home"]);
        let places = tree.resolve(&["home"], &["none"], &["neither"]).unwrap();
        assert!(places.at(&tree.path("none")).is_none() && places.at(&tree.path("neither")).is_none());
        assert!(places.has_below(Path::new("/")));
    }
}
