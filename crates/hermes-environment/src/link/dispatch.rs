//! The two tasks of a link: one reads and hands out, one writes.

use std::sync::Arc;

use hermes_proto::executor::{Frame, FrameDecoder, FrameKind, JobNotice, LinkEnd, MessageAssembler, RequestId};
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use super::LinkError;
use super::table::Table;

const READ_AT_ONCE: usize = 64 * 1024;
/// Frames that are written with one call.
const WRITTEN_AT_ONCE: usize = 64;

/// Reads until the stream ends or breaks the rules, and tells everybody.
pub(super) async fn read(
    mut reader: impl AsyncRead + Unpin,
    mut decoder: FrameDecoder,
    table: Arc<Table>,
    notices: mpsc::Sender<JobNotice>,
) {
    let mut hand_out = HandOut { table: table.clone(), notices, assembler: MessageAssembler::default() };
    let mut bytes = vec![0; READ_AT_ONCE];
    let reason = loop {
        if let Err(error) = hand_out.all(&mut decoder) {
            break error;
        }
        match reader.read(&mut bytes).await {
            Ok(0) => break decoder.finish().map_or_else(LinkError::from, |()| LinkError::Closed { reason: None }),
            Ok(length) => decoder.extend(&bytes[..length]),
            Err(error) => break LinkError::read(&error),
        }
    };
    table.end(reason);
}

struct HandOut {
    table: Arc<Table>,
    notices: mpsc::Sender<JobNotice>,
    assembler: MessageAssembler,
}

impl HandOut {
    fn all(&mut self, decoder: &mut FrameDecoder) -> Result<(), LinkError> {
        while let Some(frame) = decoder.next_frame()? {
            if let Some(frame) = self.assembler.take(frame)? {
                self.one(frame)?;
            }
        }
        Ok(())
    }

    fn one(&self, frame: Frame) -> Result<(), LinkError> {
        let request = frame.request;
        match frame.kind {
            FrameKind::Data => match self.table.find(request) {
                Some(inbox) => inbox.push(request, &frame.payload),
                None => self.late(&frame),
            },
            FrameKind::Credit => match (self.table.find(request), frame.granted()) {
                (Some(inbox), Some(bytes)) => {
                    inbox.add_input_credit(bytes);
                    Ok(())
                }
                (None, Some(_)) => self.late(&frame),
                (_, None) => Err(unexpected(&frame)),
            },
            FrameKind::ToolCall => match self.table.find(request) {
                Some(inbox) => inbox.push_call(request, decoded(&frame)?),
                None => self.late(&frame),
            },
            FrameKind::Result => match self.table.close(request) {
                Some(inbox) => {
                    inbox.end(Ok(frame.payload));
                    Ok(())
                }
                None => Err(unexpected(&frame)),
            },
            FrameKind::Notice if request == RequestId::LINK => self.notice(&frame),
            FrameKind::End if request == RequestId::LINK => Err(LinkError::Closed { reason: end_reason(&frame) }),
            _ => Err(unexpected(&frame)),
        }
    }

    /// A frame for a request that has ended may still have been on its way; one for a
    /// request that never was is a lie.
    fn late(&self, frame: &Frame) -> Result<(), LinkError> {
        if self.table.has_issued(frame.request) { Ok(()) } else { Err(unexpected(frame)) }
    }

    fn notice(&self, frame: &Frame) -> Result<(), LinkError> {
        if self.notices.try_send(decoded(frame)?).is_err() {
            tracing::warn!("a notice of a background job was dropped: nobody takes them");
        }
        Ok(())
    }
}

fn decoded<T: DeserializeOwned>(frame: &Frame) -> Result<T, LinkError> {
    serde_json::from_slice(&frame.payload).map_err(|error| LinkError::Decode { detail: error.to_string() })
}

fn unexpected(frame: &Frame) -> LinkError {
    LinkError::Unexpected { kind: frame.kind, request: frame.request }
}

fn end_reason(frame: &Frame) -> Option<String> {
    serde_json::from_slice::<LinkEnd>(&frame.payload).ok().map(|end| end.reason)
}

/// Writes frames as they come, several at a time when they wait.
pub(super) async fn write(
    mut writer: impl AsyncWrite + Unpin,
    mut frames: mpsc::UnboundedReceiver<Frame>,
    table: Arc<Table>,
) {
    let mut waiting = Vec::with_capacity(WRITTEN_AT_ONCE);
    let mut bytes = Vec::new();
    while frames.recv_many(&mut waiting, WRITTEN_AT_ONCE).await > 0 {
        bytes.clear();
        waiting.drain(..).for_each(|frame| frame.encode(&mut bytes));
        let written = async {
            writer.write_all(&bytes).await?;
            writer.flush().await
        };
        if let Err(error) = written.await {
            // The reader may know better why: the executor says its reason before it goes.
            if error.kind() != std::io::ErrorKind::BrokenPipe {
                table.end(LinkError::write(&error));
            }
            return;
        }
    }
}
