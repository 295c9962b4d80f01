//! Drives the real program, each test in a home of its own.

// Already true of this binary; said so that clippy takes its helpers for tests too.
#![cfg(test)]

mod agent;
mod approvals;
mod audit;
mod auth;
mod chat;
mod command_line;
mod config;
mod docker;
mod doctor;
mod env;
mod environment;
mod exec;
mod gateway;
mod model;
mod profile;
mod sandbox;
mod sessions;
mod support;
