//! Telegram, over long polling of its Bot API.
//!
//! An update is acknowledged, by asking for the one behind it, only after everything in it is on disk. Telegram knows no ids for what is sent
//! to it, so that a message of which nobody knows whether it arrived is sent again with a mark.

mod adapter;
mod api;
mod bot;
mod drafts;
mod error;
mod files;
mod html;
mod meant;
mod origin;
mod pace;
mod poll;
mod questions;
mod receive;
mod settings;
mod speak;
mod upload;
mod wire;

use std::sync::Arc;

use adapter::TelegramAdapter;
use api::Api;
use bot::Bot;
use settings::{NAME, Settings};

use super::{Setup, SetupError};
use crate::Adapter;

/// The adapter, if there is a token for it.
pub(super) fn build(setup: &Setup<'_>) -> Result<Option<Arc<dyn Adapter>>, SetupError> {
    let wrong = |problem: String| SetupError {
        platform: NAME,
        problem,
        remedy: "docs/telegram.md has the settings".to_owned(),
    };
    let platform = NAME.parse().map_err(|error| wrong(format!("{error}")))?;
    let Some(settings) = Settings::configured(setup, &platform)? else { return Ok(None) };
    if settings.admission.is_empty() {
        tracing::warn!("nobody is listed in TELEGRAM_ALLOWED_USERS: only people who were paired are let in");
    }
    let api = Api::new(&settings.base, settings.token.clone(), settings.proxy.as_ref());
    let api = api.map_err(|error| wrong(error.to_string()))?;
    Ok(Some(Arc::new(TelegramAdapter::new(Bot::new(platform, api, settings)))))
}
