//! Room left where the home is.

use rustix::fs::statvfs;

use super::finding::Finding;
use super::paths::shown;
use super::subject::Subject;

const MIB: u64 = 1024 * 1024;
const GIB: u64 = 1024 * MIB;
/// Below this, transcripts and logs soon fill what is left.
const LITTLE: u64 = GIB;
/// Below this, writes are about to fail.
const NEARLY_NONE: u64 = 100 * MIB;

/// What an ordinary user may still write to the home's file system.
pub(super) fn free(subject: &Subject) -> Finding {
    subject.with_home(|home| match statvfs(home.path()) {
        Ok(disk) => judge(disk.f_bavail.saturating_mul(disk.f_frsize)),
        Err(error) => Finding::warning(
            format!("the file system of {} does not tell: {error}", shown(home.path(), subject)),
            "check that it is mounted and answers",
        ),
    })
}

fn judge(free: u64) -> Finding {
    let seen = format!("{} free for the home", amount(free));
    let advice = "make room on the home's file system, or set HERMES_HOME to a larger one";
    match free {
        ..NEARLY_NONE => Finding::failure(seen, advice),
        NEARLY_NONE..LITTLE => Finding::warning(seen, advice),
        LITTLE.. => Finding::ok(seen),
    }
}

fn amount(bytes: u64) -> String {
    if bytes < GIB {
        return format!("{} MiB", bytes / MIB);
    }
    let tenths = bytes / (GIB / 10);
    format!("{}.{} GiB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::super::finding::Status;
    use super::{GIB, MIB, judge};

    #[test]
    fn little_room_is_a_warning_and_nearly_none_a_failure() {
        for (free, status, seen) in [
            (0, Status::Failure, "0 MiB free for the home"),
            (100 * MIB - 1, Status::Failure, "99 MiB free for the home"),
            (100 * MIB, Status::Warning, "100 MiB free for the home"),
            (GIB - 1, Status::Warning, "1023 MiB free for the home"),
            (GIB, Status::Ok, "1.0 GiB free for the home"),
            (GIB * 5 / 2, Status::Ok, "2.5 GiB free for the home"),
        ] {
            let finding = judge(free);
            assert_eq!((finding.status, finding.seen.as_str()), (status, seen));
            assert_eq!(finding.advice.is_some(), status != Status::Ok);
        }
    }
}
