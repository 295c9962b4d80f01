//! `hermes profile export`.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::{Args, ValueHint};
use hermes_home::HomeName;
use hermes_home::profiles::ProfileError;
use hermes_home::profiles::archive::{self, Overwrite, Plan, Secrets};

use super::left_out;
use super::progress::{Progress, Total};
use crate::context::{Context, usage};
use crate::exit::Failure;

const STANDARD_OUTPUT: &str = "-";

/// Pack a profile into one file
///
/// The file is a tar.gz with one folder, readable only by you. Left out are what belongs to a
/// running program (logs, cache, locks, pid files, sockets), links that lead out of the profile,
/// and, unless --with-secrets is given, credentials (.env, auth.json, tokens, backups).
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// The profile to pack, or "default"
    name: String,
    /// Where to write; - for standard output [default: NAME.tar.gz in this folder]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Include credentials
    #[arg(long)]
    with_secrets: bool,
}

struct Export {
    name: HomeName,
    target: Target,
    secrets: Secrets,
}

enum Target {
    StandardOutput,
    File(PathBuf, Overwrite),
}

impl Typed {
    fn check(self) -> Result<Export, Failure> {
        let name: HomeName = self.name.parse()?;
        let overwrite = if self.force { Overwrite::Replace } else { Overwrite::Refuse };
        let target = match self.output {
            Some(path) if path.as_os_str() == STANDARD_OUTPUT => Target::StandardOutput,
            Some(path) => Target::File(path, overwrite),
            None => Target::File(PathBuf::from(format!("{name}.tar.gz")), overwrite),
        };
        if matches!(target, Target::StandardOutput) && io::stdout().is_terminal() {
            return Err(usage("an archive is not for a terminal: redirect the output or name a file with -o"));
        }
        let secrets = if self.with_secrets { Secrets::Included } else { Secrets::LeftOut };
        Ok(Export { name, target, secrets })
    }
}

pub(super) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    let Export { name, target, secrets } = typed.check()?;
    let plan = archive::plan(&context.root()?, &name, secrets)?;
    if plan.gateway_runs {
        context.note("warning: its gateway is running: for an exact copy of its databases stop it first");
    }
    write(&plan, &target, context)?;
    left_out::tell(&plan.left_out, context);
    if let Target::File(path, _) = target {
        context.note(format_args!("packed {name} into {}", path.display()));
    }
    Ok(())
}

fn write(plan: &Plan, target: &Target, context: &mut Context) -> Result<(), Failure> {
    let mut progress = Progress::start("packing", Total::Known(plan.bytes));
    let mut reached = |bytes| progress.reached(bytes);
    match target {
        Target::File(path, overwrite) => Ok(plan.write_file(path, *overwrite, &mut reached)?),
        Target::StandardOutput => plan.write(context.output(), &mut reached).map_err(|error| match error {
            ProfileError::Output(error) => Failure::output(&error),
            error => error.into(),
        }),
    }
}
