//! Frames to the runtime, in turn.
//!
//! Everybody who sends waits until his frame has a place, and there are few places: whoever
//! waited longest gets the next one, so one request that floods has one frame in line like
//! everybody else, and a runtime that does not read costs a few frames of memory.

use std::cell::RefCell;

use hermes_proto::executor::{Frame, FrameKind, RequestId, encode_message};
use serde::Serialize;
use tokio::sync::mpsc;

use super::incoming::LinkError;
use crate::stream::Stream;

/// Frames in line.
const PLACES: usize = 2;

/// The sending side of a link, shared by all requests. After the link's end all is swallowed.
#[derive(Debug, Clone)]
pub(crate) struct Outbox(mpsc::Sender<Frame>);

impl Outbox {
    /// The sending side, and what [`write_frames`] takes frames from.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Frame>) {
        let (sender, receiver) = mpsc::channel(PLACES);
        (Self(sender), receiver)
    }

    pub(crate) async fn send(&self, frame: Frame) {
        let _ = self.0.send(frame).await;
    }

    /// Sends the frame in this place, if there is one. If the waiting is given up, it stays there.
    pub(crate) async fn send_from(&self, place: &RefCell<Option<Frame>>) {
        if place.borrow().is_none() {
            return;
        }
        let permit = self.0.reserve().await;
        if let (Some(frame), Ok(permit)) = (place.take(), permit) {
            permit.send(frame);
        }
    }

    /// Sends a message, in as many frames as it needs.
    pub(crate) async fn send_message(&self, kind: FrameKind, request: RequestId, message: &impl Serialize) {
        // Our own types always encode: no map with odd keys, no failing field.
        let Ok(json) = serde_json::to_vec(message) else { return };
        for frame in encode_message(kind, request, &json) {
            self.send(frame).await;
        }
    }
}

/// Writes frames until one says that the link ends.
pub(crate) async fn write_frames(mut frames: mpsc::Receiver<Frame>, stream: Stream) -> Result<(), LinkError> {
    let mut bytes = Vec::new();
    while let Some(frame) = frames.recv().await {
        frame.encode(&mut bytes);
        stream.write_all(&bytes).await.map_err(LinkError::Write)?;
        if frame.kind == FrameKind::End {
            break;
        }
        bytes.clear();
        // A long frame must not be paid for during all the idle time after it.
        bytes.shrink_to(16 * 1024);
    }
    Ok(())
}
