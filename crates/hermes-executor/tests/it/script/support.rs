//! A runtime for scripts: starts them, answers their calls, waits for their results.

use std::path::{Path, PathBuf};

use hermes_proto::executor::{
    Answer, Frame, FrameKind, Request, RequestFailure, RequestId, RunScript, ScriptLimits, ScriptMode, ScriptResult,
    ScriptTool, ToolCall, ToolResult,
};

use crate::client::Client;

pub(super) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A script that may use the terminal.
pub(super) fn script(code: &str) -> RunScript {
    RunScript {
        code: code.to_owned(),
        environment: vec![("PATH".to_owned(), PATH.to_owned())],
        passthrough: Vec::new(),
        time_zone: None,
        mode: ScriptMode::Project,
        tools: vec![ScriptTool::Terminal],
        limits: ScriptLimits { timeout_ms: 120_000, ..ScriptLimits::default() },
    }
}

/// What came for a script: a call, or its end.
#[derive(Debug)]
pub(super) enum Came {
    Call(ToolCall),
    End(Answer),
}

impl Client {
    pub(super) fn ask_script(&mut self, mut script: RunScript) -> RequestId {
        let (name, value) = self.mark();
        script.passthrough.push(name.clone());
        script.environment.push((name, value));
        self.ask(&Request::Script(script))
    }

    pub(super) fn came(&mut self, id: RequestId) -> Came {
        let wanted =
            |frame: &Frame| frame.request == id && matches!(frame.kind, FrameKind::ToolCall | FrameKind::Result);
        let frame = self.frame_where(wanted).expect("a call or an answer");
        match frame.kind {
            FrameKind::ToolCall => Came::Call(serde_json::from_slice(&frame.payload).unwrap()),
            _ => Came::End(serde_json::from_slice(&frame.payload).unwrap()),
        }
    }

    /// The next call of a script that must make one.
    pub(super) fn call(&mut self, id: RequestId) -> ToolCall {
        match self.came(id) {
            Came::Call(call) => call,
            Came::End(answer) => panic!("{answer:?}"),
        }
    }

    pub(super) fn give(&mut self, id: RequestId, call: &ToolCall, result: &str) {
        let result = ToolResult { call: call.call, result: result.to_owned() };
        self.send(&Frame::new(FrameKind::ToolResult, id, serde_json::to_vec(&result).unwrap()));
    }

    /// Answers every call by `answer` until the script has ended.
    pub(super) fn served(&mut self, id: RequestId, mut answer: impl FnMut(&ToolCall) -> String) -> ScriptResult {
        loop {
            match self.came(id) {
                Came::Call(call) => {
                    let result = answer(&call);
                    self.give(id, &call, &result);
                }
                Came::End(Answer::Script(result)) => return result,
                Came::End(other) => panic!("{other:?}"),
            }
        }
    }

    /// Runs a script that must not call anything.
    pub(super) fn run_script(&mut self, script: RunScript) -> ScriptResult {
        let id = self.ask_script(script);
        self.served(id, |call| panic!("{call:?}"))
    }

    pub(super) fn script_failure(&mut self, script: RunScript) -> RequestFailure {
        let id = self.ask_script(script);
        self.failure(id)
    }
}

/// What a terminal call asked for.
pub(super) fn command(call: &ToolCall) -> &str {
    call.arguments["command"].as_str().unwrap()
}

/// The folder of a script whose call tells where its socket is.
pub(super) fn folder_of(call: &ToolCall) -> PathBuf {
    Path::new(command(call)).parent().unwrap().to_owned()
}
