//! Line ends: text that is quoted with `\n` is meant for a file with `\r\n` too, and what is
//! put into such a file ends its lines as the file does.

use std::borrow::Cow;

/// Whether all lines of a text end in `\r\n`, and there is at least one.
pub(super) fn is_crlf(text: &[u8]) -> bool {
    let mut ends = memchr::memchr_iter(b'\n', text).peekable();
    ends.peek().is_some() && ends.all(|end| end > 0 && text.get(end - 1) == Some(&b'\r'))
}

/// Old and new text as the file writes them. Who wrote a `\r` means the bytes as they are.
pub(super) fn adapted<'a>(file: &[u8], old: &'a str, new: &'a str) -> (Cow<'a, str>, Cow<'a, str>) {
    match !old.contains('\r') && !new.contains('\r') && is_crlf(file) {
        true => (with_crlf(old), with_crlf(new)),
        false => (Cow::Borrowed(old), Cow::Borrowed(new)),
    }
}

/// A text without `\r` with the longer line ends.
pub(super) fn with_crlf(text: &str) -> Cow<'_, str> {
    match text.contains('\n') {
        true => Cow::Owned(text.replace('\n', "\r\n")),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::{adapted, is_crlf};

    #[test]
    fn a_file_is_crlf_if_all_of_it_is() {
        let check = |text: &str, expected: bool| assert_eq!(is_crlf(text.as_bytes()), expected, "{text:?}");
        check("", false);
        check("a", false);
        check("a\r", false);
        check("a\r\nb", true);
        check("a\r\nb\n", false);
        check("\n", false);
        check("\r\n", true);
    }

    #[test]
    fn texts_are_adapted_to_a_crlf_file_unless_they_say_so_themselves() {
        let check = |file: &str, texts: (&str, &str), expected: (&str, &str)| {
            let (old, new) = adapted(file.as_bytes(), texts.0, texts.1);
            assert_eq!((old.as_ref(), new.as_ref()), expected, "{file:?}");
        };
        check("a\r\n", ("a\n", "b\nc"), ("a\r\n", "b\r\nc"));
        check("a\r\n", ("a", "b\nc"), ("a", "b\r\nc"));
        check("a\r\n", ("a\r\n", "a\n"), ("a\r\n", "a\n"));
        check("a\n", ("a\n", "b\n"), ("a\n", "b\n"));
    }
}
