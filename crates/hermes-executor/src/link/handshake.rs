//! How a link begins, while this process still has one thread and blocking descriptors.
//!
//! Confinement has to be put on before there is a second thread, so all of this is done
//! without the runtime.

use std::io::{self, Read, Write};

use hermes_proto::executor::{
    Frame, FrameDecoder, FrameError, FrameKind, Open, PREAMBLE_LENGTH, PreambleError, Refused, RequestId, Started,
    preamble, read_preamble,
};
use serde::de::DeserializeOwned;

/// Why a link did not begin.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeError {
    #[error("link closed before the handshake: {0}")]
    Read(io::Error),
    #[error("handshake cannot be answered: {0}")]
    Write(io::Error),
    #[error(transparent)]
    Preamble(#[from] PreambleError),
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error("link began with a frame of kind {0:?} instead of a handshake")]
    NotAHandshake(FrameKind),
    #[error("handshake is not understood: {0}")]
    NotUnderstood(serde_json::Error),
    #[error("handshake cannot be encoded: {0}")]
    Encode(serde_json::Error),
}

/// Reads how to start. Nothing beyond the handshake is taken from the stream.
pub(crate) fn accept<C: DeserializeOwned>(input: &mut impl Read) -> Result<Open<C>, HandshakeError> {
    let mut first = [0; PREAMBLE_LENGTH];
    input.read_exact(&mut first).map_err(HandshakeError::Read)?;
    read_preamble(first)?;
    let frame = read_frame(input)?;
    if frame.kind != FrameKind::Handshake {
        return Err(HandshakeError::NotAHandshake(frame.kind));
    }
    serde_json::from_slice(&frame.payload).map_err(HandshakeError::NotUnderstood)
}

/// Tells the runtime what became of it.
pub(crate) fn answer(output: &mut impl Write, started: &Started) -> Result<(), HandshakeError> {
    let payload = serde_json::to_vec(started).map_err(HandshakeError::Encode)?;
    let mut bytes = preamble().to_vec();
    Frame::encode_parts(FrameKind::Handshake, RequestId::LINK, &payload, &mut bytes);
    output.write_all(&bytes).and_then(|()| output.flush()).map_err(HandshakeError::Write)
}

/// Tells the runtime that there will be no link. If it does not listen, nobody does.
pub(crate) fn refuse(output: &mut impl Write, reason: String, hint: Option<String>) {
    let _ = answer(output, &Started::Refused(Refused { reason, hint }));
}

/// One frame, read without a byte too many. The decoder knows how many are missing only
/// after the header, so it is fed in steps.
fn read_frame(input: &mut impl Read) -> Result<Frame, HandshakeError> {
    let mut decoder = FrameDecoder::default();
    loop {
        if let Some(frame) = decoder.next_frame()? {
            return Ok(frame);
        }
        let mut piece = vec![0; decoder.missing()];
        input.read_exact(&mut piece).map_err(HandshakeError::Read)?;
        decoder.extend(&piece);
    }
}

#[cfg(test)]
mod tests {
    use super::{HandshakeError, accept, answer};
    use hermes_proto::executor::{Frame, FrameKind, Open, Refused, RequestId, Started, preamble};

    fn opened(bytes: &[u8]) -> Result<(Open<()>, usize), HandshakeError> {
        let mut rest = bytes;
        accept(&mut rest).map(|open| (open, rest.len()))
    }

    fn handshake(kind: FrameKind, payload: &str) -> Vec<u8> {
        let mut bytes = preamble().to_vec();
        Frame::new(kind, RequestId::LINK, payload).encode(&mut bytes);
        bytes
    }

    const OPEN: &str =
        r#"{"build":"b","confinement":null,"working_directory":"/","keeps_own_environment":false,"spill_folder":null}"#;

    #[test]
    fn what_follows_stays_in_the_stream() {
        let mut bytes = handshake(FrameKind::Handshake, OPEN);
        bytes.extend_from_slice(b"more");
        let (open, rest) = opened(&bytes).unwrap();
        assert_eq!((open.working_directory.as_str(), rest), ("/", 4));
    }

    #[test]
    fn anything_else_is_named() {
        let check = |bytes: &[u8], expected: &str| {
            let error = opened(bytes).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(b"", "closed before the handshake");
        check(b"bash-5.2$ ", "not a hermes program");
        check(&handshake(FrameKind::Request, OPEN), "kind Request instead");
        check(&handshake(FrameKind::Handshake, "{}"), "not understood: missing field");
        check(&[&preamble()[..], &[255; 40]].concat(), "unknown kind 255");
        check(&[&preamble()[..], &[255, 255, 255, 255, 1, 0, 0, 0, 0]].concat(), "is longer than");
        check(&handshake(FrameKind::Handshake, OPEN)[..40], "closed before the handshake");
    }

    #[test]
    fn the_answer_is_a_preamble_and_a_frame() {
        let mut bytes = Vec::new();
        answer(&mut bytes, &Started::Refused(Refused { reason: "why".to_owned(), hint: None })).unwrap();
        assert!(bytes.starts_with(&preamble()));
        assert!(String::from_utf8_lossy(&bytes).contains(r#"{"refused":{"reason":"why","hint":null}}"#));
    }
}
