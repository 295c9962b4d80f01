//! A slot: the folder by which s6 knows the gateway of one home.
//!
//! It holds data only. What runs are programs of the image that the slot links to: nothing that a
//! service can write is ever executed, no value is ever quoted for a shell, and a scan directory on
//! a file system without execution works.

mod build;
mod data;
mod ended;
mod ledger;
mod log;
mod run;

pub use build::{TIME_TO_END, build, seed_supervision};
pub use data::{FILE, SlotData};
pub use ended::{Ended, NextStep, ended};
pub use ledger::{Ledger, Pause};
pub use log::log_command;
pub use run::{SENTINELS, environment, gateway_command, of_home};

use hermes_home::HomeName;

const PREFIX: &str = "gateway-";

/// The name of a home's slot.
pub fn name(home: &HomeName) -> String {
    format!("{PREFIX}{home}")
}

/// The home whose slot has this name. Everything else in the scan directory is none.
pub fn home_of(name: &str) -> Option<HomeName> {
    name.strip_prefix(PREFIX)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{home_of, name};

    #[test]
    fn only_names_of_homes_are_slots() {
        for home in ["default", "coder", "a-b_c", "0"] {
            assert_eq!(home_of(&name(&home.parse().unwrap())).unwrap().as_str(), home);
        }
        for other in
            ["gateway-", "gateway-../x", "gateway-A", ".gateway-a.new", "dashboard", "gateway-a.tmp", "gateway--x"]
        {
            assert_eq!(home_of(other), None, "{other}");
        }
    }
}
