//! Where the output of a slot's service goes: bounded files in the home, with times, and the
//! container's own log, as it is.

use std::path::PathBuf;
use std::process::Command;

use hermes_home::files;
use hermes_proto::HostEnvironment;
use hermes_sandbox::process;

use super::SlotData;
use crate::places::{Places, data_folder};

/// Ten older files of a megabyte each.
const KEEP: [&str; 3] = ["n10", "s1000000", "T"];

/// The logger of this slot, ready to be executed. Without a folder to write to it still passes
/// everything on, and says what is wrong.
pub fn log_command(data: &SlotData, places: &Places, container: &HostEnvironment) -> (Command, Option<String>) {
    let folder: PathBuf = data_folder(container).join("logs/gateways").join(data.home.as_str());
    let mut command = process::command(places.tool("s6-log"));
    command.args(["--", "1"]);
    // One that a killed logger of another container left would be waited for.
    let made = files::create_private_dir(&folder);
    match made {
        Ok(()) => {
            command.args(KEEP).arg(&folder);
            (command, None)
        }
        Err(error) => (command, Some(error.to_string())),
    }
}
