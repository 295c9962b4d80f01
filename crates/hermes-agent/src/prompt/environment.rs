//! Where the model is: facts that stay the same for the whole conversation.

use jiff::Timestamp;

use crate::agent::AgentParts;

pub(super) fn told(parts: &AgentParts) -> String {
    let date = Timestamp::now().to_string();
    let date = date.split('T').next().unwrap_or_default();
    format!(
        "# Environment\nOperating system: {} ({})\nCommands run: {}\nFolder of the work: {}\nDate when this conversation began (UTC): {date}",
        std::env::consts::OS,
        std::env::consts::ARCH,
        parts.config.terminal.backend.as_str(),
        parts.folder.display(),
    )
}
