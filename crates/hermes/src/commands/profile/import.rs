//! `hermes profile import`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use hermes_home::profiles::archive::{self, ImportName, Limits};
use hermes_proto::Fault;

use super::left_out;
use super::progress::{Progress, Total};
use super::size::human_in_files;
use crate::context::Context;
use crate::exit::Failure;

const STANDARD_INPUT: &str = "-";

/// Create a profile from an exported file
///
/// All of it is taken in or nothing. Refused are archives that are damaged, hold more than one
/// folder, would write outside of it, hold devices, or unpack to more than 4 GiB or 250000 entries.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// The file to read; - for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Name of the new profile [default: the name of the archive's folder]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

struct Import {
    source: Source,
    name: ImportName,
}

enum Source {
    StandardInput,
    File(PathBuf),
}

impl Typed {
    fn check(self) -> Result<Import, Failure> {
        let name = match self.name {
            Some(name) => ImportName::Given(name.parse()?),
            None => ImportName::FromArchive,
        };
        let is_input = self.file.as_os_str() == STANDARD_INPUT;
        let source = if is_input { Source::StandardInput } else { Source::File(self.file) };
        Ok(Import { source, name })
    }
}

pub(super) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    let Import { source, name } = typed.check()?;
    let reader: Box<dyn Read> = match source {
        Source::StandardInput => Box::new(io::stdin().lock()),
        Source::File(path) => Box::new(open(&path)?),
    };
    let mut progress = Progress::start("unpacking", Total::Unknown);
    let imported =
        archive::import(&context.root()?, reader, &name, Limits::default(), &mut |bytes| progress.reached(bytes))?;
    drop(progress);
    left_out::tell(&imported.left_out, context);
    let (name, path) = (&imported.name, imported.path.display());
    let size = human_in_files(imported.bytes, imported.files);
    context.note(format_args!("created profile {name} in {path}: {size}"));
    Ok(())
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path)
        .map_err(|error| Failure::new(Fault::Failed, format_args!("cannot open {}: {error}", path.display())))
}
