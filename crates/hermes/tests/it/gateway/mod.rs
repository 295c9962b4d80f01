//! The gateway as a process: its files, its end, and what survives a kill.

mod document;
mod files;
mod identity;
mod install;
mod jobs;
mod killed;
mod lifecycle;
mod openai;
mod process;
mod runs;
mod served;
mod telegram;
