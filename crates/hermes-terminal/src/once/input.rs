//! A prompt from a pipe.

use std::io::{self, Read};

use rustix::fs::{FileType, fstat};

use super::OnceError;

/// More does not fit a model anyway.
const LIMIT: u64 = 10 * 1024 * 1024;

/// What was piped in, if anything was: `None` for a terminal, for `/dev/null` and for nothing but white space.
///
/// Blocks until whoever writes is done.
pub fn read_piped_input() -> Result<Option<String>, OnceError> {
    let stat = fstat(rustix::stdio::stdin()).map_err(|error| OnceError::Input(error.into()))?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Fifo | FileType::RegularFile | FileType::Socket => read_bounded(io::stdin().lock()),
        _ => Ok(None),
    }
}

fn read_bounded(input: impl Read) -> Result<Option<String>, OnceError> {
    let mut bytes = Vec::new();
    input.take(LIMIT + 1).read_to_end(&mut bytes).map_err(OnceError::Input)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > LIMIT) {
        return Err(OnceError::InputTooLong { limit: LIMIT });
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end()).filter(|text| !text.trim().is_empty()).map(str::to_owned))
}

/// The prompt that was named and the text that was piped in, together: the text is what the prompt is about.
pub fn combined_prompt(named: Option<&str>, piped: Option<&str>) -> Option<String> {
    match (named.filter(|named| !named.trim().is_empty()), piped) {
        (Some(named), Some(piped)) => Some(format!("{named}\n\nStandard input:\n\n{piped}")),
        (Some(text), None) | (None, Some(text)) => Some(text.to_owned()),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, OnceError, combined_prompt, read_bounded};
    use std::io::Read;

    #[test]
    fn what_is_piped_is_the_prompt_or_what_it_is_about() {
        for (named, piped, expected) in [
            (None, None, None),
            (Some("a"), None, Some("a")),
            (None, Some("b"), Some("b")),
            (Some(" "), Some("b"), Some("b")),
            (Some("a"), Some("b"), Some("a\n\nStandard input:\n\nb")),
        ] {
            assert_eq!(combined_prompt(named, piped).as_deref(), expected);
        }
    }

    #[test]
    fn input_is_bounded_and_nothing_is_nothing() {
        assert_eq!(read_bounded(&b"  text \n\n"[..]).unwrap().as_deref(), Some("  text"));
        assert_eq!(read_bounded(&b" \n"[..]).unwrap(), None);
        let endless = std::io::repeat(b'x');
        assert!(matches!(read_bounded(endless), Err(OnceError::InputTooLong { .. })));
        assert!(read_bounded(std::io::repeat(b'x').take(LIMIT)).is_ok());
    }
}
