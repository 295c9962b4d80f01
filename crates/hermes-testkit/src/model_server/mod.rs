//! A scripted model server on a real socket: OpenAI's chat completions and Anthropic's messages.
//!
//! Every request is held against the provider's published schema and against the rules for conversations that the schema
//! cannot say. A violation is answered with 400 and fails the test when the server is dropped, whatever the program under
//! test made of the answer.

// This crate is for tests only, where a panic is the report.
#![expect(clippy::unwrap_used, reason = "a test tool reports by panicking")]

mod dialect;
mod record;
mod reply;
mod script;
mod serve;
mod transcript;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub use dialect::Api;
pub use record::ModelRequest;
pub use reply::{Gate, Reply};
pub use script::Script;

use record::Record;

/// A running server. It has a thread of its own, so that tests without a runtime can use it.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    record: Arc<Record>,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Serves these replies, one per request, in this order. A request too many is a violation.
    pub fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::serve(Script::of(replies))
    }

    /// Serves a script on a port of its own.
    pub fn serve(script: Script) -> Self {
        Self::serve_on(SocketAddr::from(([127, 0, 0, 1], 0)), script)
    }

    /// Serves a script at this address.
    pub fn serve_on(address: SocketAddr, script: Script) -> Self {
        let listener = std::net::TcpListener::bind(address).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (record, stop) = (Arc::new(Record::new()), CancellationToken::new());
        let served = serve::Served { script: Arc::new(script), record: record.clone(), stop: stop.clone() };
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(serve::run(listener, served));
        });
        Self { address, record, stop, thread: Some(thread) }
    }

    /// The address for OpenAI's dialect, as `base_url` has it.
    pub fn openai_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The address for Anthropic's dialect, as `base_url` has it.
    pub fn anthropic_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.record.requests()
    }

    /// What was wrong with the requests so far.
    pub fn violations(&self) -> Vec<String> {
        self.record.violations()
    }

    /// Takes the violations away, for a test that is about them.
    pub fn forgive(&self) -> Vec<String> {
        self.record.forgive()
    }

    /// Waits until this many requests have come.
    pub async fn received(&self, count: usize) {
        Self::reach(self.record.received(), count).await;
    }

    /// Waits until this many replies were cut off because the caller had gone.
    pub async fn abandoned(&self, count: usize) {
        Self::reach(self.record.abandoned(), count).await;
    }

    /// Connections that were accepted so far.
    pub fn connections(&self) -> usize {
        self.record.connections()
    }

    async fn reach(mut counter: watch::Receiver<usize>, count: usize) {
        counter.wait_for(|reached| *reached >= count).await.unwrap();
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed; the record tells what the test needs.
            let _ = thread.join();
        }
        let violations = self.record.violations();
        if !violations.is_empty() && !std::thread::panicking() {
            panic!("the model server received wrong requests:\n{}", violations.join("\n"));
        }
    }
}
