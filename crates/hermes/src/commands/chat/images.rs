//! Images that go along with a message.

use std::path::{Path, PathBuf};

use hermes_proto::message::{ContentPart, ImageSource};
use hermes_terminal::Prompt;

use crate::context::usage;
use crate::exit::Failure;

/// Bytes of one image.
const LARGEST: u64 = 20 * 1024 * 1024;

pub(super) fn prompt(text: String, images: &[PathBuf]) -> Result<Prompt, Failure> {
    let mut parts = vec![ContentPart::text(text)];
    for path in images {
        parts.push(image(path)?);
    }
    Ok(Prompt::Say(parts))
}

/// The image by its path: its bytes are read when they are sent.
fn image(path: &Path) -> Result<ContentPart, Failure> {
    let unusable =
        |why: &dyn std::fmt::Display| usage(format_args!("cannot use {} as an image: {why}", path.display()));
    let full = path.canonicalize().map_err(|error| unusable(&error))?;
    let size = full.metadata().map_err(|error| unusable(&error))?.len();
    if size > LARGEST {
        return Err(unusable(&format_args!("{size} bytes are more than {LARGEST}")));
    }
    let mut start = [0; 12];
    let read = std::fs::File::open(&full).and_then(|mut file| std::io::Read::read(&mut file, &mut start));
    let length = read.map_err(|error| unusable(&error))?;
    let media_type = media_type(&start[..length]).ok_or_else(|| unusable(&"it is no PNG, JPEG, GIF or WebP"))?;
    let text = full.to_str().ok_or_else(|| unusable(&"its path is not UTF-8"))?;
    Ok(ContentPart::Image { media_type: media_type.to_owned(), source: ImageSource::Path(text.to_owned()) })
}

/// By the first bytes: a name can say anything.
fn media_type(start: &[u8]) -> Option<&'static str> {
    match start {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P'] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::media_type;

    #[test]
    fn an_image_is_known_by_its_first_bytes() {
        for (start, expected) in [
            (&b"\x89PNG\r\n"[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"GIF89a", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBP", Some("image/webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"<svg", None),
            (b"", None),
        ] {
            assert_eq!(media_type(start), expected);
        }
    }
}
