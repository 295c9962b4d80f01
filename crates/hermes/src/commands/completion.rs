//! `hermes completion`: a script that completes this command line in a shell.

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;

use crate::context::Context;
use crate::exit::Failure;

/// Print a completion script for a shell
///
/// For bash: hermes completion bash > ~/.local/share/bash-completion/completions/hermes
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Typed {
    #[arg(value_enum)]
    shell: Supported,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Supported {
    Bash,
    Zsh,
    Fish,
}

impl From<Supported> for Shell {
    fn from(shell: Supported) -> Self {
        match shell {
            Supported::Bash => Self::Bash,
            Supported::Zsh => Self::Zsh,
            Supported::Fish => Self::Fish,
        }
    }
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let mut script = Vec::new();
    let mut command = crate::typed::Typed::command();
    clap_complete::generate(Shell::from(typed.shell), &mut command, "hermes", &mut script);
    context.print(String::from_utf8_lossy(&script))
}
