//! Frames: a length, a kind, the request they belong to, a payload.
//!
//! The peer may be a hostile program inside a container that got hold of the stream:
//! every length is checked before a byte is stored, and garbage ends the link, never the process.

use std::fmt;

use super::message::LONGEST_MESSAGE;

/// Payloads are cut into frames of at most this size; a longer announced one is an error.
pub const LONGEST_PAYLOAD: usize = 1024 * 1024;
/// Bytes of `Data` that either side may send for a fresh request before it is given more.
pub const INITIAL_WINDOW: u32 = 256 * 1024;
const HEADER: usize = 4 + 1 + 4;
/// What a decoder keeps of its buffer between frames: most links are idle most of the time.
const KEPT_CAPACITY: usize = 16 * 1024;

/// Numbers a request on its link. 0 is the link itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u32);

impl RequestId {
    /// The link itself: handshake, notices.
    pub const LINK: Self = Self(0);
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}", self.0)
    }
}

/// What a frame is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum FrameKind {
    /// Runtime: how to start (JSON `Open`). Executor: the answer (JSON `Started`).
    Handshake = 1,
    /// Runtime: a JSON request that opens its id.
    Request = 2,
    /// Either: raw bytes; to the executor input, to the runtime output of the request.
    Data = 3,
    /// Runtime: no more input for the request. Executor: not used.
    EndOfInput = 4,
    /// Either: the receiver may send this many more bytes of `Data` (u32, little endian).
    Credit = 5,
    /// Runtime: give the request up and end what it started.
    Cancel = 6,
    /// Executor: the JSON result; closes the id.
    Result = 7,
    /// Executor: something happened that nobody is waiting for (JSON, id 0).
    Notice = 8,
    /// Either: the beginning of a message that does not fit one frame; the `Request`, `Result`
    /// or `Notice` of the same id that follows is its last piece.
    Part = 9,
    /// Executor: why it ends the link (JSON `LinkEnd`, id 0); the last frame.
    End = 10,
    /// Executor: a running script calls a tool (JSON `ToolCall`). Always one frame.
    ToolCall = 11,
    /// Runtime: what came of a script's call (JSON `ToolResult`). Always one frame.
    ToolResult = 12,
    /// Runtime: a person is asked on behalf of a script, whose time stands still meanwhile.
    Hold = 13,
    /// Runtime: its time goes on.
    Resume = 14,
}

impl FrameKind {
    fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::Handshake,
            2 => Self::Request,
            3 => Self::Data,
            4 => Self::EndOfInput,
            5 => Self::Credit,
            6 => Self::Cancel,
            7 => Self::Result,
            8 => Self::Notice,
            9 => Self::Part,
            10 => Self::End,
            11 => Self::ToolCall,
            12 => Self::ToolResult,
            13 => Self::Hold,
            14 => Self::Resume,
            _ => return None,
        })
    }
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub kind: FrameKind,
    pub request: RequestId,
    pub payload: Vec<u8>,
}

/// Why a stream is not one of frames.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("frame of unknown kind {0}")]
    Kind(u8),
    #[error("frame of {0} bytes is longer than {LONGEST_PAYLOAD}")]
    TooLong(usize),
    #[error("stream ended inside a frame, after {0} bytes of it")]
    Half(usize),
    #[error("message of more than {LONGEST_MESSAGE} bytes for request {0}")]
    MessageTooLong(RequestId),
}

impl Frame {
    pub fn new(kind: FrameKind, request: RequestId, payload: impl Into<Vec<u8>>) -> Self {
        Self { kind, request, payload: payload.into() }
    }

    /// Permission for the peer to send `bytes` more of `Data`.
    pub fn credit(request: RequestId, bytes: u32) -> Self {
        Self::new(FrameKind::Credit, request, bytes.to_le_bytes())
    }

    /// The number of bytes that a `Credit` frame grants.
    pub fn granted(&self) -> Option<u32> {
        Some(u32::from_le_bytes(self.payload.as_slice().try_into().ok()?))
    }

    /// Appends the frame's bytes. The payload must not be longer than [`LONGEST_PAYLOAD`].
    pub fn encode(&self, into: &mut Vec<u8>) {
        Self::encode_parts(self.kind, self.request, &self.payload, into);
    }

    /// Appends a frame made of borrowed payload, without a copy of its own.
    pub fn encode_parts(kind: FrameKind, request: RequestId, payload: &[u8], into: &mut Vec<u8>) {
        debug_assert!(payload.len() <= LONGEST_PAYLOAD);
        into.reserve(HEADER + payload.len());
        into.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        into.push(kind as u8);
        into.extend_from_slice(&request.0.to_le_bytes());
        into.extend_from_slice(payload);
    }
}

/// Turns a stream of bytes, cut anywhere, into frames.
#[derive(Debug, Default)]
pub struct FrameDecoder {
    pending: Vec<u8>,
    start: usize,
}

impl FrameDecoder {
    /// Takes more of the stream.
    pub fn extend(&mut self, bytes: &[u8]) {
        if self.start > 0 && self.start == self.pending.len() {
            self.pending.clear();
            self.pending.shrink_to(KEPT_CAPACITY);
            self.start = 0;
        } else if self.start > LONGEST_PAYLOAD {
            self.pending.drain(..self.start);
            self.start = 0;
        }
        self.pending.extend_from_slice(bytes);
    }

    /// The next whole frame, `None` if more bytes are needed.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, FrameError> {
        let waiting = &self.pending[self.start..];
        let Some((header, rest)) = waiting.split_first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let [l0, l1, l2, l3, kind, r0, r1, r2, r3] = *header;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let kind = FrameKind::from_byte(kind).ok_or(FrameError::Kind(kind))?;
        if length > LONGEST_PAYLOAD {
            return Err(FrameError::TooLong(length));
        }
        let Some(payload) = rest.get(..length) else {
            return Ok(None);
        };
        let frame = Frame::new(kind, RequestId(u32::from_le_bytes([r0, r1, r2, r3])), payload);
        self.start += HEADER + length;
        Ok(Some(frame))
    }

    /// How many bytes the next frame needs at least, after [`FrameDecoder::next_frame`] gave `None`:
    /// a caller that takes no more than that leaves what follows the frame in the stream.
    pub fn missing(&self) -> usize {
        let waiting = &self.pending[self.start..];
        let needed = match waiting.first_chunk::<4>() {
            Some(length) if waiting.len() >= HEADER => HEADER + u32::from_le_bytes(*length) as usize,
            _ => HEADER,
        };
        needed.saturating_sub(waiting.len())
    }

    /// Says whether the stream may end here.
    pub fn finish(&self) -> Result<(), FrameError> {
        match self.pending.len() - self.start {
            0 => Ok(()),
            half => Err(FrameError::Half(half)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, FrameDecoder, FrameError, FrameKind, LONGEST_PAYLOAD, RequestId};
    use proptest::prelude::*;

    fn decode(bytes: &[u8], step: usize) -> Result<Vec<Frame>, FrameError> {
        let mut decoder = FrameDecoder::default();
        let mut frames = Vec::new();
        for piece in bytes.chunks(step) {
            decoder.extend(piece);
            while let Some(frame) = decoder.next_frame()? {
                frames.push(frame);
            }
        }
        decoder.finish()?;
        Ok(frames)
    }

    fn any_frame() -> impl Strategy<Value = Frame> {
        (1u8..=14, any::<u32>(), proptest::collection::vec(any::<u8>(), 0..300))
            .prop_map(|(kind, id, payload)| Frame::new(FrameKind::from_byte(kind).unwrap(), RequestId(id), payload))
    }

    proptest! {
        #[test]
        fn frames_survive_any_cutting_of_the_stream(
            frames in proptest::collection::vec(any_frame(), 0..20), step in 1usize..700
        ) {
            let mut bytes = Vec::new();
            frames.iter().for_each(|frame| frame.encode(&mut bytes));
            prop_assert_eq!(decode(&bytes, step).unwrap(), frames);
        }

        #[test]
        fn garbage_never_panics_and_never_invents_a_long_frame(
            bytes in proptest::collection::vec(any::<u8>(), 0..4000), step in 1usize..100
        ) {
            if let Ok(frames) = decode(&bytes, step) {
                prop_assert!(frames.iter().all(|frame| frame.payload.len() <= bytes.len()));
            }
        }

        #[test]
        fn a_half_frame_is_told(frame in any_frame(), cut in 1usize..200) {
            let mut bytes = Vec::new();
            frame.encode(&mut bytes);
            let kept = bytes.len() - cut.min(bytes.len() - 1);
            prop_assert_eq!(decode(&bytes[..kept], 64), Err(FrameError::Half(kept)));
        }
    }

    #[test]
    fn an_announced_monster_is_refused_before_it_is_stored() {
        let mut decoder = FrameDecoder::default();
        decoder.extend(&u32::MAX.to_le_bytes());
        decoder.extend(&[3, 0, 0, 0, 0]);
        assert_eq!(decoder.next_frame(), Err(FrameError::TooLong(u32::MAX as usize)));
    }

    #[test]
    fn an_unknown_kind_is_refused() {
        let mut decoder = FrameDecoder::default();
        decoder.extend(&[0, 0, 0, 0, 99, 0, 0, 0, 0]);
        assert_eq!(decoder.next_frame(), Err(FrameError::Kind(99)));
    }

    #[test]
    fn the_buffer_does_not_grow_with_the_stream() {
        let mut decoder = FrameDecoder::default();
        let mut bytes = Vec::new();
        Frame::new(FrameKind::Data, RequestId(1), vec![7; 60_000]).encode(&mut bytes);
        for _ in 0..2000 {
            decoder.extend(&bytes);
            assert!(decoder.next_frame().unwrap().is_some());
        }
        assert!(decoder.pending.capacity() < 4 * LONGEST_PAYLOAD, "{}", decoder.pending.capacity());
    }
}
