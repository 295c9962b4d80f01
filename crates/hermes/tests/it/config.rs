//! `hermes config` as a person or a script uses it.
