//! A reader that stops when it has given out more than somebody allowed.
//!
//! The tar reader takes the description of an entry (a long name, extended
//! attributes) into memory whole, whatever size it claims. A few kilobytes of
//! compressed zeros would become gigabytes there; the allowance ends that.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// How many bytes may still be read. Shared by the reader and its overseer.
#[derive(Debug, Clone, Default)]
pub(super) struct Allowance(Rc<Cell<u64>>);

impl Allowance {
    pub(super) fn set(&self, bytes: u64) {
        self.0.set(bytes);
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.0.get() == 0
    }
}

#[derive(Debug)]
pub(super) struct Metered<R> {
    inner: R,
    allowance: Allowance,
}

impl<R> Metered<R> {
    pub(super) fn new(inner: R, allowance: Allowance) -> Self {
        Self { inner, allowance }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let allowed = self.allowance.0.get();
        if allowed == 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        let count = (&mut self.inner).take(allowed).read(buffer)?;
        self.allowance.set(allowed.saturating_sub(count as u64));
        Ok(count)
    }
}
