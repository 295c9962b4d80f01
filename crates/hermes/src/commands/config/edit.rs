//! `hermes config edit`: config.yaml in the person's editor.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;
use hermes_home::config::{Draft, Edited};
use hermes_proto::Fault;
use hermes_sandbox::process;

use crate::context::Context;
use crate::exit::Failure;

/// Edit config.yaml in $VISUAL, $EDITOR or vi
///
/// The editor works on a copy, which replaces the file only if it can be used.
#[derive(Debug, Args)]
pub(crate) struct Typed {}

pub(crate) fn run(_: &Typed, context: &mut Context) -> Result<(), Failure> {
    let home = context.home()?;
    let draft = Draft::create(&home)?;
    if let Err(failure) = open_editor(draft.path(), context) {
        let kept = !draft.discard_if_unchanged()?;
        let hint = format!("what you wrote is kept in {}", draft.path().display());
        return Err(if kept { failure.hint(hint) } else { failure });
    }
    let path = home.config_path();
    match draft.finish(&home, &context.environment)? {
        Edited::Unchanged => context.note(format_args!("{} was not changed", path.display())),
        Edited::Replaced(warnings) => {
            for warning in warnings {
                context.note(format_args!("warning: {}", warning.at(&path)));
            }
        }
    }
    Ok(())
}

/// Runs the editor on the terminal until it ends.
fn open_editor(file: &Path, context: &Context) -> Result<(), Failure> {
    let editor = ["VISUAL", "EDITOR"].iter().find_map(|name| context.environment.path(name));
    let editor = editor.map_or_else(|| OsString::from("vi"), Into::into);
    // An editor may come with arguments (`code --wait`), so the shell takes it apart, as git does.
    let mut script = editor.clone();
    script.push(" \"$@\"");
    let status = process::command("/bin/sh")
        .args([OsString::from("-c"), script, editor.clone(), file.into()])
        .envs(context.environment.iter())
        .status();
    let editor = editor.display();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(
            Fault::Failed,
            format_args!("the editor {editor} ended with {status}; nothing was changed"),
        )),
        Err(error) => Err(Failure::new(Fault::Failed, format_args!("cannot start the editor {editor}: {error}"))),
    }
}
