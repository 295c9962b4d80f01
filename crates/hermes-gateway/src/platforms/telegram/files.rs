//! Files that come with a message: fetched, bounded, and put on disk under a name that nobody has chosen.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::bot::Bot;
use super::error::ApiError;
use super::wire::{File, Message};
use crate::Attachment;

/// Telegram gives bots no larger ones.
const LARGEST: u64 = 20 * 1024 * 1024;
/// Characters of the sender's name for it.
const LONGEST_NAME: usize = 120;

/// Why a file did not come with its message. For the model, and so for the chat.
#[derive(Debug, thiserror::Error)]
enum NoFile {
    #[error("it is larger than {} MB", LARGEST / 1024 / 1024)]
    TooLarge,
    #[error("Telegram does not give it out")]
    NotGiven,
    #[error("it cannot be fetched at the moment")]
    Fetch(#[source] ApiError),
    #[error("it cannot be kept")]
    Keep(#[source] io::Error),
}

/// What came of the files of a message.
#[derive(Debug, Default)]
pub(super) struct Fetched {
    pub(super) attachments: Vec<Attachment>,
    /// Said to the model about those that are missing.
    pub(super) remarks: Vec<String>,
}

impl Fetched {
    /// The message is not taken: nobody needs its files.
    pub(super) fn discard(attachments: &[Attachment]) {
        for attachment in attachments {
            if let Err(error) = std::fs::remove_file(&attachment.path) {
                tracing::warn!(%error, "a file that is not needed cannot be removed");
            }
        }
    }
}

impl Bot {
    /// The files of these messages, in this folder.
    pub(super) async fn fetch(&self, messages: &[Message], folder: &Path) -> Fetched {
        let mut fetched = Fetched::default();
        for (file, name) in messages.iter().flat_map(files) {
            match self.fetch_one(file, &name, folder).await {
                Ok(attachment) => fetched.attachments.push(attachment),
                Err(error) => {
                    tracing::warn!(%error, cause = ?std::error::Error::source(&error), "a file was not fetched");
                    fetched.remarks.push(format!("[a file {name:?} came with this, but {error}]"));
                }
            }
        }
        fetched
    }

    async fn fetch_one(&self, file: &File, name: &str, folder: &Path) -> Result<Attachment, NoFile> {
        if file.file_size.is_some_and(|size| size > LARGEST) {
            return Err(NoFile::TooLarge);
        }
        let which = json!({"file_id": file.file_id});
        let known: File = self.patiently(|| self.api.call("getFile", &which)).await?;
        let path = known.file_path.ok_or(NoFile::NotGiven)?;
        let limit = usize::try_from(LARGEST).unwrap_or(usize::MAX);
        let bytes = self.patiently(|| self.api.download(&path, limit)).await?.ok_or(NoFile::NotGiven)?;
        let (folder, name) = (folder.to_owned(), name.to_owned());
        let kept = tokio::task::spawn_blocking(move || keep(&folder, name, &bytes)).await;
        kept.unwrap_or_else(|error| Err(io::Error::other(error))).map_err(NoFile::Keep)
    }

    /// Twice, if the first time fails for a moment.
    async fn patiently<T, F: Future<Output = Result<T, ApiError>>>(&self, call: impl Fn() -> F) -> Result<T, NoFile> {
        let done = match call().await {
            Err(error) if error.is_passing() => call().await,
            done => done,
        };
        done.map_err(|error| match error {
            ApiError::Refused { .. } => NoFile::NotGiven,
            error => NoFile::Fetch(error),
        })
    }
}

/// What a message carries, and what its sender calls it.
fn files(message: &Message) -> Vec<(&File, String)> {
    let largest = message.photo.iter().filter(|size| size.file_size.is_none_or(|bytes| bytes <= LARGEST));
    let photo = largest.max_by_key(|size| size.file_size).map(|file| (file, "photo"));
    let of = |file: &'_ Option<File>, name: &'static str| file.is_some().then_some(name);
    let others = [
        (&message.document, of(&message.document, "document")),
        (&message.audio, of(&message.audio, "audio")),
        (&message.voice, of(&message.voice, "voice message")),
        (&message.video, of(&message.video, "video")),
        (&message.video_note, of(&message.video_note, "video message")),
    ];
    let others = others.into_iter().filter_map(|(file, name)| Some((file.as_ref()?, name?)));
    photo.into_iter().chain(others).map(|(file, kind)| (file, called(file, kind))).collect()
}

fn called(file: &File, kind: &str) -> String {
    let name = file.file_name.as_deref().unwrap_or(kind);
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_NAME).collect()
}

fn keep(folder: &Path, name: String, bytes: &[u8]) -> io::Result<Attachment> {
    hermes_home::files::create_private_dir(folder).map_err(io::Error::other)?;
    let (media_type, ending) = media_type(bytes);
    let path: PathBuf = folder.join(format!("telegram-{:032x}.{ending}", fastrand::u128(..)));
    // One that is there already is somebody else's.
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = written {
        let _ = std::fs::remove_file(&path);
        return Err(error);
    }
    Ok(Attachment { name, media_type: media_type.to_owned(), path })
}

/// By what is in it: what the sender says decides nothing. Only pictures that models read are pictures.
fn media_type(bytes: &[u8]) -> (&'static str, &'static str) {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => ("image/png", "png"),
        [0xff, 0xd8, 0xff, ..] => ("image/jpeg", "jpg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => ("image/gif", "gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ("image/webp", "webp"),
        [b'%', b'P', b'D', b'F', b'-', ..] => ("application/pdf", "pdf"),
        [b'P', b'K', 3, 4, ..] => ("application/zip", "zip"),
        [b'O', b'g', b'g', b'S', ..] => ("audio/ogg", "ogg"),
        bytes if !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok() => ("text/plain", "txt"),
        _ => ("application/octet-stream", "bin"),
    }
}

#[cfg(test)]
mod tests {
    use super::{keep, media_type};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_a_file_is_is_in_the_file() {
        assert_eq!(media_type(b"\x89PNG\r\n\x1a\nrest").0, "image/png");
        assert_eq!(media_type(b"\xff\xd8\xff\xe0").0, "image/jpeg");
        assert_eq!(media_type(b"RIFF\0\0\0\0WEBPVP8 ").0, "image/webp");
        assert_eq!(media_type(b"#!/bin/sh\n").0, "text/plain");
        assert_eq!(media_type(b"\x7fELF\0\0").0, "application/octet-stream");
        assert_eq!(media_type(b"").0, "text/plain");
    }

    #[test]
    fn a_file_is_private_and_its_name_is_not_the_senders() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("cache/attachments");
        let attachment = keep(&folder, "../../.ssh/authorized_keys".to_owned(), b"ssh-rsa").unwrap();
        assert_eq!(attachment.path.parent(), Some(folder.as_path()));
        assert!(attachment.path.file_name().unwrap().to_str().unwrap().starts_with("telegram-"));
        assert_eq!(attachment.path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}
