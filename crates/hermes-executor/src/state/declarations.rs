//! Reads what bash prints for `export -p`.
//!
//! The text comes from a shell that ran a stranger's command, so it is taken for data: parsed
//! completely or refused, never handed to a shell. Values are bytes; bash writes what it cannot
//! print as `$'\ooo'`, and which bytes those are depends on the locale.

/// An exported variable: its name, and its value if it has one.
pub(super) type Declared = (Vec<u8>, Option<Vec<u8>>);

/// All exported variables, or `None` if this is not what bash prints. Arrays, which no
/// program ever sees, are left out.
pub(super) fn parse(text: &[u8]) -> Option<Vec<Declared>> {
    let mut reader = Reader { rest: text };
    let mut variables = Vec::new();
    while !reader.rest.is_empty() {
        let is_array = reader.introduction()?;
        let name = reader.name()?;
        let value = if reader.skip(b"=") { Some(reader.value()?) } else { None };
        if !reader.skip(b"\n") {
            return None;
        }
        match value {
            Some(Value::Array) => {}
            Some(Value::Text(value)) if !is_array => variables.push((name, Some(value))),
            None if !is_array => variables.push((name, None)),
            _ => {}
        }
    }
    Some(variables)
}

/// Whether a variable of this name can be in a shell's list.
pub(super) fn is_name(name: &[u8]) -> bool {
    let is_start = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    name.first().is_some_and(is_start) && name.iter().all(|byte| is_start(byte) || byte.is_ascii_digit())
}

enum Value {
    Text(Vec<u8>),
    Array,
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn skip(&mut self, expected: &[u8]) -> bool {
        match self.rest.strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> Vec<u8> {
        let length = self.rest.iter().position(|byte| !wanted(*byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken.to_vec()
    }

    /// `declare -FLAGS ` or, in POSIX mode, `export -FLAGS ` or `export `. Says whether it is an array.
    fn introduction(&mut self) -> Option<bool> {
        if !self.skip(b"declare ") && !self.skip(b"export ") {
            return None;
        }
        if !self.skip(b"-") {
            return Some(false);
        }
        let flags = self.take_while(|byte| byte.is_ascii_alphabetic() || byte == b'-');
        self.skip(b" ").then(|| flags.iter().any(|flag| matches!(flag, b'a' | b'A')))
    }

    fn name(&mut self) -> Option<Vec<u8>> {
        let name = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name(&name).then_some(name)
    }

    fn value(&mut self) -> Option<Value> {
        if self.skip(b"(") {
            return self.array().map(|()| Value::Array);
        }
        self.quoted().map(Value::Text)
    }

    fn quoted(&mut self) -> Option<Vec<u8>> {
        if self.skip(b"\"") {
            self.double_quoted()
        } else if self.skip(b"$'") {
            self.escaped()
        } else {
            Some(self.take_while(|byte| !matches!(byte, b'\n' | b'"' | b'\'' | b' ' | b')')))
        }
    }

    /// To the closing parenthesis that stands outside of quotes.
    fn array(&mut self) -> Option<()> {
        loop {
            match self.rest.first()? {
                b'"' | b'$' => drop(self.quoted_or_dollar()?),
                b')' => {
                    self.next();
                    return Some(());
                }
                _ => drop(self.next()),
            }
        }
    }

    fn quoted_or_dollar(&mut self) -> Option<Vec<u8>> {
        if self.rest.starts_with(b"\"") || self.rest.starts_with(b"$'") {
            return self.quoted();
        }
        self.next().map(|byte| vec![byte])
    }

    fn double_quoted(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        loop {
            match self.next()? {
                b'"' => return Some(value),
                b'\\' => match self.next()? {
                    b'\n' => {}
                    byte @ (b'"' | b'\\' | b'$' | b'`') => value.push(byte),
                    byte => value.extend([b'\\', byte]),
                },
                byte => value.push(byte),
            }
        }
    }

    fn escaped(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        loop {
            match self.next()? {
                b'\'' => return Some(value),
                b'\\' => self.escape(&mut value)?,
                byte => value.push(byte),
            }
        }
    }

    fn escape(&mut self, value: &mut Vec<u8>) -> Option<()> {
        let byte = match self.next()? {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            byte @ (b'\\' | b'\'' | b'"' | b'?') => byte,
            first @ b'0'..=b'7' => self.number(8, 2, u32::from(first - b'0')).to_le_bytes()[0],
            b'x' => self.number(16, 2, 0).to_le_bytes()[0],
            b'u' => return self.character(4, value),
            b'U' => return self.character(8, value),
            byte => {
                value.extend([b'\\', byte]);
                return Some(());
            }
        };
        value.push(byte);
        Some(())
    }

    fn character(&mut self, digits: usize, value: &mut Vec<u8>) -> Option<()> {
        let character = char::from_u32(self.number(16, digits, 0))?;
        value.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Some(())
    }

    /// At most `digits` more digits.
    fn number(&mut self, base: u32, digits: usize, start: u32) -> u32 {
        let mut number = start;
        for _ in 0..digits {
            let Some(digit) = self.rest.first().and_then(|byte| char::from(*byte).to_digit(base)) else { break };
            number = number.wrapping_mul(base).wrapping_add(digit);
            self.next();
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use proptest::prelude::*;

    type Expected<'a> = &'a [(&'a str, Option<&'a [u8]>)];

    fn check(text: &str, expected: Option<Expected<'_>>) {
        let parsed = parse(text.as_bytes());
        let expected = expected.map(|list| {
            list.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.map(<[u8]>::to_vec))).collect::<Vec<_>>()
        });
        assert_eq!(parsed, expected, "{text}");
    }

    #[test]
    fn the_forms_that_bash_prints() {
        check("", Some(&[]));
        check("declare -x A=\"b\"\n", Some(&[("A", Some(b"b"))]));
        check("declare -x A\ndeclare -rx B=\"\"\n", Some(&[("A", None), ("B", Some(b""))]));
        check("export A=\"b\"\nexport -r C=\"d\"\n", Some(&[("A", Some(b"b")), ("C", Some(b"d"))]));
        check("declare -x A=\"\\\"\\$\\`\\\\ \\x\"\n", Some(&[("A", Some(b"\"$`\\ \\x"))]));
        check("declare -x A=\"two\nlines\"\n", Some(&[("A", Some(b"two\nlines"))]));
        check(
            "declare -x A=$'\\n\\t\\E\\'\\\\\\001\\377\\u00e4'\n",
            Some(&[("A", Some(b"\n\t\x1b'\\\x01\xff\xc3\xa4"))]),
        );
        check("declare -ax L=([0]=\"a)\" [1]=$'\\')')\ndeclare -x A=\"b\"\n", Some(&[("A", Some(b"b"))]));
    }

    #[test]
    fn anything_else_is_refused_whole() {
        for text in [
            "x",
            "declare -x A=\"b",
            "declare -x A=\"b\"",
            "declare -x 1=\"b\"\n",
            "rm -rf /\n",
            "declare -x A=$'\n",
            "declare -ax A=(\n",
            "declare -x =\"b\"\n",
            "declare -x A=\"b\" C\n",
        ] {
            check(text, None);
        }
    }

    proptest! {
        #[test]
        fn garbage_is_no_panic(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&text);
        }
    }
}
