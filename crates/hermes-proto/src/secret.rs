//! A credential that cannot be printed by accident.
//!
//! Keys leak through `Debug` output, error texts and serialisers rather than
//! through deliberate prints, so this type has neither `Display` nor `Serialize`.

use std::fmt;

/// A credential's text. Reading it takes an explicit [`Secret::expose`].
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself: for the wire and for the file it is kept in, nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Enough for its owner to recognise it, too little to use: the last four
    /// characters of a long secret, nothing of a short one.
    pub fn masked(&self) -> String {
        const SHOWN: usize = 4;
        let length = self.0.chars().count();
        if length < 4 * SHOWN {
            return "****".to_owned();
        }
        let tail: String = self.0.chars().skip(length - SHOWN).collect();
        format!("****{tail}")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(****)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn masked_shows_only_the_tail_of_a_long_secret() {
        for (text, expected) in
            [("", "****"), ("short", "****"), ("sk-0123456789abcdef", "****cdef"), ("ключ-ключ-ключ-ключ", "****ключ")]
        {
            assert_eq!(Secret::new(text).masked(), expected, "{text}");
        }
    }

    #[test]
    fn debug_output_never_contains_the_text() {
        assert_eq!(format!("{:?}", Secret::new("sk-0123456789abcdef")), "Secret(****)");
    }
}
