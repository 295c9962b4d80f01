//! Images that came inside a request, as private files: the conversation refers to them by path.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use uuid::Uuid;

use super::error::ApiError;
use super::said::Image;
use super::state::ApiState;
use crate::Attachment;

/// How the names of these files begin.
const PREFIX: &str = "api-";
/// As long as sessions are kept by default.
const KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Puts images where the turn finds them.
pub(super) async fn keep(state: &ApiState, images: Vec<Image>) -> Result<Vec<Attachment>, ApiError> {
    if images.is_empty() {
        return Ok(Vec::new());
    }
    let folder = state.inbox.attachments().to_owned();
    let written = tokio::task::spawn_blocking(move || {
        images.iter().map(|image| write(&folder, image)).collect::<io::Result<Vec<_>>>()
    })
    .await;
    match written {
        Ok(written) => written.map_err(|error| ApiError::internal("an image cannot be kept", &error)),
        Err(error) => Err(ApiError::internal("an image cannot be kept", &error)),
    }
}

fn write(folder: &Path, image: &Image) -> io::Result<Attachment> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let kind = image.media_type.strip_prefix("image/").unwrap_or("bin");
    let name = format!("{PREFIX}{}.{kind}", Uuid::now_v7().simple());
    let path = folder.join(&name);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    file.write_all(&image.bytes)?;
    Ok(Attachment { name, media_type: image.media_type.clone(), path })
}

/// Removes those that no session is likely to need any more.
pub(super) fn prune(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let is_old = |path: &PathBuf| {
        let changed = std::fs::symlink_metadata(path).and_then(|found| found.modified());
        changed.is_ok_and(|changed| SystemTime::now().duration_since(changed).is_ok_and(|age| age > KEPT))
    };
    let ours = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for path in ours.map(|entry| entry.path()).filter(is_old) {
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::debug!(%error, "an old image cannot be removed");
        }
    }
}
