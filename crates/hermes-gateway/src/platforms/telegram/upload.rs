//! Files to a chat: pictures as pictures where Telegram takes them as such, everything else as documents.

use std::path::Path;

use serde_json::{Value, json};

use super::bot::Bot;
use super::error::ApiError;
use super::speak::{place, shortened};
use super::wire::Sent;
use crate::{Address, DeliveryError, Identifier, OutgoingFile};

/// Telegram takes no larger ones from bots.
pub(super) const LARGEST: u64 = 50 * 1024 * 1024;
const LARGEST_PICTURE: u64 = 10 * 1024 * 1024;
/// Units of UTF-16 under a file.
const LONGEST_CAPTION: usize = 1_024;

impl Bot {
    /// Sends a file; the id of its message.
    pub(super) async fn send_file(
        &self,
        to: &Address,
        file: &OutgoingFile,
        caption: Option<&str>,
        reply_to: Option<&Identifier>,
    ) -> Result<i64, DeliveryError> {
        let bytes = read(&file.path).await?;
        let mut fields = place(to);
        if let Some(caption) = caption {
            fields["caption"] = json!(shortened(caption, LONGEST_CAPTION));
        }
        if let Some(message) = reply_to.and_then(|id| id.as_str().parse::<i64>().ok()) {
            fields["reply_parameters"] = json!({"message_id": message, "allow_sending_without_reply": true});
        }
        let is_picture = matches!(file.media_type.as_str(), "image/png" | "image/jpeg" | "image/webp");
        if is_picture && bytes.len() as u64 <= LARGEST_PICTURE {
            let body = Form::new(&fields, "photo", &file.name, &bytes);
            match self.upload(to, "sendPhoto", &body).await {
                // Too wide, too high, or not what it says: as a document it goes.
                Err(error) if error.is_about_the_text() => tracing::debug!(%error, "a picture is sent as a document"),
                sent => return sent.map_err(ApiError::of_sending),
            }
        }
        let body = Form::new(&fields, "document", &file.name, &bytes);
        self.upload(to, "sendDocument", &body).await.map_err(ApiError::of_sending)
    }

    async fn upload(&self, to: &Address, method: &str, form: &Form) -> Result<i64, ApiError> {
        let sent: Result<Sent, ApiError> = self.api.upload(method, &form.content_type(), form.body.clone()).await;
        if let Err(ApiError::TooMany { after }) = &sent {
            self.pace.hold(to.chat.as_str(), *after);
        }
        sent.map(|sent| sent.message_id)
    }
}

async fn read(path: &Path) -> Result<Vec<u8>, DeliveryError> {
    let path = path.to_owned();
    let read = tokio::task::spawn_blocking(move || std::fs::read(path)).await;
    match read {
        Ok(Ok(bytes)) => Ok(bytes),
        // The path is this machine's business.
        Ok(Err(error)) => Err(DeliveryError::never(format!("the file cannot be read: {}", error.kind()))),
        Err(error) => Err(DeliveryError::later(error)),
    }
}

/// Fields and one file as `multipart/form-data`. The boundary is drawn at random: nothing in the file can end a part.
struct Form {
    boundary: String,
    body: Vec<u8>,
}

impl Form {
    fn new(fields: &Value, part: &str, name: &str, bytes: &[u8]) -> Self {
        let boundary = format!("hermes-{:032x}", fastrand::u128(..));
        let mut body = Vec::with_capacity(bytes.len() + 1_024);
        for (field, value) in fields.as_object().into_iter().flatten() {
            let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            body.extend_from_slice(
                format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{text}\r\n")
                    .as_bytes(),
            );
        }
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{part}\"; filename=\"{}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n",
            quoted(name)
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        Self { boundary, body }
    }

    fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={}", self.boundary)
    }
}

/// A name that cannot end its header.
fn quoted(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || matches!(c, '"' | '\\') { '_' } else { c }).collect()
}
