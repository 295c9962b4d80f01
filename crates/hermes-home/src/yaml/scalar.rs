//! What a scalar means: null, a flag, a number or text.
//!
//! Reading follows the YAML 1.2 core schema. The files were written for a YAML 1.1
//! reader, in which `yes`, `1_000` and `12:30` are not text: such words are accepted
//! as flags where a flag is wanted, and text that looks like one is written quoted.

/// One scalar as it was written and as it is meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scalar {
    /// The text after unquoting.
    pub(crate) text: String,
    pub(crate) kind: Kind,
}

/// The type a scalar has by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Null,
    Flag(bool),
    /// Always within `i64::MIN..=u64::MAX`; what does not fit is text.
    Integer(i128),
    Float(f64),
    Text,
}

impl Scalar {
    /// A scalar written without quotes.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { kind: kind(&text), text }
    }

    /// A scalar that is text whatever it looks like.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: Kind::Text }
    }

    /// The flag this scalar can be read as, including the words of YAML 1.1.
    pub(crate) fn flag(&self) -> Option<bool> {
        match self.text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        }
    }

    /// Same meaning, whatever the quotes. Floats compare by their text, so that NaN equals itself.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self.kind, other.kind) {
            (Kind::Null, Kind::Null) => true,
            (Kind::Float(_), Kind::Float(_)) => self.text == other.text,
            (mine, others) => mine == others && self.text == other.text,
        }
    }
}

/// The type of an unquoted scalar in the core schema.
pub(crate) fn kind(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" => Kind::Flag(true),
        "false" | "False" | "FALSE" => Kind::Flag(false),
        _ => number(text).unwrap_or(Kind::Text),
    }
}

fn number(text: &str) -> Option<Kind> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => {
            return Some(Kind::Float(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }));
        }
        ".nan" | ".NaN" | ".NAN" if unsigned.len() == text.len() => return Some(Kind::Float(f64::NAN)),
        _ => {}
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return integer(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return integer(digits, 8);
    }
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !unsigned.is_empty() && digits(unsigned) {
        return integer(text, 10);
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let shaped = digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent));
    if shaped { text.parse().ok().map(Kind::Float) } else { None }
}

fn integer(digits: &str, radix: u32) -> Option<Kind> {
    if radix != 10 && digits.starts_with(['-', '+']) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value).then_some(Kind::Integer(value))
}

#[cfg(test)]
mod tests {
    use super::{Kind, Scalar, kind};

    #[test]
    fn unquoted_scalars_have_the_type_of_the_core_schema() {
        for (text, expected) in [
            ("", Kind::Null),
            ("~", Kind::Null),
            ("null", Kind::Null),
            ("nULL", Kind::Text),
            ("true", Kind::Flag(true)),
            ("False", Kind::Flag(false)),
            ("yes", Kind::Text),
            ("0", Kind::Integer(0)),
            ("-17", Kind::Integer(-17)),
            ("+3", Kind::Integer(3)),
            ("007", Kind::Integer(7)),
            ("0x1F", Kind::Integer(31)),
            ("0o17", Kind::Integer(15)),
            ("0x-1", Kind::Text),
            ("18446744073709551615", Kind::Integer(u64::MAX.into())),
            ("18446744073709551616", Kind::Text),
            ("-9223372036854775809", Kind::Text),
            ("1.5", Kind::Float(1.5)),
            ("1.", Kind::Float(1.0)),
            (".5", Kind::Float(0.5)),
            ("1e3", Kind::Float(1000.0)),
            ("-1.5E-2", Kind::Float(-0.015)),
            ("-.inf", Kind::Float(f64::NEG_INFINITY)),
            (".", Kind::Text),
            ("-", Kind::Text),
            ("1e", Kind::Text),
            ("e3", Kind::Text),
            ("1.2.3", Kind::Text),
            ("inf", Kind::Text),
            ("nan", Kind::Text),
            ("1_000", Kind::Text),
            ("12:30", Kind::Text),
        ] {
            assert_eq!(kind(text), expected, "{text:?}");
        }
        assert!(matches!(kind(".nan"), Kind::Float(value) if value.is_nan()));
        assert_eq!(kind("-.nan"), Kind::Text);
    }

    #[test]
    fn words_of_yaml_1_1_are_flags_where_a_flag_is_wanted() {
        for (text, expected) in [
            ("yes", Some(true)),
            ("On", Some(true)),
            ("NO", Some(false)),
            ("off", Some(false)),
            ("1", None),
            ("", None),
        ] {
            assert_eq!(Scalar::text(text).flag(), expected, "{text:?}");
        }
    }
}
