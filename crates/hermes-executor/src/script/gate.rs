//! Which calls of a script are passed on.
//!
//! In this order: is it a call at all, does it carry the script's token, is its tool offered, is there
//! anything left of the budget. A refused call costs nothing; one that was passed on costs one,
//! whatever comes of it. No tools offered means none: there is no list to fall back to.

use std::cell::Cell;

use hermes_proto::executor::{CallId, LONGEST_PAYLOAD, ScriptTool, ToolCall};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Bytes of one call, its line end included. A call goes up the link in one frame.
pub(super) const LONGEST_LINE: usize = LONGEST_PAYLOAD - 1024;
const TOKEN_BYTES: usize = 32;

/// What a script has to show with each call.
#[derive(Debug, Clone)]
pub(super) struct Token(String);

impl Token {
    /// Only from the kernel: a token that could be guessed would be none.
    pub(super) fn fresh() -> Result<Self, Errno> {
        let mut bytes = [0; TOKEN_BYTES];
        match getrandom(&mut bytes[..], GetRandomFlags::empty())? {
            TOKEN_BYTES => Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())),
            _ => Err(Errno::AGAIN),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Takes as long for a wrong one as for the right one.
    fn is(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        let difference = own.iter().zip(given).fold(0, |difference, (a, b)| difference | (a ^ b));
        std::hint::black_box(difference) == 0 && own.len() == given.len()
    }
}

/// Decides about the calls of one script.
#[derive(Debug)]
pub(super) struct Gate {
    token: Token,
    tools: Vec<ScriptTool>,
    most: u32,
    made: Cell<u32>,
}

/// A call as it stands on a line.
#[derive(Debug, Deserialize)]
struct Asked {
    #[serde(default)]
    id: Option<u64>,
    #[serde(default)]
    token: String,
    tool: String,
    #[serde(default)]
    args: Map<String, Value>,
}

/// A call that is passed on, under the number that its reply carries.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Admitted {
    pub(super) id: Option<u64>,
    pub(super) call: CallId,
    /// The `ToolCall` as it goes up the link.
    pub(super) payload: Vec<u8>,
}

/// A call that is not.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) id: Option<u64>,
    pub(super) why: Refusal,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("not a tool call: {0}")]
    NotACall(String),
    #[error("tool call does not carry this script's token")]
    Token,
    #[error("no tool is available to this script")]
    NoTools,
    #[error("tool {tool:?} is not available to this script; available: {offered}")]
    NotOffered { tool: String, offered: String },
    #[error("limit of {0} tool calls is reached; no more are made in this run")]
    Budget(u32),
    #[error("tool call is longer than {LONGEST_LINE} bytes")]
    TooLong,
    #[error("too many connections at once")]
    TooMany,
}

impl Refusal {
    /// Whether nothing more is taken from whoever sent this.
    pub(super) fn ends_the_connection(&self) -> bool {
        matches!(self, Self::Token | Self::TooLong | Self::TooMany)
    }
}

impl Gate {
    pub(super) fn new(token: Token, tools: Vec<ScriptTool>, most: u32) -> Self {
        Self { token, tools, most, made: Cell::new(0) }
    }

    /// How many calls were passed on.
    pub(super) fn made(&self) -> u32 {
        self.made.get()
    }

    /// Decides about one line, and counts it if it is passed on.
    pub(super) fn admit(&self, line: &[u8]) -> Result<Admitted, Refused> {
        let refuse = |id, why| Refused { id, why };
        let asked: Asked =
            serde_json::from_slice(line).map_err(|error| refuse(None, Refusal::NotACall(error.to_string())))?;
        let id = asked.id;
        if !self.token.is(&asked.token) {
            return Err(refuse(id, Refusal::Token));
        }
        let tool = self.offered(&asked.tool).map_err(|why| refuse(id, why))?;
        if self.made.get() >= self.most {
            return Err(refuse(id, Refusal::Budget(self.most)));
        }
        let call = CallId(u64::from(self.made.get()) + 1);
        let payload = serde_json::to_vec(&ToolCall { call, tool, arguments: asked.args });
        let payload = payload.map_err(|error| refuse(id, Refusal::NotACall(error.to_string())))?;
        // Some numbers are longer when they are written again.
        if payload.len() > LONGEST_PAYLOAD {
            return Err(refuse(id, Refusal::TooLong));
        }
        self.made.set(self.made.get() + 1);
        Ok(Admitted { id, call, payload })
    }

    fn offered(&self, name: &str) -> Result<ScriptTool, Refusal> {
        if self.tools.is_empty() {
            return Err(Refusal::NoTools);
        }
        let tool = ScriptTool::from_name(name).filter(|tool| self.tools.contains(tool));
        tool.ok_or_else(|| {
            let offered: Vec<_> = self.tools.iter().map(|tool| tool.name()).collect();
            let tool = name.chars().take(100).collect();
            Refusal::NotOffered { tool, offered: offered.join(", ") }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Gate, LONGEST_LINE, Refusal, Token};
    use hermes_proto::executor::{CallId, LONGEST_PAYLOAD, ScriptTool, ToolCall};

    fn gate(tools: &[ScriptTool], most: u32) -> Gate {
        Gate::new(Token("secret".to_owned()), tools.to_vec(), most)
    }

    fn line(token: &str, tool: &str) -> Vec<u8> {
        format!(r#"{{"id": 7, "token": "{token}", "tool": "{tool}", "args": {{"command": "ls"}}}}"#).into_bytes()
    }

    #[test]
    fn an_offered_tool_is_passed_on_under_a_number_of_its_own() {
        let gate = gate(&[ScriptTool::Terminal], 50);
        for number in 1..4 {
            let admitted = gate.admit(&line("secret", "terminal")).unwrap();
            assert_eq!((admitted.id, admitted.call), (Some(7), CallId(number)));
            let call: ToolCall = serde_json::from_slice(&admitted.payload).unwrap();
            assert_eq!(
                (call.call, call.tool, call.arguments["command"].as_str()),
                (CallId(number), ScriptTool::Terminal, Some("ls"))
            );
        }
    }

    #[test]
    fn refused_calls_cost_nothing_and_an_empty_list_offers_none() {
        let check = |tools: &[ScriptTool], line: &[u8], expected: fn(&Refusal) -> bool| {
            let gate = gate(tools, 50);
            let refused = gate.admit(line).unwrap_err();
            assert!(expected(&refused.why), "{refused:?}");
            assert_eq!(gate.made(), 0);
        };
        let terminal = [ScriptTool::Terminal];
        check(&[], &line("secret", "terminal"), |why| *why == Refusal::NoTools);
        check(&terminal, &line("secret", "read_file"), |why| matches!(why, Refusal::NotOffered { .. }));
        check(&terminal, &line("secret", "execute_code"), |why| matches!(why, Refusal::NotOffered { .. }));
        check(&terminal, &line("secret", "delegate_task"), |why| matches!(why, Refusal::NotOffered { .. }));
        for token in ["", "secre", "secrets", "SECRET"] {
            check(&terminal, &line(token, "terminal"), |why| *why == Refusal::Token);
        }
        check(&terminal, br#"{"tool": "terminal"}"#, |why| *why == Refusal::Token);
        for garbage in [&b"not json"[..], b"[]", b"{}", b"\xff", br#"{"token":"secret","tool":"terminal","args":[]}"#] {
            check(&terminal, garbage, |why| matches!(why, Refusal::NotACall(_)));
        }
        let nested = ["[".repeat(5000), "]".repeat(5000)].concat();
        let nested = format!(r#"{{"token":"secret","tool":"terminal","args":{{"a":{nested}}}}}"#);
        check(&terminal, nested.as_bytes(), |why| matches!(why, Refusal::NotACall(_)));
    }

    #[test]
    fn the_budget_is_exact_and_its_end_is_said() {
        let gate = gate(&[ScriptTool::Terminal], 2);
        assert!(gate.admit(&line("wrong", "terminal")).is_err());
        assert!(gate.admit(&line("secret", "patch")).is_err());
        assert!(gate.admit(&line("secret", "terminal")).is_ok());
        assert!(gate.admit(&line("secret", "terminal")).is_ok());
        let refused = gate.admit(&line("secret", "terminal")).unwrap_err();
        assert_eq!(refused.why.to_string(), "limit of 2 tool calls is reached; no more are made in this run");
        assert_eq!(gate.made(), 2);
    }

    #[test]
    fn a_call_that_grows_beyond_a_frame_is_refused() {
        let numbers = "1e9,".repeat(LONGEST_LINE / 4 - 100);
        let line = format!(r#"{{"token":"secret","tool":"terminal","args":{{"a":[{numbers}0]}}}}"#);
        assert!(line.len() < LONGEST_PAYLOAD);
        let refused = gate(&[ScriptTool::Terminal], 1).admit(line.as_bytes()).unwrap_err();
        assert_eq!(refused.why, Refusal::TooLong);
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let (one, other) = (Token::fresh().unwrap(), Token::fresh().unwrap());
        assert!(one.text().len() == 64 && one.text() != other.text());
        assert!(one.is(one.text()) && !one.is(other.text()));
    }
}
