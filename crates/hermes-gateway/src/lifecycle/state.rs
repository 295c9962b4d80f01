//! `gateway_state.json`: what was last observed.
//!
//! What a gateway observes never changes what its operator wants, which is a file of its own (`hermes_home::intent`): a machine
//! that was rebooted would otherwise come up without its gateways. Readers of the original find it here too, as a copy. (Invariant 12.)

use std::path::Path;

use hermes_home::files::{self, Change, Mode};
use hermes_home::intent;
use hermes_store::Time;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{LifecycleError, ProcessRecord};
use crate::{AdapterHealth, AdapterState};

const FILE: &str = "gateway_state.json";

/// What was last observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservedState {
    Starting,
    Running,
    Draining,
    /// It serves, but not everything.
    Degraded,
    Stopped,
    StartupFailed,
}

/// What a gateway tells about itself.
#[derive(Debug, Clone)]
pub struct Observed {
    pub state: ObservedState,
    pub exit_reason: Option<String>,
    pub restart_requested: bool,
    pub active: usize,
    pub health: AdapterHealth,
}

impl Observed {
    pub fn new(state: ObservedState) -> Self {
        Self { state, exit_reason: None, restart_requested: false, active: 0, health: AdapterHealth::new() }
    }
}

/// The file as it is read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GatewayState(Map<String, Value>);

impl GatewayState {
    /// What the file says; nothing if there is none or it cannot be understood.
    pub fn read(home: &Path) -> Self {
        let text = std::fs::read(home.join(FILE)).unwrap_or_default();
        // A file that came through other hands may begin with a byte order mark.
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
        Self(serde_json::from_slice(text).unwrap_or_default())
    }

    pub fn observed(&self) -> Option<ObservedState> {
        serde_json::from_value(self.0.get("gateway_state")?.clone()).ok()
    }

    pub fn value(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Keeps what a gateway observes.
    pub fn observe(home: &Path, own: &ProcessRecord, observed: &Observed) -> Result<(), LifecycleError> {
        let desired = intent::stated(home).ok().flatten();
        change(home, |state| {
            if let Some(desired) = desired {
                state.insert("desired_state".to_owned(), desired.as_str().into());
            }
            if let Ok(Value::Object(record)) = serde_json::to_value(own) {
                state.extend(record);
            }
            state.insert("gateway_state".to_owned(), json(&observed.state));
            state.insert("exit_reason".to_owned(), json(&observed.exit_reason));
            state.insert("restart_requested".to_owned(), observed.restart_requested.into());
            state.insert("active_agents".to_owned(), observed.active.into());
            state.insert("active_work".to_owned(), observed.active.into());
            state.insert("platforms".to_owned(), platforms(&observed.health, own));
            state.insert("code_version".to_owned(), env!("CARGO_PKG_VERSION").into());
            state.insert("updated_at".to_owned(), Time::now().to_string().into());
        })
    }
}

fn change(home: &Path, change: impl FnOnce(&mut Map<String, Value>)) -> Result<(), LifecycleError> {
    files::update(home, FILE, Mode::Private, |current| {
        let text = current.unwrap_or_default();
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        // What cannot be understood is replaced: it is an observation, and the next one is due.
        let mut state = serde_json::from_slice(text).unwrap_or_default();
        change(&mut state);
        let written = serde_json::to_vec(&state);
        written.map(Change::Replace).map_err(|source| LifecycleError::Malformed { path: home.join(FILE), source })
    })?;
    Ok(())
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn platforms(health: &AdapterHealth, own: &ProcessRecord) -> Value {
    let of = |state: &AdapterState| {
        let (name, error, needs_attention) = match state {
            AdapterState::Running => ("connected", None, false),
            AdapterState::Retrying { error } => ("retrying", Some(error.as_str()), false),
            AdapterState::NeedsAttention { error } => ("fatal", Some(error.as_str()), true),
            AdapterState::Stopped => ("disconnected", None, false),
        };
        serde_json::json!({
            "state": name, "error_message": error, "needs_attention": needs_attention,
            "updated_at": Time::now().to_string(), "writer_pid": own.pid, "writer_start_time": own.start_time,
        })
    };
    Value::Object(health.iter().map(|(platform, state)| (platform.to_string(), of(state))).collect())
}

#[cfg(test)]
mod tests {
    use hermes_home::intent::{self, Intent};

    use super::{GatewayState, Observed, ObservedState, ProcessRecord};

    /// Invariant 12.
    #[test]
    fn what_is_observed_never_changes_what_is_wanted() {
        let home = tempfile::tempdir().unwrap();
        let own = ProcessRecord::own(home.path()).unwrap();
        for wanted in [Intent::Running, Intent::Stopped] {
            intent::keep(home.path(), wanted).unwrap();
            for state in
                [ObservedState::Starting, ObservedState::Draining, ObservedState::Stopped, ObservedState::StartupFailed]
            {
                GatewayState::observe(home.path(), &own, &Observed::new(state)).unwrap();
                let read = GatewayState::read(home.path());
                assert_eq!((read.observed(), intent::stated(home.path())), (Some(state), Ok(Some(wanted))));
                assert_eq!(read.value()["desired_state"], wanted.as_str());
            }
        }
    }

    #[test]
    fn foreign_fields_stay_and_nonsense_is_nothing() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("gateway_state.json");
        std::fs::write(&file, "\u{feff}{\"migrated_from\":\"x\",\"desired_state\":\"running\"}").unwrap();
        let own = ProcessRecord::own(home.path()).unwrap();
        GatewayState::observe(home.path(), &own, &Observed::new(ObservedState::Running)).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains("\"migrated_from\":\"x\"") && text.contains("\"desired_state\":\"running\""), "{text}");
        assert!(!text.contains('\n') && !text.contains(": "), "minified: {text}");
        std::fs::write(&file, "[1]").unwrap();
        assert_eq!(GatewayState::read(home.path()), GatewayState::default());
    }
}
