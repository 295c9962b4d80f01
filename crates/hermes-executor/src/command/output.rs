//! The output of a running command: into the bounded collection and, if wanted, to the runtime.
//!
//! A runtime that is not ready to take more stops the reading, and thereby the command. Once
//! the shell has ended only what is in the pipe at that moment is still its output: somebody
//! whom it left behind may keep writing for ever.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::AsFd;
use std::rc::Rc;
use std::time::Duration;

use hermes_proto::executor::{Frame, FrameKind};
use rustix::io::ioctl_fionread;
use rustix::pipe::fcntl_setpipe_size;
use tokio::time::timeout;

use crate::link::Outbox;
use crate::output::{Bounded, Collected};
use crate::requests::OpenRequest;
use crate::scratch::ScratchUse;
use crate::stream::{Stream, discard, read_once};
use crate::tasks;

/// A pipe gets this size when its command turns out to be talkative; all at once would use up what
/// the kernel grants a user.
const LARGE_PIPE: usize = 1024 * 1024;
/// A read of this size means that the command is talkative.
const TALKATIVE: usize = 64 * 1024;
/// After a read of this size others get their turn.
const LONG: usize = 8 * 1024;
/// Longest frame of output: others get their turn after it.
const FRAME: usize = 64 * 1024;
/// What a filter that the shell started (`> >(tee log)`) may take to write its last words. Only a command that
/// leaves somebody behind who holds its output pays this.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Reads a command's output.
#[derive(Debug)]
pub(super) struct Output {
    stream: Stream,
    bounded: RefCell<Bounded>,
    scratch: ScratchUse,
    streamed_to: Option<(Outbox, Rc<OpenRequest>)>,
    /// Read, collected and not sent yet: whoever waited for its place was dropped.
    unsent: RefCell<Option<Frame>>,
    is_large: Cell<bool>,
    has_ended: Cell<bool>,
}

impl Output {
    pub(super) fn new(
        stream: Stream,
        bounded: Bounded,
        scratch: ScratchUse,
        streamed_to: Option<(Outbox, Rc<OpenRequest>)>,
    ) -> Self {
        let bounded = RefCell::new(bounded);
        let (unsent, is_large, has_ended) = Default::default();
        Self { stream, bounded, scratch, streamed_to, unsent, is_large, has_ended }
    }

    /// Reads until every writer is gone. May be dropped and called again.
    pub(super) async fn pump(&self) {
        while !self.has_ended.get() {
            self.step(usize::MAX).await;
        }
    }

    /// The shell has ended: reads what it left in the pipe, and what filters still have to say.
    pub(super) async fn pump_rest(&self) {
        self.send_unsent().await;
        let mut left = self.waiting();
        while left > 0 && !self.has_ended.get() {
            left = left.saturating_sub(self.step(left).await);
        }
        let _ = timeout(LAST_WORDS, self.pump()).await;
    }

    /// Everything is over: collects what is in the pipe, whether the runtime takes it or not.
    pub(super) fn drain(&self) {
        let mut left = self.waiting();
        while left > 0 {
            let read = self.scratch.with(|buffer| {
                let most = left.min(buffer.len());
                let length = read_once(self.stream.as_fd(), buffer.get_mut(..most)?).ok()?;
                self.bounded.borrow_mut().push(buffer.get(..length)?);
                Some(length)
            });
            match read {
                Some(length) if length > 0 => left -= length,
                _ => return,
            }
        }
    }

    /// What was collected. If somebody still holds the pipe, it is read away from now on:
    /// a server that was started in the background must not die of its log.
    pub(super) fn finish(self) -> Collected {
        if !self.has_ended.get() {
            tasks::spawn(discard(self.stream, self.scratch));
        }
        self.bounded.into_inner().finish()
    }

    fn waiting(&self) -> usize {
        ioctl_fionread(&self.stream).ok().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0)
    }

    /// Reads once, at most so much; how much it was.
    async fn step(&self, most: usize) -> usize {
        match &self.streamed_to {
            None => {
                let read = self.stream.read_with(|descriptor| self.collect(descriptor, most)).await;
                let length = self.settle(read);
                if length >= LONG {
                    tokio::task::yield_now().await;
                }
                length
            }
            Some((outbox, request)) => self.step_streamed(most, outbox, request).await,
        }
    }

    async fn send_unsent(&self) {
        if let Some((outbox, _)) = &self.streamed_to {
            outbox.send_from(&self.unsent).await;
        }
    }

    async fn step_streamed(&self, most: usize, outbox: &Outbox, request: &OpenRequest) -> usize {
        outbox.send_from(&self.unsent).await;
        let granted = usize::try_from(request.credit.available().await).unwrap_or(usize::MAX);
        let mut payload = Vec::new();
        let read = self.stream.read_with(|descriptor| {
            payload.resize(most.min(granted).min(FRAME), 0);
            let length = read_once(descriptor, &mut payload)?;
            payload.truncate(length);
            Ok(length)
        });
        let read = read.await;
        let length = self.settle(read);
        if length > 0 {
            self.bounded.borrow_mut().push(&payload);
            request.credit.spend(length as u64);
            self.unsent.replace(Some(Frame::new(FrameKind::Data, request.id, payload)));
            outbox.send_from(&self.unsent).await;
        }
        length
    }

    fn collect(&self, descriptor: std::os::fd::BorrowedFd<'_>, most: usize) -> io::Result<usize> {
        self.scratch.with(|buffer| {
            let most = most.min(buffer.len());
            let length = read_once(descriptor, buffer.get_mut(..most).unwrap_or_default())?;
            self.bounded.borrow_mut().push(buffer.get(..length).unwrap_or_default());
            Ok(length)
        })
    }

    /// Notes the end, or that the command is talkative. A pipe that cannot be read has ended.
    fn settle(&self, read: io::Result<usize>) -> usize {
        let length = read.unwrap_or(0);
        self.has_ended.set(length == 0);
        self.scratch.grow_after(length);
        if length >= TALKATIVE && !self.is_large.replace(true) {
            // A user's share of pipe memory may be used up; then it stays as it is.
            let _ = fcntl_setpipe_size(&self.stream, LARGE_PIPE);
        }
        length
    }
}
