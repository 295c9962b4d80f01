//! The form in which a section is declared: once, yielding the struct, its defaults,
//! its documentation, its reader and its part of the schema.
//!
//! A second list of keys somewhere would drift from the first.

/// Declares a section:
///
/// ```text
/// settings! {
///     /// What the section is about.
///     pub struct Terminal from "TERMINAL_" {      // variables of this prefix stand in
///                         // `short for timeout` before it: a bare value is that setting
///         /// What the setting does.
///         timeout: u64 = 180;
///         /// One with a variable of its own.
///         backend: Backend = Backend::Local, from "TERMINAL_ENV";
///     }
///     opaque { memory, skills }                   // known, read by nobody here
/// }
/// ```
macro_rules! settings {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident $(short for $short:ident)? $(from $prefix:literal)? {
            $( $(#[doc = $doc:literal])+ $field:ident: $type:ty = $default:expr $(, from $variable:literal)?; )+
        }
        $(opaque { $($opaque:ident),+ $(,)? })?
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $( $(#[doc = $doc])+ pub $field: $type, )+
        }

        impl $name {
            /// What the names of its variables start with, if it has any.
            const PREFIX: &'static [&'static str] = &[$($prefix)?];

            /// The keys that may stand in this section.
            pub(crate) const FIELDS: &'static [$crate::config::shape::Field] = &[
                $( $crate::config::shape::Field {
                    name: stringify!($field),
                    shape: <$type as $crate::config::setting::Setting>::SHAPE,
                    variable: $crate::config::shape::Variable::of(&[$($variable)?], Self::PREFIX),
                    default: || <$type as $crate::config::setting::Setting>::to_json(&$default),
                }, )+
                $( $( $crate::config::shape::Field {
                    name: stringify!($opaque),
                    shape: $crate::config::shape::Shape::Anything,
                    variable: $crate::config::shape::Variable::None,
                    default: || ::serde_json::Value::Null,
                }, )+ )?
            ];
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )+ }
            }
        }

        impl $crate::config::setting::Setting for $name {
            const SHAPE: $crate::config::shape::Shape = $crate::config::shape::Shape::Section($name::FIELDS);

            fn read(node: &$crate::yaml::Node, reader: &mut $crate::config::reader::Reader<'_>) -> Option<Self> {
                let node = &*$crate::config::setting::spelled_out(node, &[$(stringify!($short))?]);
                reader.section(node, Self::FIELDS)?;
                Some(Self {
                    $( $field: reader
                        .field(node, Self::FIELDS, stringify!($field))
                        .unwrap_or_else(|| $default), )+
                })
            }

            fn to_json(&self) -> ::serde_json::Value {
                let mut map = ::serde_json::Map::new();
                $( map.insert(
                    stringify!($field).to_owned(),
                    <$type as $crate::config::setting::Setting>::to_json(&self.$field),
                ); )+
                ::serde_json::Value::Object(map)
            }
        }
    };
}

/// Declares a closed set of words. The first word of a choice is its name, the others
/// are accepted for it; capitals do not count.
macro_rules! choices {
    (
        $(#[doc = $about:literal])+
        pub enum $name:ident {
            $( $(#[doc = $doc:literal])* $choice:ident = $word:literal $(| $alias:literal)*, )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $( $(#[doc = $doc])* $choice, )+
        }

        impl $name {
            /// The word for it in the configuration.
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$choice => $word, )+
                }
            }
        }

        impl $crate::config::setting::Setting for $name {
            const SHAPE: $crate::config::shape::Shape = $crate::config::shape::Shape::Choice(&[$($word),+]);

            fn read(node: &$crate::yaml::Node, reader: &mut $crate::config::reader::Reader<'_>) -> Option<Self> {
                let known = [$( ($word, Self::$choice), $( ($alias, Self::$choice), )* )+];
                $crate::config::setting::choose(node, reader, &known, &[$($word),+])
            }

            fn to_json(&self) -> ::serde_json::Value {
                ::serde_json::Value::from(self.as_str())
            }
        }
    };
}
