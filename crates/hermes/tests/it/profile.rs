//! `hermes profile` as a person or a script uses it.

mod archive;
mod crash;
mod hostile;
mod lifecycle;
mod owners;
mod selection;
mod terminal;

use serde_json::Value;

use crate::support::Sandbox;

/// What `profile list --json` says: the names, and the one that is active.
fn listed(sandbox: &Sandbox) -> (Vec<String>, Option<String>) {
    let homes: Vec<Value> = serde_json::from_str(&sandbox.ok(["profile", "list", "--json"])).unwrap();
    let name = |home: &Value| home["name"].as_str().unwrap().to_owned();
    let active = homes.iter().find(|home| home["active"] == true).map(name);
    (homes.iter().map(name).collect(), active)
}

/// Everything in `profiles/`, hidden folders too.
fn in_profiles(sandbox: &Sandbox) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(sandbox.file("profiles")) else { return Vec::new() };
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
