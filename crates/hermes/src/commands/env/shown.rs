//! A container as it is printed.

use std::time::SystemTime;

use hermes_environment::docker::{Listed, disk_use, folder_of};
use serde::Serialize;

use super::age;
use super::scope::Scope;

/// One line of a list, and one object of its JSON form.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) state: String,
    pub(super) age_seconds: Option<u64>,
    pub(super) profile: String,
    pub(super) task: String,
    pub(super) image: String,
    /// Of its files in this home; absent for containers of others.
    pub(super) files_bytes: Option<u64>,
}

impl Shown {
    pub(super) fn of(listed: &Listed, scope: &Scope) -> Self {
        let folder = folder_of(&scope.home, &scope.terminal, &listed.id);
        let age = listed.created.and_then(|created| SystemTime::now().duration_since(created).ok());
        Self {
            id: listed.short_id().to_owned(),
            name: listed.name.clone(),
            state: listed.state.clone(),
            age_seconds: age.map(|age| age.as_secs()),
            profile: listed.profile.clone(),
            task: listed.task.clone(),
            image: listed.image.clone(),
            files_bytes: folder.map(|folder| disk_use(&folder)),
        }
    }

    /// The columns of its line.
    pub(super) fn columns(&self) -> [String; 7] {
        let age = self.age_seconds.map(|seconds| age::human(std::time::Duration::from_secs(seconds)));
        let files = self.files_bytes.map(crate::commands::profile::human_size);
        [
            self.id.clone(),
            self.state.clone(),
            age.unwrap_or_else(|| "-".to_owned()),
            self.profile.clone(),
            self.task.clone(),
            self.image.clone(),
            files.unwrap_or_else(|| "-".to_owned()),
        ]
    }
}
