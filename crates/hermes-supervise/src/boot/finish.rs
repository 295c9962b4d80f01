//! The last thing PID 1 does: end with the main program's exit code. Whatever still runs then is
//! ended by the kernel.

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, test_kill_process, wait};

use crate::places::Places;

/// Nobody knows how the main program ended.
const UNKNOWN: u8 = 137;

/// Waits until the main program has ended, which its keeper sees to in bounded time, and answers
/// its exit code.
pub fn finish(places: &Places) -> u8 {
    loop {
        // In this order: a keeper writes the code and then ends.
        let kept = is_alive(places);
        if let Some(code) = recorded(places) {
            return code;
        }
        if !kept {
            return UNKNOWN;
        }
        match wait(WaitOptions::empty()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return recorded(places).unwrap_or(UNKNOWN),
        }
    }
}

/// Whether the keeper is there, or at least not yet waited for.
fn is_alive(places: &Places) -> bool {
    let number = std::fs::read_to_string(places.main_process()).ok().and_then(|text| text.trim().parse().ok());
    number.and_then(Pid::from_raw).is_some_and(|keeper| test_kill_process(keeper).is_ok())
}

fn recorded(places: &Places) -> Option<u8> {
    std::fs::read_to_string(places.exit_code()).ok()?.trim().parse().ok()
}
