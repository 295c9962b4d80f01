//! A whole host behind Telegram's Bot API, spoken over a real socket.

mod answers;
mod approvals;
mod errors;
mod groups;
mod receives;
mod streams;

use std::time::Duration;

use hermes_testkit::BotApi;
use hermes_testkit::bot_api::{Shown, TOKEN};

use crate::ground::{Ground, PATIENCE, Serving};

/// Somebody who may talk, another one, an administrator, and somebody unknown.
const ANN: i64 = 11;
const BEN: i64 = 12;
const BOSS: i64 = 13;
const EVE: i64 = 66;
const GROUP: i64 = -1_001;

const VARIABLES: &[(&str, &str)] =
    &[("TELEGRAM_BOT_TOKEN", TOKEN), ("TELEGRAM_ALLOWED_USERS", "11, 12"), ("TELEGRAM_ADMIN_USERS", "13")];

/// Settings that lead to this server.
fn leading_to(api: &BotApi) -> String {
    format!("platforms: {{telegram: {{base_url: \"{}\"}}}}", api.url())
}

struct Place {
    api: BotApi,
    ground: Ground,
}

impl Place {
    fn new(settings: &str) -> Self {
        Self::on(Ground::new(), settings)
    }

    fn on(ground: Ground, settings: &str) -> Self {
        let api = BotApi::start();
        let ground = ground.with("display: {busy_input_mode: queue}").with(&leading_to(&api)).with(settings);
        Self { api, ground }
    }

    fn start(&self) -> Serving {
        self.ground.start_platforms(VARIABLES)
    }

    /// What the bot says in a chat, once it is like this.
    async fn hears(&self, chat: i64, what: impl Fn(&Shown) -> bool) -> Shown {
        let heard = tokio::time::timeout(PATIENCE, self.api.sees(chat, what)).await;
        heard.unwrap_or_else(|_| panic!("it was never said; instead {:?}", self.api.shown(chat)))
    }

    async fn hears_text(&self, chat: i64, text: &str) -> Shown {
        self.hears(chat, |shown| shown.text == text).await
    }

    fn texts(&self, chat: i64) -> Vec<String> {
        self.api.shown(chat).into_iter().map(|shown| shown.text).collect()
    }

    /// Waits until every update was taken, which is when everything before has been looked at.
    async fn settled(&self) {
        // A message of somebody who is answered comes after all others of its batch.
        let done = self.api.says(BEN, "say settled");
        self.hears(BEN, |shown| shown.reply_to == Some(done)).await;
    }
}

/// Long enough that a test fails rather than passes by luck.
const fn soon() -> Duration {
    PATIENCE
}
