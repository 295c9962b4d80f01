//! What the model is told before the conversation.
//!
//! Put together once, when a conversation begins, and kept with it: a prompt that differs by one byte makes every
//! provider read the whole conversation again. So nothing here changes within a day of a session but by its owner's hand.

mod environment;
mod files;
mod guidance;
mod memory;
mod project;
mod skills;

use hermes_home::files::FileError;
use hermes_proto::{Explain, Fault};

use crate::agent::AgentParts;
use crate::memory::MemoryError;
use crate::registry::Registry;

/// A prompt that cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Memory(#[from] MemoryError),
    #[error("reading its files failed unexpectedly")]
    Panicked,
}

impl Explain for PromptError {
    fn fault(&self) -> Fault {
        match self {
            Self::File(error) => error.fault(),
            Self::Memory(error) => error.fault(),
            Self::Panicked => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Memory(error) => error.hint(),
            Self::Panicked => None,
        }
    }
}

/// The prompt of a conversation with these tools that begins now. `about` is what its surface says about itself.
pub(crate) fn build(parts: &AgentParts, tools: &Registry, about: Option<String>) -> Result<String, PromptError> {
    let sections = [
        guidance::identity(&parts.home)?,
        guidance::tools(tools),
        memory::told(&parts.home, &parts.config)?,
        skills::told(&parts.home, &parts.config, tools),
        project::told(&parts.folder),
        environment::told(parts),
        about.unwrap_or_default(),
    ];
    Ok(joined(sections))
}

/// The prompt of a delegated task: the same for all children of an agent.
pub(crate) fn for_child(parts: &AgentParts) -> String {
    joined([guidance::CHILD.to_owned(), guidance::tools(&parts.tools), environment::told(parts)])
}

fn joined(sections: impl IntoIterator<Item = String>) -> String {
    let sections: Vec<String> = sections.into_iter().map(|section| section.trim().to_owned()).collect();
    sections.iter().filter(|section| !section.is_empty()).cloned().collect::<Vec<_>>().join("\n\n")
}
