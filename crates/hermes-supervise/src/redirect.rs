//! `gateway run` as the main program of a container: the supervised gateway is started instead, and
//! the container stays as long as nobody stops it, however often the gateway crashes.

use std::os::unix::process::CommandExt;

use hermes_proto::HostEnvironment;
use hermes_sandbox::process;

use crate::is_yes;
use crate::manager::ManagerKind;
use crate::slot::SENTINELS;

/// Said on standard error when the supervised gateway was started instead.
pub const NOTICE: &str = "\
The gateway of this home now runs under s6 supervision: it is started again when it crashes, and its output
is in this container's log. This process only keeps the container alive.
To run the gateway as the container's main program instead, use `gateway run --no-supervise` or set
HERMES_GATEWAY_NO_SUPERVISE=1.";

const OPT_OUT: &str = "HERMES_GATEWAY_NO_SUPERVISE";

/// What `--no-supervise` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Supervision {
    Wanted,
    Refused,
}

/// Whether `gateway run` starts the slot instead of being the gateway.
pub fn is_redirected(kind: ManagerKind, flag: Supervision, environment: &HostEnvironment) -> bool {
    let opted_out = environment.text(OPT_OUT).is_some_and(is_yes);
    kind == ManagerKind::S6 && flag == Supervision::Wanted && !is_supervised(environment) && !opted_out
}

/// Whether this process is a slot's service: its supervisor started it.
pub fn is_supervised(environment: &HostEnvironment) -> bool {
    SENTINELS.iter().any(|name| environment.get(name).is_some_and(|value| !value.is_empty()))
}

/// Does nothing until it is ended, with as little memory as can be had. A container that lost its
/// `sleep` stays up all the same.
pub fn keep_container() -> ! {
    let mut sleep = process::command("/bin/sleep");
    let _ = sleep.arg0("sleep").arg("infinity").exec();
    loop {
        std::thread::park();
    }
}

#[cfg(test)]
mod tests {
    use hermes_proto::HostEnvironment;

    use super::{Supervision, is_redirected};
    use crate::ManagerKind;

    #[test]
    fn only_the_first_run_in_a_supervised_container_is_redirected() {
        let check = |kind, flag, pairs: &[(&str, &str)], expected| {
            let environment = HostEnvironment::from_pairs(pairs.iter().copied());
            assert_eq!(is_redirected(kind, flag, &environment), expected, "{kind:?} {flag:?} {pairs:?}");
        };
        check(ManagerKind::S6, Supervision::Wanted, &[], true);
        check(ManagerKind::S6, Supervision::Refused, &[], false);
        check(ManagerKind::None, Supervision::Wanted, &[], false);
        check(ManagerKind::SystemdUser, Supervision::Wanted, &[], false);
        for yes in ["1", "true", "TRUE", "yes", "Yes"] {
            check(ManagerKind::S6, Supervision::Wanted, &[("HERMES_GATEWAY_NO_SUPERVISE", yes)], false);
        }
        for no in ["", "0", "false", "no", "off", "garbage"] {
            check(ManagerKind::S6, Supervision::Wanted, &[("HERMES_GATEWAY_NO_SUPERVISE", no)], true);
        }
        for sentinel in ["HERMES_S6_SUPERVISED_CHILD", "HERMES_SUPERVISED_CHILD"] {
            check(ManagerKind::S6, Supervision::Wanted, &[(sentinel, "1")], false);
            check(ManagerKind::S6, Supervision::Wanted, &[(sentinel, "0")], false);
            check(ManagerKind::S6, Supervision::Wanted, &[(sentinel, "")], true);
        }
    }
}
