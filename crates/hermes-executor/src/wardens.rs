//! All wardens of this executor: who they are, how they end, and what is left when one is killed.
//!
//! A command may kill its own warden. What was below it then becomes a child of the executor,
//! which knows its own children (the wardens) and ends every other one.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use hermes_sandbox::warden::{Memory, REPORT_LENGTH, Report, Warden, own_children};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, getpid, kill_process, pidfd_open, pidfd_send_signal,
    set_child_subreaper, waitid,
};
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::stream::Stream;
use crate::tasks;

/// A warden gives what it guards one second; one that has not ended long after that is hindered.
const ENDS_WITHIN: Duration = Duration::from_secs(3);

/// What happens to a command when the link closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// It ends with the link.
    Link,
    /// It lives on, and the executor with it.
    Own,
}

/// The living wardens.
#[derive(Debug, Default)]
pub(crate) struct Wardens {
    known: RefCell<BTreeMap<i32, Rc<Guarded>>>,
    /// Wardens that are not gone, with all that they guarded.
    tended: Cell<usize>,
    changed: Notify,
}

/// One warden, as its command sees it.
#[derive(Debug)]
pub(crate) struct Guarded {
    pidfd: Stream,
    reports: Stream,
    lifetime: Lifetime,
    /// What the warden works with; freed when it has been reaped.
    memory: RefCell<Option<Memory>>,
    /// Set when nothing of it is left.
    gone: CancellationToken,
}

impl Wardens {
    /// Whatever loses its warden falls to this process.
    pub(crate) fn new() -> io::Result<Self> {
        set_child_subreaper(Some(getpid()))?;
        Ok(Self::default())
    }

    /// Takes a fresh warden into care. One that cannot be watched is told to end.
    pub(crate) fn adopt(self: &Rc<Self>, warden: Warden, lifetime: Lifetime) -> io::Result<Rc<Guarded>> {
        let process = warden.process;
        let guarded = Guarded::new(warden, lifetime).inspect_err(|_| {
            // Its number is ours: nobody has reaped it.
            let _ = kill_process(process, Signal::TERM);
        });
        let guarded = Rc::new(guarded?);
        let number = process.as_raw_nonzero().get();
        self.known.borrow_mut().insert(number, Rc::clone(&guarded));
        self.tended.set(self.tended.get() + 1);
        tasks::spawn(Rc::clone(self).tend(number, Rc::clone(&guarded)));
        Ok(guarded)
    }

    /// Ends everything that does not live on.
    pub(crate) async fn end_with_link(&self) {
        let ending: Vec<_> = self.with_lifetime(Lifetime::Link);
        for guarded in &ending {
            guarded.order_end();
        }
        let all_gone = async {
            for guarded in &ending {
                guarded.gone.cancelled().await;
            }
        };
        if timeout(ENDS_WITHIN, all_gone).await.is_err() {
            for guarded in &ending {
                guarded.end().await;
            }
        }
    }

    /// Waits for whatever is left.
    pub(crate) async fn all_gone(&self) {
        while self.tended.get() > 0 {
            self.changed.notified().await;
        }
    }

    fn with_lifetime(&self, lifetime: Lifetime) -> Vec<Rc<Guarded>> {
        self.known.borrow().values().filter(|guarded| guarded.lifetime == lifetime).cloned().collect()
    }

    /// Waits for a warden's end and clears up after one that did not end by itself.
    async fn tend(self: Rc<Self>, number: i32, guarded: Rc<Guarded>) {
        // A pidfd cannot fail to be waited for; if it does, reaping below waits instead.
        let _ = guarded.pidfd.readable().await;
        let status = waitid(WaitId::PidFd(rustix::fd::AsFd::as_fd(&guarded.pidfd)), WaitIdOptions::EXITED);
        if status.as_ref().is_ok_and(Option::is_some)
            && let Some(memory) = guarded.memory.take()
        {
            memory.release();
        }
        self.known.borrow_mut().remove(&number);
        let ended_well = status.ok().flatten().and_then(|status| status.exit_status()) == Some(0);
        if !ended_well {
            self.end_strays().await;
        }
        guarded.gone.cancel();
        self.tended.set(self.tended.get() - 1);
        self.changed.notify_waiters();
    }

    /// Kills every child that is not a warden, until there is none: what it started falls to us too.
    async fn end_strays(&self) {
        loop {
            let strays: Vec<_> = own_children().into_iter().filter(|child| !self.is_known(*child)).collect();
            if strays.is_empty() {
                return;
            }
            for stray in strays {
                end_stray(stray).await;
            }
        }
    }

    fn is_known(&self, process: Pid) -> bool {
        self.known.borrow().contains_key(&process.as_raw_nonzero().get())
    }
}

/// Kills one child and reaps it. Somebody else of us may have done so meanwhile.
async fn end_stray(stray: Pid) {
    let Ok(pidfd) = pidfd_open(stray, PidfdFlags::empty()) else { return };
    let _ = pidfd_send_signal(&pidfd, Signal::KILL);
    if let Ok(ended) = Stream::process(pidfd) {
        let _ = ended.readable().await;
    }
    let _ = waitid(WaitId::Pid(stray), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
}

impl Guarded {
    fn new(warden: Warden, lifetime: Lifetime) -> io::Result<Self> {
        let (pidfd, reports) = (Stream::process(warden.pidfd)?, Stream::reader(warden.reports)?);
        let memory = RefCell::new(Some(warden.memory));
        Ok(Self { pidfd, reports, lifetime, memory, gone: CancellationToken::new() })
    }

    /// The next news of the shell; `None` when the warden is gone.
    pub(crate) async fn report(&self) -> Option<Report> {
        let mut record = [0; REPORT_LENGTH];
        match self.reports.read(&mut record).await {
            Ok(REPORT_LENGTH) => Report::decode(record),
            _ => None,
        }
    }

    /// Ends everything it guards and returns when nothing of it is left.
    pub(crate) async fn end(&self) {
        self.end_within(ENDS_WITHIN).await;
    }

    /// Ends everything it guards; what has not ended after this time is killed.
    pub(crate) async fn end_within(&self, patience: Duration) {
        if self.gone.is_cancelled() {
            return;
        }
        self.order_end();
        if timeout(patience, self.gone.cancelled()).await.is_err() {
            // Somebody stopped it, or it still waits. What it guarded falls to us when it is gone.
            let _ = pidfd_send_signal(&self.pidfd, Signal::KILL);
            self.gone.cancelled().await;
        }
    }

    /// Waits until nothing of it is left.
    pub(crate) async fn gone(&self) {
        self.gone.cancelled().await;
    }

    fn order_end(&self) {
        let _ = pidfd_send_signal(&self.pidfd, Signal::TERM);
        // One that a command stopped must go on to read its order.
        let _ = pidfd_send_signal(&self.pidfd, Signal::CONT);
    }
}
