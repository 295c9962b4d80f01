//! What a slot runs: the gateway of its home, with an environment of its own.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::process::Command;

use hermes_home::HomeName;
use hermes_proto::HostEnvironment;
use hermes_sandbox::process;

use super::SlotData;
use crate::places::{DATA, PROGRAM, data_folder};

/// By these a gateway knows that it is the supervised one. Nothing else sets them.
pub const SENTINELS: [&str; 2] = ["HERMES_S6_SUPERVISED_CHILD", "HERMES_SUPERVISED_CHILD"];

/// Set for the whole container these are meant for the default home; profiles would fight over them.
const OF_THE_DEFAULT_HOME: [&str; 1] = ["API_SERVER_PORT"];

/// The gateway of this slot, ready to be executed. HERMES_HOME is what the container says now.
pub fn gateway_command(data: &SlotData, container: &HostEnvironment) -> Command {
    let mut command = process::command(PROGRAM);
    if let HomeName::Profile(name) = &data.home {
        command.args(["-p", name.as_str()]);
    }
    // One that somebody runs beside the supervisor holds the home's lock; the supervised one is the one that is wanted.
    command
        .args(["gateway", "run", "--replace"])
        .envs(environment(data, container))
        .current_dir(data_folder(container));
    command
}

/// The environment of this slot's service.
pub fn environment(data: &SlotData, container: &HostEnvironment) -> BTreeMap<OsString, OsString> {
    let own = of_home(&data.home, container);
    let mut all: BTreeMap<OsString, OsString> =
        own.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    all.insert("HERMES_HOME".into(), data_folder(container).into());
    all.insert("HOME".into(), DATA.into());
    // A name that no environment can hold would make the start fail; it was refused at registration.
    all.extend(data.environment.iter().map(|(name, value)| (name.into(), value.into())));
    all.extend(SENTINELS.iter().map(|name| (OsString::from(name), OsString::from("1"))));
    all
}

/// The container's variables as far as they are meant for this home.
pub fn of_home(home: &HomeName, container: &HostEnvironment) -> HostEnvironment {
    let is_meant = |name: &OsStr| *home == HomeName::Default || !OF_THE_DEFAULT_HOME.iter().any(|other| name == *other);
    let meant = container.iter().filter(|(name, _)| is_meant(name));
    HostEnvironment::from_pairs(meant.map(|(name, value)| (name.to_owned(), value.to_owned())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ffi::OsStr;

    use hermes_proto::HostEnvironment;

    use super::{environment, gateway_command};
    use crate::slot::SlotData;

    fn slot(home: &str, own: &[(&str, &str)]) -> SlotData {
        let environment = own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        SlotData { home: home.parse().unwrap(), environment }
    }

    #[test]
    fn a_profile_is_named_and_the_default_home_is_not() {
        let nothing = HostEnvironment::from_pairs(BTreeMap::<String, String>::new());
        let words = |home| {
            let command = gateway_command(&slot(home, &[]), &nothing);
            command.get_args().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words("default"), "gateway run --replace");
        assert_eq!(words("coder"), "-p coder gateway run --replace");
    }

    #[test]
    fn the_environment_is_the_containers_with_the_slots_own() {
        let container = HostEnvironment::from_pairs([
            ("HERMES_HOME", "/data"),
            ("API_SERVER_PORT", "8000"),
            ("KEY", "container"),
            ("HERMES_S6_SUPERVISED_CHILD", ""),
        ]);
        let hostile = "a'b\"c$(touch /tmp/x)`id`\n;&|\\ ü";
        let get =
            |home, name: &str| environment(&slot(home, &[("KEY", hostile)]), &container).get(OsStr::new(name)).cloned();
        assert_eq!(get("coder", "KEY").unwrap(), hostile);
        assert_eq!(get("coder", "HERMES_HOME").unwrap(), "/data");
        assert_eq!(get("coder", "HOME").unwrap(), "/opt/data");
        assert_eq!(get("coder", "HERMES_S6_SUPERVISED_CHILD").unwrap(), "1");
        assert_eq!(get("coder", "API_SERVER_PORT"), None, "a port of the container is the default home's");
        assert_eq!(get("default", "API_SERVER_PORT").unwrap(), "8000");
    }
}
