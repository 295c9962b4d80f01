//! Building a slot, all of it, before anybody can see it.
//!
//! The supervisor's folders and its control pipe are made here, by the user that will control it:
//! s6 takes what it finds. The one who registers can then wait for the supervisor by watching them.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::SlotData;
use super::data::FILE;
use crate::manager::{ServiceError, StartAfter};
use crate::places::Places;

/// How long a gateway may take to end before it is killed. Docker gives a container ten seconds; the
/// logs need a moment after that.
pub const TIME_TO_END: Duration = Duration::from_secs(7);

/// Fills the empty folder `slot`.
pub fn build(places: &Places, slot: &Path, data: &SlotData, start: StartAfter) -> Result<(), ServiceError> {
    let at = |action, path: &Path| ServiceError::at(action, path);
    let write = |name: &str, content: &str| {
        let path = slot.join(name);
        std::fs::write(&path, content).map_err(at("write", &path))
    };
    let link = |program: &str, name: &str| {
        let path = slot.join(name);
        symlink(places.programs.join(program), &path).map_err(at("link", &path))
    };
    let log = slot.join("log");
    folder(&log, 0o755).map_err(at("create", &log))?;
    write("type", "longrun\n")?;
    write("timeout-kill", &format!("{}\n", TIME_TO_END.as_millis()))?;
    write(FILE, &data.text())?;
    link("gateway", "run")?;
    link("ended", "finish")?;
    link("gateway-log", "log/run")?;
    if start == StartAfter::WhenAsked {
        write("down", "")?;
    }
    seed_supervision(slot).map_err(at("prepare", slot))?;
    seed_supervision(&log).map_err(at("prepare", &log))
}

/// What s6-supervise would make itself, made by and for the user of this process.
pub fn seed_supervision(service: &Path) -> io::Result<()> {
    const EVENTS: u32 = 0o3730;
    folder(&service.join("event"), EVENTS)?;
    folder(&service.join("supervise"), 0o755)?;
    folder(&service.join("supervise/event"), EVENTS)?;
    let control = service.join("supervise/control");
    mknodat(CWD, &control, FileType::Fifo, Mode::from_raw_mode(0o660), 0)?;
    std::fs::set_permissions(&control, Permissions::from_mode(0o660))
}

/// A folder of exactly this mode, whatever the umask.
fn folder(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode & 0o777).create(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(mode))
}
