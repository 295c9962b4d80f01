//! Which folders of a home every session may read, wherever it works.
//!
//! They are named one by one: what is not named is not shown. Beside them in `cache/` is what belongs to one conversation, such as the files
//! that people sent and those that wait to be delivered, and another conversation must not find it.

/// Skills, and what tools made for everybody.
pub(crate) const SHOWN: [&str; 8] = [
    "skills",
    "cache/documents",
    "cache/images",
    "cache/audio",
    "cache/videos",
    "cache/screenshots",
    "cache/web",
    "cache/delegation",
];
