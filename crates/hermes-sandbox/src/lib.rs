//! Everything that asks the kernel for something unusual, and all `unsafe`.

pub mod process;
