//! What is logged while something runs.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Kept {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Does something; answers what came of it and what was logged on this thread meanwhile.
pub(crate) fn logged<T>(something: impl FnOnce() -> T) -> (T, String) {
    let kept = Kept::default();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(kept.clone()).finish();
    let outcome = tracing::subscriber::with_default(subscriber, something);
    let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
    (outcome, text)
}
