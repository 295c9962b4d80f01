//! Names as text that can be shown, and typed again in a shell.
//!
//! A file may be called anything but `/` and nul: with a line feed it would fake a second
//! line of an answer, with an escape code it would paint on somebody's terminal, with a
//! bidirectional override it would read as another name. Such a name is written as bash
//! writes it, `$'…'`, every such byte as `\xHH`.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;

/// A name as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    /// Whether the text is the name itself.
    pub(super) is_exact: bool,
}

/// A path as text.
pub(super) fn path(path: &Path) -> String {
    name(path.as_os_str()).text
}

/// A name as text.
pub(super) fn name(name: &OsStr) -> Shown {
    match name.to_str() {
        Some(text) if !text.chars().any(is_misleading) => Shown { text: text.to_owned(), is_exact: true },
        _ => Shown { text: quoted(name.as_encoded_bytes()), is_exact: false },
    }
}

fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("$'");
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\'' | '\\' => text.extend(['\\', character]),
                character if is_misleading(character) => escape(&mut text, character.encode_utf8(&mut [0; 4])),
                character => text.push(character),
            }
        }
        escape(&mut text, chunk.invalid());
    }
    text.push('\'');
    text
}

fn escape(text: &mut String, bytes: impl AsRef<[u8]>) {
    for byte in bytes.as_ref() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\\x{byte:02x}");
    }
}

/// Control characters, and those that change how the text around them is seen.
fn is_misleading(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::name;

    #[test]
    fn a_name_is_shown_as_it_is_or_as_bash_writes_it() {
        let check = |bytes: &[u8], expected: &str| {
            let shown = name(OsStr::from_bytes(bytes));
            assert_eq!(shown.text, expected);
            assert_eq!(shown.is_exact, expected.as_bytes() == bytes);
        };
        check(b"plain name.txt", "plain name.txt");
        check("größe\\'".as_bytes(), "größe\\'");
        check(b"two\nlines", r"$'two\x0alines'");
        check(b"\x1b[31mit's\\red", r"$'\x1b[31mit\'s\\red'");
        check(b"\xff\xfe", r"$'\xff\xfe'");
        check("exe\u{202e}gpj.".as_bytes(), r"$'exe\xe2\x80\xaegpj.'");
        check("ä\n".as_bytes(), r"$'ä\x0a'");
    }
}
