//! The first words of a connection: who connects, and what for.

use std::time::Duration;

use hermes_proto::executor::{Attach, AttachRefused, Attached, Frame, FrameKind, RefusalCause, RequestId, preamble};
use rustix::process::geteuid;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::incoming::{ConnectionError, Incoming};

/// What a caller may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(5);
/// What one that is sent away may still have on its way.
const LEFT_UNREAD: u64 = 64 * 1024;
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Whether the process at the other end belongs to this user; the file's mode is not asked.
pub(super) fn check_peer(stream: &UnixStream) -> Result<(), AttachRefused> {
    let own = geteuid().as_raw();
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == own => Ok(()),
        Ok(peer) => Err(not_for_you(format!("sessions of user {own} are not for user {}", peer.uid()))),
        Err(error) => Err(not_for_you(format!("it is not known who connects: {error}"))),
    }
}

fn not_for_you(reason: String) -> AttachRefused {
    AttachRefused { reason, hint: None, cause: RefusalCause::Failed }
}

/// Reads what the caller wants.
pub(super) async fn receive<R: AsyncRead + Unpin>(incoming: &mut Incoming<R>) -> Result<Attach, ConnectionError> {
    let said = async {
        incoming.preamble().await?;
        incoming.next().await?.ok_or(ConnectionError::Closed)
    };
    let frame = timeout(PATIENCE, said).await.map_err(|_| ConnectionError::Late)??;
    if frame.kind != FrameKind::Handshake {
        return Err(ConnectionError::Protocol(format!("frame of kind {:?} before the handshake", frame.kind)));
    }
    serde_json::from_slice(&frame.payload)
        .map_err(|error| ConnectionError::Protocol(format!("handshake is not understood: {error}")))
}

/// Tells the caller what came of it.
pub(super) async fn answer(writer: &mut (impl AsyncWrite + Unpin), answer: &Attached) -> std::io::Result<()> {
    let mut bytes = preamble().to_vec();
    Frame::new(FrameKind::Handshake, RequestId::LINK, serde_json::to_vec(answer)?).encode(&mut bytes);
    writer.write_all(&bytes).await?;
    writer.flush().await
}

/// Sends a caller away. What it says meanwhile is read and let go, so that the
/// answer is not lost in the closing of the connection.
pub(super) async fn send_away(
    reader: impl AsyncRead + Unpin,
    mut writer: impl AsyncWrite + Unpin,
    refused: AttachRefused,
) {
    let told = async {
        answer(&mut writer, &Attached::Refused(refused)).await?;
        writer.shutdown().await?;
        tokio::io::copy(&mut reader.take(LEFT_UNREAD), &mut tokio::io::sink()).await
    };
    // Nobody waits for a caller that does not listen.
    let _ = timeout(LAST_WORDS, told).await;
}
