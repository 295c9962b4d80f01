//! Files that leave the place where a session works, and those that come into it.
//!
//! They are read and written by the executor, under the confinement of the commands: what an agent could not read, it cannot send, and
//! what comes in is where its commands could have put it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hermes_approval::Refusal;
use hermes_environment::WorkplaceError;
use hermes_proto::executor::{FetchFile, FileAnswer, FileProblem, FileRequest, PutFile};
use hermes_proto::turn::TurnContext;

use super::Session;
use crate::agent::Agent;
use crate::workshop::WorkshopError;

/// Some bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// None at the end of the file.
    pub bytes: Vec<u8>,
    /// How many the file has, as the place says.
    pub size: u64,
}

/// Some bytes of a file that comes in.
#[derive(Debug, Clone, Copy)]
pub struct IncomingPiece<'a> {
    /// What its sender calls it; untrusted. The place makes a name of its own from it.
    pub name: &'a str,
    /// Bytes of the whole file.
    pub size: u64,
    /// Bytes that came before.
    pub offset: u64,
    /// At most [`IncomingPiece::MOST`].
    pub bytes: &'a [u8],
}

impl IncomingPiece<'_> {
    /// As base64 they fit one frame.
    pub const MOST: usize = 512 * 1024;
}

/// Why a piece does not come or go.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error(transparent)]
    Nowhere(#[from] WorkshopError),
    #[error("{0}")]
    Refused(Refusal),
    #[error(transparent)]
    Place(#[from] WorkplaceError),
    #[error(transparent)]
    File(FileProblem),
    #[error("the executor answered something else")]
    Garbled,
}

impl Agent {
    /// The piece of a file that begins at `offset`, from the place where the session's commands run.
    pub async fn fetch(
        &self,
        session: &Session,
        turn: &TurnContext,
        path: &str,
        offset: u64,
    ) -> Result<Piece, TransferError> {
        let request = FileRequest::Fetch(FetchFile { path: path.to_owned(), offset });
        match self.transfer(session, turn, request).await? {
            FileAnswer::Piece { bytes, size } => {
                let bytes = STANDARD.decode(bytes).map_err(|_| TransferError::Garbled)?;
                Ok(Piece { bytes, size })
            }
            _ => Err(TransferError::Garbled),
        }
    }

    /// Puts the piece of a file where the session's commands run. The path that the file has there.
    pub async fn put(
        &self,
        session: &Session,
        turn: &TurnContext,
        piece: IncomingPiece<'_>,
    ) -> Result<String, TransferError> {
        let IncomingPiece { name, size, offset, bytes } = piece;
        let request = FileRequest::Put(PutFile { name: name.to_owned(), size, offset, bytes: STANDARD.encode(bytes) });
        match self.transfer(session, turn, request).await? {
            FileAnswer::Put { path, .. } => Ok(path),
            _ => Err(TransferError::Garbled),
        }
    }

    async fn transfer(
        &self,
        session: &Session,
        turn: &TurnContext,
        request: FileRequest,
    ) -> Result<FileAnswer, TransferError> {
        let place = session.workshop.place().await?;
        let permit = self.parts.guard.permit(turn, &place.place(), request).await.map_err(TransferError::Refused)?;
        match place.file(turn, permit).await? {
            FileAnswer::Problem(problem) => Err(TransferError::File(problem)),
            answer => Ok(answer),
        }
    }
}
