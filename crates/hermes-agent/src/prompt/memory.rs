//! What was remembered in earlier conversations.

use hermes_home::Home;
use hermes_home::config::Config;

use super::PromptError;
use super::files::cleaned;
use crate::memory::MemoryFile;
use crate::turn::shorten_text;

/// The two files as they are now, each within its limit.
pub(super) fn told(home: &Home, config: &Config) -> Result<String, PromptError> {
    let mut sections = Vec::new();
    for (file, title) in [(MemoryFile::Notes, "Your notes"), (MemoryFile::User, "What you know about the user")] {
        if !file.is_enabled(&config.memory) {
            continue;
        }
        let entries = file.read(home)?;
        if entries.is_empty() {
            continue;
        }
        let mut text = cleaned(file.name(), &entries.join("\n"));
        shorten_text(&mut text, file.limit(&config.memory));
        sections.push(format!("# {title} (from earlier conversations)\n{text}"));
    }
    Ok(sections.join("\n\n"))
}
