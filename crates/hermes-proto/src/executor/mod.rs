//! What runtime and executor say to each other over a link.
//!
//! Control messages are JSON in a frame, so that both sides can be read in a trace and a
//! newer field does not break an older peer; bytes of commands travel raw.

mod attach;
mod command;
mod file;
mod file_problem;
mod frame;
mod handshake;
mod isolation;
mod job;
mod message;
mod request;
mod script;

pub use attach::{Attach, AttachRefused, Attached, RefusalCause};
pub use command::{CommandEnd, CommandResult, CommandText, OutputLimits, RunCommand, Stdin};
pub use file::{
    FetchFile, FileAnswer, FileEntry, FileKind, FileRequest, FoundLine, LineRole, ListFiles, PatchFile, PatchMode,
    PutFile, ReadFile, SearchFiles, SearchTarget, WriteFile,
};
pub use file_problem::FileProblem;
pub use frame::{Frame, FrameDecoder, FrameError, FrameKind, INITIAL_WINDOW, LONGEST_PAYLOAD, RequestId};
pub use handshake::{Open, PREAMBLE_LENGTH, PROTOCOL, PreambleError, Ready, Refused, Started, preamble, read_preamble};
pub use isolation::{IsolationReport, Layer, LayerReport, LayerState};
pub use job::{JobAction, JobId, JobNotice, JobRequest, JobSnapshot, JobState, NoticeCause, StartJob};
pub use message::{LONGEST_MESSAGE, MessageAssembler, encode_message};
pub use request::{Answer, LinkEnd, Request, RequestFailure};
pub use script::{
    CallId, MOST_CALLS_AT_ONCE, RunScript, ScriptLimits, ScriptMode, ScriptResult, ScriptStatus, ScriptTool, ToolCall,
    ToolResult,
};
