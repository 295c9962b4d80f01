//! What can be permitted. Whatever starts something or changes a file is an action.

use std::borrow::Cow;

use hermes_proto::Secret;
use hermes_proto::consent::ActionKind;
use hermes_proto::executor::{CommandText, FileRequest, StartJob};

/// What policy has to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged<'a> {
    /// Text for a shell.
    Shell(&'a str),
    /// A file that would be written.
    FileWrite { path: &'a str },
    /// A whole script that calls tools. Its calls are judged one by one as well.
    Script { code: &'a str },
    /// Changes nothing that was there.
    Harmless,
}

/// Something that needs a permit. The permit holds the action itself, so that nothing else can be
/// started with it.
pub trait Action: Send {
    fn kind(&self) -> ActionKind;

    /// What a person is shown, and what is recorded.
    fn shown(&self) -> Cow<'_, str>;

    fn judged(&self) -> Judged<'_>;

    /// Where it would happen instead of where the session stands.
    fn folder(&self) -> Option<&str> {
        None
    }

    /// Whether a password can be put in front of its input.
    fn takes_password(&self) -> bool {
        false
    }

    /// Puts a password in front of its input, and this text in place of its own: the same, with each sudo told to read
    /// it there. Never called unless it takes one.
    fn feed_password(&mut self, _text: String, _lines: Secret) {}
}

impl Action for CommandText {
    fn kind(&self) -> ActionKind {
        ActionKind::Command
    }

    fn shown(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.text)
    }

    fn judged(&self) -> Judged<'_> {
        Judged::Shell(&self.text)
    }

    fn folder(&self) -> Option<&str> {
        self.working_directory.as_deref()
    }

    fn takes_password(&self) -> bool {
        self.first_input.is_none()
    }

    fn feed_password(&mut self, text: String, lines: Secret) {
        self.text = text;
        self.first_input = Some(lines);
    }
}

impl Action for StartJob {
    fn kind(&self) -> ActionKind {
        ActionKind::BackgroundJob
    }

    fn shown(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.command)
    }

    fn judged(&self) -> Judged<'_> {
        Judged::Shell(&self.command)
    }

    fn folder(&self) -> Option<&str> {
        self.working_directory.as_deref()
    }
}

impl Action for FileRequest {
    fn kind(&self) -> ActionKind {
        match self {
            Self::Write(_) | Self::Patch(_) | Self::Put(_) => ActionKind::FileWrite,
            Self::Read(_) | Self::Search(_) | Self::List(_) | Self::Fetch(_) => ActionKind::FileRead,
        }
    }

    fn shown(&self) -> Cow<'_, str> {
        match self {
            Self::Read(read) => format!("read {}", read.path).into(),
            Self::Write(write) => format!("write {}", write.path).into(),
            Self::Patch(patch) => format!("patch {}", patch.path).into(),
            Self::Search(search) => format!("search {}", search.path).into(),
            Self::List(list) => format!("list {}", list.path).into(),
            Self::Fetch(fetch) => format!("send {}", fetch.path).into(),
            Self::Put(put) => format!("take in {}", put.name).into(),
        }
    }

    fn judged(&self) -> Judged<'_> {
        match self {
            Self::Write(write) => Judged::FileWrite { path: &write.path },
            Self::Patch(patch) => Judged::FileWrite { path: &patch.path },
            // A new file in a folder for such files: its sender chooses neither.
            Self::Read(_) | Self::Search(_) | Self::List(_) | Self::Fetch(_) | Self::Put(_) => Judged::Harmless,
        }
    }
}
