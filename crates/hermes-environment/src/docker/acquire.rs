//! Gets a task's container: found again, started again, or made.

use std::cell::Cell;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

use hermes_home::files;

use super::arguments::{Files, Network, RunSpec};
use super::binary::Client;
use super::custody::{Custody, Held};
use super::engine::Facts;
use super::error::DockerError;
use super::executor_mount::{self, MOUNT, PlacedExecutor};
use super::find::{Found, State, find};
use super::fingerprint::{self, Comparison, Fingerprint, Record};
use super::labels::Labels;
use super::lock::{FolderLock, Lease, Others};
use super::plan::{DockerSettings, ExecutorSource, Reuse};
use super::volumes::Volume;

/// Where a container comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was running.
    Attached,
    /// It had been stopped.
    Started,
    Made,
}

/// A container that is running and in use by us; dropped, its cleanup begins.
#[derive(Debug)]
pub struct Container {
    pub(super) custody: Custody,
    pub(super) client: Client,
    pub(super) id: String,
    pub(super) origin: Origin,
    pub(super) executor: Option<PlacedExecutor>,
    pub(super) notes: Vec<String>,
    labels: Labels,
}

impl Container {
    /// Finds, starts or makes it. Takes time: the engine is asked, and an image may be pulled.
    pub fn acquire(settings: &Arc<DockerSettings>) -> Result<Self, DockerError> {
        acquire(settings)
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn origin(&self) -> Origin {
        self.origin
    }

    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// What the person should know.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Its end.
    pub fn custody(&self) -> &Custody {
        &self.custody
    }
}

fn acquire(settings: &Arc<DockerSettings>) -> Result<Container, DockerError> {
    let (client, executor) = std::thread::scope(|scope| {
        let executor = scope.spawn(|| place_executor(settings));
        (Client::connect(&settings.search), executor.join().unwrap_or(Err(DockerError::Interrupted)))
    });
    let (client, executor) = (client?, executor?);
    let mut notes = settings.notes.clone();
    let (id, origin, lease) = std::thread::scope(|scope| {
        // What is probably needed is asked for while the engine looks for a container.
        let is_probably_new = settings.reuse == Reuse::ThisProcess || fingerprint::read(&settings.folder).is_none();
        let facts = is_probably_new.then(|| scope.spawn(|| client.facts(&settings.spec)));
        let making = Making { client: &client, settings, executor: executor.as_ref(), facts: Cell::new(facts) };
        making.get(&mut notes)
    })?;
    let held = Held { client: client.clone(), id: id.clone(), lease, settings: Arc::clone(settings) };
    let labels = settings.spec.labels.clone();
    Ok(Container { custody: Custody::of(held), client, id, origin, executor, notes, labels })
}

fn place_executor(settings: &DockerSettings) -> Result<Option<PlacedExecutor>, DockerError> {
    match &settings.executor {
        ExecutorSource::Program(program) => executor_mount::place(&settings.home, program).map(Some),
        ExecutorSource::None => Ok(None),
    }
}

struct Making<'a, 'scope> {
    client: &'a Client,
    settings: &'a DockerSettings,
    executor: Option<&'a PlacedExecutor>,
    /// On their way, if they were asked for.
    facts: Cell<Option<ScopedJoinHandle<'scope, Facts>>>,
}

impl Making<'_, '_> {
    fn get(&self, notes: &mut Vec<String>) -> Result<(String, Origin, Lease), DockerError> {
        let folder = &self.settings.folder;
        match self.settings.reuse {
            Reuse::AcrossProcesses => {
                let _lock = FolderLock::take(folder)?;
                let (id, origin) = self.find_or_make(notes)?;
                let lease = self.lease(&id)?;
                Ok((id, origin, lease))
            }
            Reuse::ThisProcess => {
                let id = self.make()?;
                let _lock = FolderLock::take(folder).inspect_err(|_| self.give_up(&id))?;
                let lease = self.lease(&id)?;
                Ok((id, Origin::Made, lease))
            }
        }
    }

    fn find_or_make(&self, notes: &mut Vec<String>) -> Result<(String, Origin), DockerError> {
        let Some(found) = find(self.client, &self.settings.spec.labels) else {
            return self.make_and_record();
        };
        if self.must_go(&found, notes)? {
            return self.make_and_record();
        }
        if found.state == State::Running {
            return Ok((found.id, Origin::Attached));
        }
        match self.client.start_container(&found.id) {
            Ok(()) => Ok((found.id, Origin::Started)),
            Err(error) => {
                tracing::warn!(%error, id = found.id, "a stopped container cannot be started; a fresh one is made");
                self.make_and_record()
            }
        }
    }

    /// Compares what was found with what is configured; answers whether it was removed.
    fn must_go(&self, found: &Found, notes: &mut Vec<String>) -> Result<bool, DockerError> {
        let (folder, id) = (&self.settings.folder, &found.id);
        let comparison = fingerprint::compare(folder, id, &self.fingerprint());
        let differences = match comparison {
            Comparison::Same => return Ok(false),
            Comparison::Different(differences) => differences.join(", "),
            Comparison::Unknown if self.has_what_must_not_be(id) => "network".to_owned(),
            Comparison::Unknown => {
                notes.push(format!("container {id} was not made by this home; its settings are unknown"));
                return Ok(false);
            }
        };
        let lease = Lease::take(folder, id)?;
        if lease.others() == Others::Some {
            if self.has_what_must_not_be(id) {
                return Err(DockerError::Weaker { id: id.clone() });
            }
            notes.push(format!("container {id} was made with other settings ({differences}) and is kept while in use"));
            return Ok(false);
        }
        self.client.remove_container(id)?;
        lease.remove();
        notes.push(format!("container {id} was made with other settings ({differences}) and has been replaced"));
        Ok(true)
    }

    /// Whether it has a network although none is configured.
    fn has_what_must_not_be(&self, id: &str) -> bool {
        self.settings.spec.network == Network::None && !self.client.has_no_network(id)
    }

    fn make_and_record(&self) -> Result<(String, Origin), DockerError> {
        let id = self.make()?;
        let record = Record { id: id.clone(), fingerprint: self.fingerprint() };
        fingerprint::write(&self.settings.folder, &record).inspect_err(|_| self.give_up(&id))?;
        Ok((id, Origin::Made))
    }

    fn make(&self) -> Result<String, DockerError> {
        if let Files::Kept { .. } = self.settings.spec.files {
            for name in ["home", "workspace"] {
                files::create_private_dir(&self.settings.folder.join(name))?;
            }
        }
        let spec = self.spec()?;
        let facts = self.facts.take().and_then(|facts| facts.join().ok());
        let facts = facts.unwrap_or_else(|| self.client.facts(&spec));
        self.client.run_container(spec, facts)
    }

    /// The configured one, and the executor for its commands.
    fn spec(&self) -> Result<RunSpec, DockerError> {
        let mut spec = self.settings.spec.clone();
        let mount = self.executor.map(|placed| Volume::read_only(&placed.folder, MOUNT));
        spec.volumes.extend(mount.transpose()?);
        Ok(spec)
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.settings.spec, self.executor.map(|placed| placed.name.as_str()))
    }

    fn lease(&self, id: &str) -> Result<Lease, DockerError> {
        Lease::take(&self.settings.folder, id).inspect_err(|_| self.give_up(id))
    }

    /// A container that cannot be kept track of must not stay.
    fn give_up(&self, id: &str) {
        let ended = match self.settings.reuse {
            Reuse::AcrossProcesses => self.client.stop_container(id),
            Reuse::ThisProcess => self.client.remove_container(id),
        };
        if let Err(error) = ended {
            tracing::warn!(%error, "a container stays behind");
        }
    }
}
