//! Descriptors that are waited for without a thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::scratch::ScratchUse;

/// A pipe, socket, terminal or pidfd.
#[derive(Debug)]
pub(crate) struct Stream(AsyncFd<OwnedFd>);

impl Stream {
    /// One that is read from. It is made non-blocking.
    pub(crate) fn reader(descriptor: OwnedFd) -> io::Result<Self> {
        Self::new(descriptor, Interest::READABLE)
    }

    /// One that is written to. It is made non-blocking.
    pub(crate) fn writer(descriptor: OwnedFd) -> io::Result<Self> {
        Self::new(descriptor, Interest::WRITABLE)
    }

    fn new(descriptor: OwnedFd, interest: Interest) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&descriptor, true)?;
        register(descriptor, interest)
    }

    /// A pidfd, which becomes readable when its process ends.
    pub(crate) fn process(pidfd: OwnedFd) -> io::Result<Self> {
        register(pidfd, Interest::READABLE)
    }

    /// Waits until there is something to read.
    pub(crate) async fn readable(&self) -> io::Result<()> {
        // What was announced is still there afterwards: nothing is marked as consumed.
        self.0.readable().await.map(|mut ready| ready.retain_ready())
    }

    /// Reads what is there; 0 at the end.
    pub(crate) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.async_io(Interest::READABLE, |descriptor| read_once(descriptor.as_fd(), buffer)).await
    }

    /// Reads by `action` as soon as there is something; it is called again if there was not.
    pub(crate) async fn read_with<T>(&self, mut action: impl FnMut(BorrowedFd<'_>) -> io::Result<T>) -> io::Result<T> {
        self.0.async_io(Interest::READABLE, |descriptor| action(descriptor.as_fd())).await
    }

    /// Writes all of it.
    pub(crate) async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let write = |descriptor: &OwnedFd| Ok(rustix::io::write(descriptor, bytes)?);
            let written = self.0.async_io(Interest::WRITABLE, write).await?;
            bytes = bytes.get(written..).unwrap_or_default();
        }
        Ok(())
    }
}

#[expect(
    deprecated,
    reason = "its successor is unsafe because an owner might change its descriptor; an OwnedFd never does"
)]
fn register(descriptor: OwnedFd, interest: Interest) -> io::Result<Stream> {
    AsyncFd::with_interest(descriptor, interest).map(Stream)
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.get_ref().as_fd()
    }
}

/// Reads what is there; 0 at the end. A terminal whose other side is gone has ended too.
pub(crate) fn read_once(descriptor: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    match rustix::io::read(descriptor, buffer) {
        Err(Errno::IO) => Ok(0),
        read => Ok(read?),
    }
}

/// Reads a pipe to its end, for nobody.
pub(crate) async fn discard(stream: Stream, scratch: ScratchUse) {
    let read = || stream.read_with(|descriptor| scratch.with(|buffer| read_once(descriptor, buffer)));
    while let Ok(length @ 1..) = read().await {
        scratch.grow_after(length);
        tokio::task::yield_now().await;
    }
}
