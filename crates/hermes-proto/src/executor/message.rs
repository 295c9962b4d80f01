//! Messages that are longer than a frame: cut by the sender, put together by the receiver.
//!
//! Pieces of different requests may alternate, so each request has its own beginning stored.
//! All beginnings of a link together are held to one bound, whatever the peer announces.

use std::collections::HashMap;

use super::frame::{Frame, FrameError, FrameKind, LONGEST_PAYLOAD, RequestId};

/// Bytes of one message, and of all unfinished messages of a link together.
pub const LONGEST_MESSAGE: usize = 8 * 1024 * 1024;

/// Pieces are smaller than the longest frame, so that other requests get their turn between them.
const PIECE: usize = 256 * 1024;
const _: () = assert!(PIECE <= LONGEST_PAYLOAD);

/// The frames of a message. All but the last are `Part`; each is a turn on the link.
pub fn encode_message(kind: FrameKind, request: RequestId, message: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::with_capacity(message.len() / PIECE + 1);
    let mut rest = message;
    while let Some((piece, later)) = rest.split_at_checked(PIECE).filter(|(_, later)| !later.is_empty()) {
        frames.push(Frame::new(FrameKind::Part, request, piece));
        rest = later;
    }
    frames.push(Frame::new(kind, request, rest));
    frames
}

/// Puts messages together again.
#[derive(Debug, Default)]
pub struct MessageAssembler {
    beginnings: HashMap<RequestId, Vec<u8>>,
    stored: usize,
}

impl MessageAssembler {
    /// Takes the next frame of the stream. A `Part` is stored; the last piece of a message
    /// comes back whole; every other frame comes back as it is.
    pub fn take(&mut self, mut frame: Frame) -> Result<Option<Frame>, FrameError> {
        match frame.kind {
            FrameKind::Part => self.store(&frame).map(|()| None),
            FrameKind::Request | FrameKind::Result | FrameKind::Notice => {
                if let Some(mut whole) = self.beginnings.remove(&frame.request) {
                    self.stored -= whole.len();
                    check_length(whole.len() + frame.payload.len(), frame.request)?;
                    whole.append(&mut frame.payload);
                    frame.payload = whole;
                }
                Ok(Some(frame))
            }
            _ => Ok(Some(frame)),
        }
    }

    fn store(&mut self, frame: &Frame) -> Result<(), FrameError> {
        // An empty piece would cost an entry without counting.
        let counted = frame.payload.len().max(1);
        check_length(self.stored + counted, frame.request)?;
        if frame.payload.is_empty() {
            return Ok(());
        }
        self.stored += counted;
        self.beginnings.entry(frame.request).or_default().extend_from_slice(&frame.payload);
        Ok(())
    }
}

fn check_length(length: usize, request: RequestId) -> Result<(), FrameError> {
    if length > LONGEST_MESSAGE { Err(FrameError::MessageTooLong(request)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_MESSAGE, MessageAssembler, PIECE, encode_message};
    use crate::executor::{Frame, FrameError, FrameKind, RequestId};
    use proptest::prelude::*;

    fn check(length: usize, frames: usize) {
        let message: Vec<u8> = (0..length).map(|index| index as u8).collect();
        let encoded = encode_message(FrameKind::Result, RequestId(7), &message);
        assert_eq!(encoded.len(), frames, "{length}");
        let mut assembler = MessageAssembler::default();
        let whole: Vec<_> = encoded.into_iter().filter_map(|frame| assembler.take(frame).unwrap()).collect();
        assert_eq!(whole, [Frame::new(FrameKind::Result, RequestId(7), message)]);
        assert_eq!(assembler.stored, 0);
    }

    #[test]
    fn messages_of_every_length_come_back() {
        check(0, 1);
        check(1, 1);
        check(PIECE, 1);
        check(PIECE + 1, 2);
        check(3 * PIECE, 3);
        check(LONGEST_MESSAGE, 32);
    }

    #[test]
    fn unfinished_messages_are_bounded_together() {
        let mut assembler = MessageAssembler::default();
        let piece = |id| Frame::new(FrameKind::Part, RequestId(id), vec![0; PIECE]);
        for id in 0..32 {
            assert_eq!(assembler.take(piece(id)), Ok(None));
        }
        assert_eq!(assembler.take(piece(99)), Err(FrameError::MessageTooLong(RequestId(99))));
    }

    proptest! {
        #[test]
        fn pieces_of_several_requests_may_alternate(pieces in proptest::collection::vec((0u32..3, 0usize..50), 0..60)) {
            let mut assembler = MessageAssembler::default();
            let mut expected: [Vec<u8>; 3] = Default::default();
            for (step, (id, length)) in pieces.into_iter().enumerate() {
                let payload = vec![step as u8; length];
                expected[id as usize].extend_from_slice(&payload);
                prop_assert_eq!(assembler.take(Frame::new(FrameKind::Part, RequestId(id), payload)), Ok(None));
            }
            for id in 0..3 {
                let whole = assembler.take(Frame::new(FrameKind::Request, RequestId(id), *b"!")).unwrap().unwrap();
                expected[id as usize].push(b'!');
                prop_assert_eq!(&whole.payload, &expected[id as usize]);
            }
        }
    }
}
