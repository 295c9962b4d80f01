//! What can go wrong with a file of the home, told so that it can be mended.

use std::io;
use std::path::PathBuf;

use hermes_proto::{Explain, Fault};

/// A failed read or change of one file. The old content is intact in every case.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot {step} {}: {source}", path.display())]
    Io { step: &'static str, path: PathBuf, source: io::Error },
}

impl Explain for FileError {
    fn fault(&self) -> Fault {
        Fault::Failed
    }
}
