//! Files of the home are changed atomically, durably, under a lock, and only there.

mod child;
mod denied;
mod killed;
mod links;
mod locks;
mod modes;
mod mounts;
mod odd;
mod races;
mod support;
mod writers;
