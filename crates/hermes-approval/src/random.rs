//! Names that nobody guesses.

use std::fmt::Write;

use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

/// As many random bytes as hexadecimal digits. The kernel gives them or, on none that Hermes runs on, refuses.
pub(crate) fn hex<const BYTES: usize>() -> Result<String, Errno> {
    let mut bytes = [0_u8; BYTES];
    // Up to 256 bytes come whole.
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    let mut text = String::with_capacity(2 * BYTES);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}
