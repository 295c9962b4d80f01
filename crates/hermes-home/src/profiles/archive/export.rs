//! Packing a profile.
//!
//! First everything is looked at and decided, then it is written: so the size is
//! known, and an archive that is written into the profile is not part of itself.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{EntryType, Header};

use super::contents::{Class, class};
use super::output::{Output, Overwrite};
use crate::home::NamedBy;
use crate::profiles::tree::{self, Found, Kind, Visit};
use crate::profiles::{ProfileError, guard, link};
use crate::{HomeName, HomeRoot};

const FOLDER_MODE: u32 = 0o700;

/// Whether credentials go into the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    LeftOut,
    Included,
}

/// What an archive of a home will hold.
#[derive(Debug)]
pub struct Plan {
    base: PathBuf,
    top: String,
    entries: Vec<Found>,
    /// Bytes of all files together, before compression.
    pub bytes: u64,
    pub left_out: Vec<LeftOut>,
    /// Whether something writes in the home meanwhile: its databases may be caught
    /// in the middle of a change.
    pub gateway_runs: bool,
}

/// Something of the home that is not in the archive, by its path below the home.
#[derive(Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub path: PathBuf,
    pub why: WhyLeftOut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyLeftOut {
    Class(Class),
    LinkOutside,
    Special,
}

/// Decides what an archive of this home holds.
pub fn plan(root: &HomeRoot, name: &HomeName, secrets: Secrets) -> Result<Plan, ProfileError> {
    let base = root.path_of(name);
    if let HomeName::Profile(profile) = name
        && !base.is_dir()
    {
        return Err(root.missing(profile.clone(), NamedBy::CommandLine).into());
    }
    let mut left_out = Vec::new();
    let mut entries = tree::walk(&base, |relative| match class(relative) {
        Class::Content => Visit::Enter,
        Class::Secret if secrets == Secrets::Included => Visit::Enter,
        class => {
            left_out.push(LeftOut { path: relative.to_owned(), why: WhyLeftOut::Class(class) });
            Visit::Skip
        }
    })?;
    entries.retain(|found| match unfit(found) {
        None => true,
        Some(why) => {
            left_out.push(LeftOut { path: found.relative.clone(), why });
            false
        }
    });
    let bytes = entries.iter().filter(|found| found.kind == Kind::File).map(|found| found.size).sum();
    let gateway_runs = guard::is_running(&base);
    Ok(Plan { base, top: name.as_str().to_owned(), entries, bytes, left_out, gateway_runs })
}

impl Plan {
    /// Writes the archive to a file that is there complete or not at all.
    /// `progress` hears how many bytes have been packed.
    pub fn write_file(
        &self,
        path: &Path,
        overwrite: Overwrite,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), ProfileError> {
        let mut output = Output::create(path, overwrite)?;
        self.write(&mut output, progress).map_err(|error| match error {
            ProfileError::Output(error) => ProfileError::at("write", path)(error),
            error => error,
        })?;
        output.keep()
    }

    /// Writes the archive.
    pub fn write(&self, output: impl Write, progress: &mut dyn FnMut(u64)) -> Result<(), ProfileError> {
        let mut archive = tar::Builder::new(GzEncoder::new(output, Compression::default()));
        let mut top = header(EntryType::Directory, FOLDER_MODE);
        archive.append_data(&mut top, &self.top, io::empty()).map_err(ProfileError::Output)?;
        let mut tally = Tally { packed: 0, progress };
        for found in &self.entries {
            self.append(&mut archive, found, &mut tally)?;
        }
        let compressed = archive.into_inner().map_err(ProfileError::Output)?;
        compressed.finish().and_then(|mut output| output.flush()).map_err(ProfileError::Output)
    }

    fn append<W: Write>(
        &self,
        archive: &mut tar::Builder<W>,
        found: &Found,
        tally: &mut Tally<'_>,
    ) -> Result<(), ProfileError> {
        let name = Path::new(&self.top).join(&found.relative);
        match &found.kind {
            Kind::Folder => {
                let mut header = described(EntryType::Directory, found);
                archive.append_data(&mut header, name, io::empty()).map_err(ProfileError::Output)
            }
            Kind::Link(target) => {
                let mut header = described(EntryType::Symlink, found);
                archive.append_link(&mut header, name, target).map_err(ProfileError::Output)
            }
            Kind::File => self.append_file(archive, &name, found, tally),
            // The plan has none.
            Kind::Special => Ok(()),
        }
    }

    fn append_file<W: Write>(
        &self,
        archive: &mut tar::Builder<W>,
        name: &Path,
        found: &Found,
        tally: &mut Tally<'_>,
    ) -> Result<(), ProfileError> {
        let path = self.base.join(&found.relative);
        let mut reader = Exact { file: tree::open_file(&path)?, left: found.size, failure: None, tally };
        let mut header = described(EntryType::Regular, found);
        header.set_size(found.size);
        let appended = archive.append_data(&mut header, name, &mut reader);
        match (appended, reader.failure) {
            (_, Some(Short::Ended)) => Err(ProfileError::Changed { path }),
            (_, Some(Short::Failed(error))) => Err(ProfileError::at("read", &path)(error)),
            (appended, None) => appended.map_err(ProfileError::Output),
        }
    }
}

/// Why an entry that belongs into the archive cannot be in it.
fn unfit(found: &Found) -> Option<WhyLeftOut> {
    match &found.kind {
        Kind::Special => Some(WhyLeftOut::Special),
        Kind::Link(target) if !link::stays_inside(link::depth(&found.relative), target) => {
            Some(WhyLeftOut::LinkOutside)
        }
        Kind::Folder | Kind::File | Kind::Link(_) => None,
    }
}

/// A header without owner and time: nobody else needs to know who packed this.
fn header(entry_type: EntryType, mode: u32) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(entry_type);
    header.set_mode(mode);
    header.set_size(0);
    header
}

fn described(entry_type: EntryType, found: &Found) -> Header {
    let mut header = header(entry_type, found.mode);
    header.set_mtime(found.modified);
    header
}

/// Exactly as many bytes of a file as were announced, however it grows or shrinks
/// meanwhile. It keeps its failure, which is not the archive's.
struct Exact<'a, 'b> {
    file: std::fs::File,
    left: u64,
    failure: Option<Short>,
    tally: &'a mut Tally<'b>,
}

/// How much has been packed, and who wants to know.
struct Tally<'a> {
    packed: u64,
    progress: &'a mut dyn FnMut(u64),
}

impl Tally<'_> {
    fn add(&mut self, bytes: u64) {
        self.packed += bytes;
        (self.progress)(self.packed);
    }
}

enum Short {
    Ended,
    Failed(io::Error),
}

impl Read for Exact<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = (&mut self.file).take(self.left).read(buffer);
        match read {
            Ok(0) if self.left > 0 && !buffer.is_empty() => self.failure = Some(Short::Ended),
            Ok(count) => {
                self.left -= count as u64;
                self.tally.add(count as u64);
                return Ok(count);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => self.failure = Some(Short::Failed(error)),
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}
