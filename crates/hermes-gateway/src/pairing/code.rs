//! Codes: easy to read out, not to be guessed, and kept only as what they can be checked with.

use std::fmt::Write;

use rustix::rand::{GetRandomFlags, getrandom};
use sha2::{Digest, Sha256};

use super::PairingError;

/// No two of these are taken for each other. As many as a byte divides by, so that each is as likely.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// 40 bits.
const LENGTH: usize = 8;
const SALT: usize = 16;

/// A new code.
pub(super) fn random() -> Result<String, PairingError> {
    Ok(bytes::<LENGTH>()?.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}

/// What a code is kept as: a salt and a digest.
pub(super) fn sealed(code: &str) -> Result<(String, String), PairingError> {
    let salt = hex(&bytes::<SALT>()?);
    let digest = digest(&salt, code);
    Ok((salt, digest))
}

/// Whether this is the code, as people type it.
pub(super) fn is_sealed_as(typed: &str, salt: &str, sealed: &str) -> bool {
    digest(salt, &typed.trim().to_ascii_uppercase()) == sealed
}

fn digest(salt: &str, code: &str) -> String {
    hex(&Sha256::digest(format!("{salt}:{code}")))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes<const COUNT: usize>() -> Result<[u8; COUNT], PairingError> {
    let mut bytes = [0; COUNT];
    // Up to 256 bytes come whole.
    getrandom(&mut bytes, GetRandomFlags::empty()).map_err(|errno| PairingError::Random(errno.into()))?;
    Ok(bytes)
}
