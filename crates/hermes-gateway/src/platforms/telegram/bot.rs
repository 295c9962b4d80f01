//! What all parts of the adapter share.

use std::sync::atomic::AtomicI64;

use tokio_util::task::TaskTracker;

use super::api::Api;
use super::drafts::Drafts;
use super::pace::Pace;
use super::questions::Questions;
use super::settings::Settings;
use crate::Platform;

#[derive(Debug)]
pub(super) struct Bot {
    pub(super) platform: Platform,
    pub(super) api: Api,
    pub(super) settings: Settings,
    pub(super) pace: Pace,
    pub(super) drafts: Drafts,
    pub(super) questions: Questions,
    /// The first update that is not on disk.
    pub(super) offset: AtomicI64,
    /// What must end even if nobody waits for it any more.
    pub(super) tasks: TaskTracker,
}

impl Bot {
    pub(super) fn new(platform: Platform, api: Api, settings: Settings) -> Self {
        Self {
            platform,
            api,
            settings,
            pace: Pace::default(),
            drafts: Drafts::default(),
            questions: Questions::default(),
            offset: AtomicI64::new(0),
            tasks: TaskTracker::new(),
        }
    }
}
