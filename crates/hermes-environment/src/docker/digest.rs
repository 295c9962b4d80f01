//! SHA-256 as text.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// The first twelve hexadecimal digits: enough to keep names apart.
pub(super) fn short_digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes)).chars().take(12).collect()
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
