//! Standard output for bytes that come while other things must go on.
//!
//! A reader that has stopped reading blocks whoever writes. Were that the one thread that
//! also listens for Ctrl-C, neither it nor the timeout could be told any more; so a write
//! happens on a thread that can be left behind.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

/// Unbuffered, and apart from everything else that is printed.
#[derive(Debug)]
pub(super) struct Printer {
    /// `None` while a write that was given up is still under way, or after one that failed.
    output: Option<File>,
}

impl Printer {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { output: Some(io::stdout().as_fd().try_clone_to_owned()?.into()) })
    }

    /// Prints all of it. Dropped while waiting, nothing more can be printed.
    pub(super) async fn print(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        let Some(mut output) = self.output.take() else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let write = tokio::task::spawn_blocking(move || output.write_all(&bytes).map(|()| output));
        self.output = Some(write.await.map_err(io::Error::other)??);
        Ok(())
    }
}
