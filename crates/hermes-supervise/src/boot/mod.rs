//! What a container does around its main program. PID 1 does what needs root, becomes the user
//! hermes for good and turns into s6's scanner; the keeper it leaves behind does the rest.
//!
//! | step | who | what |
//! | --- | --- | --- |
//! | [`enter()`] | PID 1, root | numbers of the user, ownership, folders of /run; then hermes |
//! | [`enter()`] | PID 1, hermes | static services, the keeper, then `exec` of the scanner |
//! | [`keep()`] | the keeper | seeds, slots, boot log, main program, its exit code, the end |
//! | [`finish()`] | PID 1 again | the container's exit code |

pub mod account;
mod enter;
mod finish;
mod keeper;
pub mod lease;
pub mod log;
mod ownership;
pub mod route;
mod seed;
mod services;
mod signals;

pub use enter::{BootError, enter};
pub use finish::finish;
pub use keeper::keep;
pub use services::dashboard_is_on;
pub use signals::{Passed, pass_on, terminate};
