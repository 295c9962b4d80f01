//! Drives the real program, each test in a home of its own.

mod auth;
mod command_line;
mod config;
mod doctor;
mod profile;
mod support;
