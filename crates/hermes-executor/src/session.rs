//! What all requests of this executor share. One executor serves one session.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use crate::command::NextShell;
use crate::files::Received;
use crate::jobs::Jobs;
use crate::link::Outbox;
use crate::scratch::Scratch;
use crate::shell::open_nothing;
use crate::state::{ShellState, Variables};
use crate::wardens::Wardens;

/// How a session begins.
#[derive(Debug)]
pub(crate) struct Beginning {
    pub(crate) working_directory: PathBuf,
    /// What commands have underneath what their turn gives them.
    pub(crate) own_environment: Vec<(OsString, OsString)>,
    /// What `~` means until a command was given another home.
    pub(crate) home: Option<PathBuf>,
    pub(crate) spill_folder: Option<PathBuf>,
}

/// The session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) state: RefCell<ShellState>,
    pub(crate) own_environment: Variables,
    /// The home of the last command.
    home: RefCell<Option<PathBuf>>,
    pub(crate) spill_folder: Option<PathBuf>,
    pub(crate) wardens: Rc<Wardens>,
    pub(crate) next_shell: NextShell,
    pub(crate) jobs: Jobs,
    pub(crate) outbox: Outbox,
    pub(crate) scratch: Rc<Scratch>,
    /// Files that came from outside. They go with the session.
    pub(crate) received: Arc<Received>,
    /// The standard input of whoever has none.
    pub(crate) nothing: OwnedFd,
}

impl Session {
    pub(crate) fn new(beginning: Beginning, outbox: Outbox) -> io::Result<Self> {
        let own = beginning.own_environment.into_iter();
        Ok(Self {
            state: RefCell::new(ShellState::new(beginning.working_directory)),
            own_environment: own.map(|(name, value)| (name.into_vec(), value.into_vec())).collect(),
            home: RefCell::new(beginning.home),
            spill_folder: beginning.spill_folder,
            wardens: Rc::new(Wardens::new()?),
            next_shell: NextShell::default(),
            jobs: Jobs::new(outbox.clone()),
            outbox,
            scratch: Rc::default(),
            received: Arc::default(),
            nothing: open_nothing()?,
        })
    }

    /// What `~` means to file operations.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.home.borrow().clone()
    }

    /// A command runs with this environment.
    pub(crate) fn note_home(&self, environment: &Variables) {
        if let Some(home) = environment.get(b"HOME".as_slice()) {
            self.home.replace(Some(PathBuf::from(OsString::from_vec(home.clone()))));
        }
    }
}
