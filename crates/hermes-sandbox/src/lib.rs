//! Everything that asks the kernel for something unusual, and all `unsafe`.
//!
//! The rest of the workspace denies `unsafe`; here each function that needs it says
//! so (`#[expect(unsafe_code, reason)]`) and each block argues why it is sound.

pub mod confine;
pub mod kernel;
pub mod memory;
pub mod privilege;
pub mod process;
pub mod warden;
