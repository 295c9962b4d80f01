//! `hermes chat` as a person and a script use it: the real program, real sockets, a real terminal.

mod errors;
mod flags;
mod offline;
mod resume;
mod screen;
mod served;
mod slash;
mod terminal;

use std::path::PathBuf;
use std::process::Command;

use hermes_testkit::ModelServer;
use serde_json::Value;

use crate::support::{Run, Sandbox, finish};

/// A home, and a folder beside it to work in.
struct Ground {
    sandbox: Sandbox,
}

impl Ground {
    fn new() -> Self {
        let ground = Self { sandbox: Sandbox::new() };
        std::fs::create_dir(ground.work()).unwrap();
        ground
    }

    /// One whose model is this server.
    fn served(server: &ModelServer) -> Self {
        let ground = Self::new();
        ground.sandbox.write("config.yaml", config(server));
        ground
    }

    fn work(&self) -> PathBuf {
        self.sandbox.home().parent().unwrap().join("work")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command.current_dir(self.work());
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        finish(self.command(arguments).spawn().unwrap())
    }

    /// The answer of a run that has to succeed.
    #[track_caller]
    fn answer(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{run:?}");
        run.stdout
    }

    /// What a run says that has to end with this code, and answer nothing.
    #[track_caller]
    fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{run:?}");
        assert!(!run.stderr.contains("panicked"), "{run:?}");
        run.stderr
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.answer(arguments)).unwrap()
    }
}

/// A configuration whose model is this server.
fn config(server: &ModelServer) -> String {
    format!(
        "model: {{provider: lab, default: m-1}}\nproviders: {{lab: {{base_url: {}, api_key: lab-key-0123456789}}}}\n\
         approvals: {{mode: manual}}\n",
        server.openai_url()
    )
}
