//! Files that answers send: found in the answer, taken out of the agent's place, kept until they are delivered. And files that come with
//! a message: put into that place.
//!
//! A path in an answer is the agent's word. It is only ever opened by the executor, where the agent's own commands run: a path to a
//! secret of this machine is one that the agent cannot read.

mod arrive;
mod enclose;
mod mention;
mod name;
mod orphans;

pub(crate) use arrive::Arriving;
pub(crate) use enclose::{Enclosed, Enclosing};
pub(crate) use mention::without_mentions;
pub(crate) use orphans::remove_orphans;

use hermes_agent::{Session, Toolset};

/// Bytes of one file, whatever the platform takes.
const MOST_BYTES: u64 = 20 * 1024 * 1024;
/// With none of these an agent reads no files, so it sends none and gets none.
const READING: [Toolset; 3] = [Toolset::Terminal, Toolset::File, Toolset::CodeExecution];

/// The folder in the home.
pub(crate) const FOLDER: &str = "cache/outgoing";
/// What the model is told about it.
pub(crate) const ABOUT: &str = "You are in a chat. To send a file to it, write MEDIA: and the file's absolute path on a line of its own \
     in your answer, outside of code blocks, for example MEDIA:/tmp/chart.png";

fn reads_files(session: &Session) -> bool {
    session.tools().iter().any(|tool| READING.contains(&tool.toolset()))
}
