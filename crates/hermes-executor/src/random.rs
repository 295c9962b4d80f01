//! Random bytes from the kernel, for names that must not collide.

use rustix::rand::{GetRandomFlags, getrandom};

/// Fresh random bytes. A kernel that refuses leaves the clock, which is enough for names.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if !matches!(getrandom(&mut bytes[..], GetRandomFlags::empty()), Ok(length) if length == N) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let clock = now.as_nanos().to_le_bytes();
        bytes.iter_mut().zip(clock).for_each(|(byte, from)| *byte = from);
    }
    bytes
}
