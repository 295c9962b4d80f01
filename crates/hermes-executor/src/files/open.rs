//! Opening a file to read it, only if it is one.
//!
//! Opening a pipe waits for a writer, opening some devices acts on them, and a link may have
//! been turned around since it was looked at: so the kind is asked before and after, and the
//! descriptor never blocks.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use hermes_proto::executor::{FileKind, FileProblem};
use rustix::fs::OFlags;

use super::{problem, shown};

/// Opens a regular file, following links.
pub(super) fn open_regular(path: &Path) -> Result<(File, Metadata), FileProblem> {
    let failed = |error| problem::from_io(path, "cannot be opened", &error);
    must_be_regular(path, &fs::metadata(path).map_err(failed)?)?;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    must_be_regular(path, &metadata)?;
    Ok((file, metadata))
}

pub(super) fn kind_of(file_type: FileType) -> FileKind {
    match file_type {
        kind if kind.is_file() => FileKind::File,
        kind if kind.is_dir() => FileKind::Folder,
        kind if kind.is_symlink() => FileKind::Link,
        kind if kind.is_fifo() => FileKind::Fifo,
        kind if kind.is_socket() => FileKind::Socket,
        kind if kind.is_char_device() || kind.is_block_device() => FileKind::Device,
        _ => FileKind::Other,
    }
}

pub(super) fn must_be_regular(path: &Path, metadata: &Metadata) -> Result<(), FileProblem> {
    match kind_of(metadata.file_type()) {
        FileKind::File => Ok(()),
        kind => Err(FileProblem::NotAFile { path: shown::path(path), kind }),
    }
}
