//! Taking in a profile from an archive that may be hostile.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use hermes_proto::ProfileName;

use super::ArchiveError;
use super::export::LeftOut;
use super::metered::{Allowance, Metered};
use super::unpack::Unpacking;
use crate::HomeRoot;
use crate::profiles::ProfileError;
use crate::profiles::create::refuse_existing;
use crate::profiles::staging::Staging;

/// The label of the folder under construction: the name is known only later.
const LABEL: &str = "import";
/// Bytes of headers, long names and attributes that one entry may have.
const DESCRIPTION: u64 = 1 << 20;
/// Bytes of padding that may follow the end of an archive.
const TRAILER: u64 = 16 << 20;

/// How the new profile is called.
#[derive(Debug, Clone)]
pub enum ImportName {
    /// Like the archive's folder.
    FromArchive,
    Given(ProfileName),
}

/// What an archive may unpack to.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub bytes: u64,
    pub entries: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 4 << 30, entries: 250_000 }
    }
}

/// A profile that came out of an archive.
#[derive(Debug)]
pub struct Imported {
    pub name: ProfileName,
    pub path: std::path::PathBuf,
    pub files: u64,
    pub bytes: u64,
    /// What was in the archive and is not taken in.
    pub left_out: Vec<LeftOut>,
}

/// Unpacks an archive into a new profile, all of it or nothing. `progress` hears
/// how many bytes have been unpacked.
pub fn import(
    root: &HomeRoot,
    archive: impl Read,
    name: &ImportName,
    limits: Limits,
    progress: &mut dyn FnMut(u64),
) -> Result<Imported, ProfileError> {
    if let ImportName::Given(name) = name {
        refuse_existing(root, name)?;
    }
    let staging = Staging::begin(root, LABEL)?;
    let mut unpacking = Unpacking::new(staging.path(), limits, progress);
    unpack(archive, &mut unpacking, |unpacking| early_refusal(root, name, unpacking))?;
    let unpacked = unpacking.finish()?;
    let name = match name {
        ImportName::Given(name) => name.clone(),
        ImportName::FromArchive => name_of(&unpacked.top)?,
    };
    let path = staging.publish(&name)?;
    Ok(Imported { name, path, files: unpacked.files, bytes: unpacked.bytes, left_out: unpacked.left_out })
}

/// Reads the archive to its very end, so that its checksum is verified too.
fn unpack(
    archive: impl Read,
    unpacking: &mut Unpacking<'_>,
    mut after_each: impl FnMut(&Unpacking<'_>) -> Result<(), ProfileError>,
) -> Result<(), ProfileError> {
    let allowance = Allowance::default();
    let mut archive = tar::Archive::new(Metered::new(MultiGzDecoder::new(archive), allowance.clone()));
    let unreadable = |error: io::Error, too_much: ArchiveError| {
        if allowance.is_used_up() { too_much } else { ArchiveError::Unreadable(error) }
    };

    let mut entries = archive.entries().map_err(ArchiveError::Unreadable)?;
    loop {
        allowance.set(DESCRIPTION);
        let Some(entry) = entries.next() else { break };
        let mut entry =
            entry.map_err(|error| unreadable(error, ArchiveError::DescriptionTooLarge { limit: DESCRIPTION }))?;
        allowance.set(DESCRIPTION.saturating_add(entry.size()));
        unpacking.take(&mut entry)?;
        after_each(unpacking)?;
    }
    allowance.set(TRAILER);
    let drained = io::copy(&mut archive.into_inner(), &mut io::sink());
    drained.map_err(|error| unreadable(error, ArchiveError::TrailingData { limit: TRAILER }))?;
    Ok(())
}

/// Says no as soon as the archive's folder is known, before all of it is unpacked.
fn early_refusal(root: &HomeRoot, name: &ImportName, unpacking: &Unpacking<'_>) -> Result<(), ProfileError> {
    match (name, unpacking.top()) {
        (ImportName::FromArchive, Some(top)) if unpacking.entries() == 1 => refuse_existing(root, &name_of(top)?),
        _ => Ok(()),
    }
}

fn name_of(top: &std::ffi::OsStr) -> Result<ProfileName, ArchiveError> {
    top.to_string_lossy().parse().map_err(ArchiveError::Name)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::{ArchiveError, ImportName, Limits, ProfileError, import};
    use crate::{HomeRoot, profiles};
    use hermes_proto::HostEnvironment;

    fn packed(files: &[(&str, usize)]) -> Vec<u8> {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, size) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(*size as u64);
            header.set_mode(0o600);
            archive.append_data(&mut header, path, vec![0; *size].as_slice()).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn an_archive_may_reach_its_limits_and_not_pass_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = HomeRoot::find(&HostEnvironment::from_pairs([("HERMES_HOME", folder.path())])).unwrap();
        let check = |bytes: u64, entries: u64, expected: &str| {
            let archive = packed(&[("work/a", 60), ("work/b", 40)]);
            let mut heard = 0;
            let limits = Limits { bytes, entries };
            let outcome = import(&root, &*archive, &ImportName::FromArchive, limits, &mut |bytes| heard = bytes);
            let found = match outcome {
                Ok(imported) => {
                    profiles::delete(&root, &imported.name).unwrap();
                    assert_eq!(heard, 100);
                    "taken"
                }
                Err(ProfileError::Archive(ArchiveError::TooLarge { .. })) => "large",
                Err(ProfileError::Archive(ArchiveError::TooManyEntries { .. })) => "many",
                Err(error) => panic!("{error}"),
            };
            assert_eq!(found, expected, "{limits:?}");
            assert_eq!(entries_of(&root.profiles_path()), 0, "{limits:?}");
        };
        check(100, 2, "taken");
        check(99, 2, "large");
        check(59, 2, "large");
        check(100, 1, "many");
        check(0, 0, "many");
    }

    fn entries_of(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }
}
