//! The scan directory as the scanner finds it: its own programs and the services that every
//! container has. Slots of gateways come later.

use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use hermes_proto::HostEnvironment;

use crate::manager::StartAfter;
use crate::places::Places;
use crate::slot::seed_supervision;
use crate::yes::is_yes;

/// The service that follows the profiles.
pub(super) const WATCH: &str = "watch";

/// Signals of a container that go to its main program.
const PASSED_ON: [&str; 6] = ["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP", "SIGUSR1", "SIGUSR2"];

/// Fills the empty scan directory.
pub(super) fn build(places: &Places, environment: &HostEnvironment) -> io::Result<()> {
    let scanner = places.scan.join(".s6-svscan");
    std::fs::create_dir(&scanner)?;
    for name in ["finish", "crash"] {
        symlink(places.programs.join("finish"), scanner.join(name))?;
    }
    for name in PASSED_ON {
        symlink(places.programs.join(name), scanner.join(name))?;
    }
    // The keeper starts it when every home has its slot; before that the two would race.
    service(places, WATCH, StartAfter::WhenAsked)?;
    let dashboard = if dashboard_is_on(environment) { StartAfter::Now } else { StartAfter::WhenAsked };
    service(places, "dashboard", dashboard)
}

/// `HERMES_DASHBOARD`: 1, true or yes in any case; nothing else.
pub fn dashboard_is_on(environment: &HostEnvironment) -> bool {
    environment.text("HERMES_DASHBOARD").is_some_and(is_yes)
}

fn service(places: &Places, name: &str, start: StartAfter) -> io::Result<()> {
    let folder = places.scan.join(name);
    std::fs::create_dir(&folder)?;
    write(&folder, "type", "longrun\n")?;
    write(&folder, "timeout-kill", "3000\n")?;
    symlink(places.programs.join(name), folder.join("run"))?;
    symlink(places.programs.join("ended"), folder.join("finish"))?;
    if start == StartAfter::WhenAsked {
        write(&folder, "down", "")?;
    }
    seed_supervision(&folder)
}

fn write(folder: &Path, name: &str, content: &str) -> io::Result<()> {
    std::fs::write(folder.join(name), content)
}
