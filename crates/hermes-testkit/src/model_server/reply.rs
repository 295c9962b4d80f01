//! What the server answers, step by step, in no dialect yet.

use tokio_util::sync::CancellationToken;

/// A reply to one request.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) steps: Vec<Step>,
    pub(super) form: Form,
    pub(super) usage: (u64, u64),
    pub(super) finish: Option<String>,
}

/// How a reply is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As it was asked for.
    Asked,
    /// As one document, whatever was asked for.
    Document,
    /// The steps are bytes.
    Bytes,
    /// The connection is closed before a status is sent.
    Nothing,
}

#[derive(Debug, Clone)]
pub(super) enum Step {
    Text(String),
    Reasoning(String),
    CallStart {
        id: String,
        name: String,
    },
    CallArguments {
        call: usize,
        fragment: String,
    },
    Bytes(Vec<u8>),
    /// The server tells an error in the middle of its answer.
    Error(String),
    /// Waits until the test opens the gate.
    Hold(Gate),
    /// Says nothing more, and keeps the connection.
    Silence,
    Disconnect,
}

/// What a reply waits at until the test opens it.
#[derive(Debug, Clone, Default)]
pub struct Gate(CancellationToken);

impl Gate {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn open(&self) {
        self.0.cancel();
    }

    pub(super) async fn opened(&self) {
        self.0.cancelled().await;
    }
}

impl Default for Reply {
    fn default() -> Self {
        let (headers, steps) = (Vec::new(), Vec::new());
        Self { status: 200, headers, steps, form: Form::Asked, usage: (10, 5), finish: None }
    }
}

impl Reply {
    /// An answer to which steps are added.
    pub fn new() -> Self {
        Self::default()
    }

    /// An answer in one piece.
    pub fn text(text: &str) -> Self {
        Self::new().then_text([text])
    }

    /// A refusal.
    pub fn status(status: u16, body: &str) -> Self {
        Self { status, form: Form::Bytes, ..Self::new() }.step(Step::Bytes(body.as_bytes().to_vec()))
    }

    /// Too many requests.
    pub fn rate_limited(retry_after: &str) -> Self {
        let body = r#"{"error":{"message":"Rate limit reached","type":"rate_limit_error"}}"#;
        Self::status(429, body).header("retry-after", retry_after)
    }

    /// A key that is not known.
    pub fn wrong_key() -> Self {
        Self::status(401, r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#)
    }

    /// Bytes as a server sent them once, in these pieces.
    pub fn bytes<'a>(content_type: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let reply = Self { form: Form::Bytes, ..Self::new() }.header("content-type", content_type);
        pieces.into_iter().fold(reply, |reply, piece| reply.step(Step::Bytes(piece.to_vec())))
    }

    /// The connection is closed before anything is answered.
    pub fn hang_up() -> Self {
        Self { form: Form::Nothing, ..Self::new() }
    }

    /// No answer at all, and the connection stays.
    pub fn never() -> Self {
        Self { form: Form::Nothing, ..Self::new() }.silence()
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    #[must_use]
    pub fn then_text<'a>(self, deltas: impl IntoIterator<Item = &'a str>) -> Self {
        deltas.into_iter().fold(self, |reply, delta| reply.step(Step::Text(delta.to_owned())))
    }

    #[must_use]
    pub fn reasoning<'a>(self, deltas: impl IntoIterator<Item = &'a str>) -> Self {
        deltas.into_iter().fold(self, |reply, delta| reply.step(Step::Reasoning(delta.to_owned())))
    }

    /// A tool call whose arguments come in these fragments.
    #[must_use]
    pub fn call<'a>(self, id: &str, name: &str, fragments: impl IntoIterator<Item = &'a str>) -> Self {
        let call = self.steps.iter().filter(|step| matches!(step, Step::CallStart { .. })).count();
        let begun = self.step(Step::CallStart { id: id.to_owned(), name: name.to_owned() });
        let fragment = |fragment: &str| Step::CallArguments { call, fragment: fragment.to_owned() };
        fragments.into_iter().fold(begun, |reply, text| reply.step(fragment(text)))
    }

    #[must_use]
    pub fn hold(self, gate: &Gate) -> Self {
        self.step(Step::Hold(gate.clone()))
    }

    #[must_use]
    pub fn error(self, message: &str) -> Self {
        self.step(Step::Error(message.to_owned()))
    }

    #[must_use]
    pub fn disconnect(self) -> Self {
        self.step(Step::Disconnect)
    }

    #[must_use]
    pub fn silence(self) -> Self {
        self.step(Step::Silence)
    }

    /// As one document although a stream was asked for.
    #[must_use]
    pub fn as_document(mut self) -> Self {
        self.form = Form::Document;
        self
    }

    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = (input, output);
        self
    }

    /// The dialect's own word for why the answer ended.
    #[must_use]
    pub fn finish(mut self, reason: &str) -> Self {
        self.finish = Some(reason.to_owned());
        self
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    pub(super) fn has_calls(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::CallStart { .. }))
    }
}
