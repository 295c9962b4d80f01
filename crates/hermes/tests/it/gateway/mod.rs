//! The gateway as a process: its files, its end, and what survives a kill.

mod identity;
mod install;
mod jobs;
mod killed;
mod lifecycle;
mod process;
