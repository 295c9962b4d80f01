//! The names of the session variables, once.

/// A variable that tells a command whose conversation it works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SessionVariable {
    Platform,
    Source,
    ChatId,
    ChatType,
    ChatName,
    ParentChatId,
    ThreadId,
    UserId,
    UserIdAlt,
    UserName,
    ScopeId,
    Key,
    Id,
    UiSessionId,
    MessageId,
    Profile,
    BrowserControlPrincipal,
    BrowserControlTransportFamily,
    Cron,
    CronAutoDeliverPlatform,
    CronAutoDeliverChatId,
    CronAutoDeliverThreadId,
    CronJobId,
    CronJobOriginUserId,
    CronJobOriginPlatform,
}

impl SessionVariable {
    /// All of them, in the order in which they are stored.
    pub const ALL: [Self; 25] = [
        Self::Platform,
        Self::Source,
        Self::ChatId,
        Self::ChatType,
        Self::ChatName,
        Self::ParentChatId,
        Self::ThreadId,
        Self::UserId,
        Self::UserIdAlt,
        Self::UserName,
        Self::ScopeId,
        Self::Key,
        Self::Id,
        Self::UiSessionId,
        Self::MessageId,
        Self::Profile,
        Self::BrowserControlPrincipal,
        Self::BrowserControlTransportFamily,
        Self::Cron,
        Self::CronAutoDeliverPlatform,
        Self::CronAutoDeliverChatId,
        Self::CronAutoDeliverThreadId,
        Self::CronJobId,
        Self::CronJobOriginUserId,
        Self::CronJobOriginPlatform,
    ];

    /// The name of the environment variable.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Platform => "HERMES_SESSION_PLATFORM",
            Self::Source => "HERMES_SESSION_SOURCE",
            Self::ChatId => "HERMES_SESSION_CHAT_ID",
            Self::ChatType => "HERMES_SESSION_CHAT_TYPE",
            Self::ChatName => "HERMES_SESSION_CHAT_NAME",
            Self::ParentChatId => "HERMES_SESSION_PARENT_CHAT_ID",
            Self::ThreadId => "HERMES_SESSION_THREAD_ID",
            Self::UserId => "HERMES_SESSION_USER_ID",
            Self::UserIdAlt => "HERMES_SESSION_USER_ID_ALT",
            Self::UserName => "HERMES_SESSION_USER_NAME",
            Self::ScopeId => "HERMES_SESSION_SCOPE_ID",
            Self::Key => "HERMES_SESSION_KEY",
            Self::Id => "HERMES_SESSION_ID",
            Self::UiSessionId => "HERMES_UI_SESSION_ID",
            Self::MessageId => "HERMES_SESSION_MESSAGE_ID",
            Self::Profile => "HERMES_SESSION_PROFILE",
            Self::BrowserControlPrincipal => "HERMES_BROWSER_CONTROL_PRINCIPAL",
            Self::BrowserControlTransportFamily => "HERMES_BROWSER_CONTROL_TRANSPORT_FAMILY",
            Self::Cron => "HERMES_CRON_SESSION",
            Self::CronAutoDeliverPlatform => "HERMES_CRON_AUTO_DELIVER_PLATFORM",
            Self::CronAutoDeliverChatId => "HERMES_CRON_AUTO_DELIVER_CHAT_ID",
            Self::CronAutoDeliverThreadId => "HERMES_CRON_AUTO_DELIVER_THREAD_ID",
            Self::CronJobId => "HERMES_CRON_JOB_ID",
            Self::CronJobOriginUserId => "HERMES_CRON_JOB_ORIGIN_USER_ID",
            Self::CronJobOriginPlatform => "HERMES_CRON_JOB_ORIGIN_PLATFORM",
        }
    }

    /// Which variable this environment name is, if it is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variable| variable.name() == name)
    }

    /// Whether binding a session clears it when the message says nothing about it.
    /// The cron variables stay as they are: only a cron job binds them.
    pub const fn is_cleared_by_binding(self) -> bool {
        !matches!(
            self,
            Self::Cron
                | Self::CronAutoDeliverPlatform
                | Self::CronAutoDeliverChatId
                | Self::CronAutoDeliverThreadId
                | Self::CronJobId
                | Self::CronJobOriginUserId
                | Self::CronJobOriginPlatform
        )
    }
}
