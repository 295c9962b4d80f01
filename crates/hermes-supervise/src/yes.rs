//! How a switch in the environment is read, everywhere.

/// 1, true or yes in any case. Strict, so that a slip of the keyboard is a no.
pub fn is_yes(text: &str) -> bool {
    ["1", "true", "yes"].iter().any(|yes| text.eq_ignore_ascii_case(yes))
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_a_clear_yes_is_one() {
        for yes in ["1", "true", "TRUE", "True", "tRuE", "yes", "YES", "Yes"] {
            assert!(is_yes(yes), "{yes}");
        }
        for no in ["", "0", "2", "false", "no", "garbage", "on", "off", " 1", "1 ", "y", "truee"] {
            assert!(!is_yes(no), "{no:?}");
        }
    }
}
