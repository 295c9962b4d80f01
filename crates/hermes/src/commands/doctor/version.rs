//! The version in what a program says about itself.

use std::fmt;

/// A dotted version of at least two numbers, such as 5.2.15.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(Vec<u32>);

impl Version {
    pub(super) fn new(numbers: &[u32]) -> Self {
        Self(numbers.to_vec())
    }

    /// The first version in a text.
    pub(super) fn find(text: &str) -> Option<Self> {
        let words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
        words
            .filter_map(|word| word.trim_matches('.').split('.').map(|part| part.parse().ok()).collect())
            .map(Self)
            .find(|version: &Self| version.0.len() > 1)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u32::to_string).collect();
        formatter.write_str(&numbers.join("."))
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn the_first_version_in_a_text_is_found() {
        for (text, expected) in [
            ("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)", Some("5.2.15")),
            ("Python 3.11.2", Some("3.11.2")),
            ("Python 3.14.0rc1", Some("3.14.0")),
            ("28.2.2", Some("28.2.2")),
            ("since 1999. Version 2.0.", Some("2.0")),
            ("99999999999.1 then 1.2", Some("1.2")),
            ("nothing 7 ..", None),
            ("", None),
        ] {
            assert_eq!(Version::find(text).map(|version| version.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(Version::new(&[3, 8]) <= Version::find("3.8.0").unwrap());
        assert!(Version::new(&[3, 8]) <= Version::find("3.11").unwrap());
        assert!(Version::new(&[3, 8]) > Version::find("3.7.17").unwrap());
        assert!(Version::new(&[3, 8]) > Version::find("2.7").unwrap());
    }
}
