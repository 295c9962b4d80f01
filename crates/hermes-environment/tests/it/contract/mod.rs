//! The contract's tests, each under the contract's name for it.

mod cleanup;
mod host_user;
mod labels;
mod mounts;
mod preflight;
mod reuse;
mod variables;
