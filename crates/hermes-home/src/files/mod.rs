//! Changing files of the home so that nothing is lost: not by a crash, not by a
//! second writer, not by a full disk, and never outside the home.
//!
//! Beside a file `auth.json` stands its lock, `auth.lock`: the last extension
//! replaced by `lock`, so `config.lock` for `config.yaml` and `.env.lock` for
//! `.env`. It is never deleted. A new content is written to
//! `.auth.json.hermes-<16 hex digits>.tmp` first; one that a killed writer left is
//! removed by the next.

mod access_list;
mod account;
mod error;
mod folder;
mod lock;
mod name;
mod obstacle;
mod read;
mod replace;
mod temporary;
mod update;
mod walk;

pub use account::Account;
pub use error::{FileError, FileKind, Step};
pub use folder::create_private_dir;
pub use lock::Holder;
pub use name::NameProblem;
pub use obstacle::{Obstacle, quoted};
pub use read::read;
pub use update::{Change, Mode, UpdateError, update};
