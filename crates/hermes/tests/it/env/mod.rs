//! `hermes env`, against a docker that records and on a real engine.

mod real;
mod recorded;
