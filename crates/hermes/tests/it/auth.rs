//! `hermes auth` as a person or a script uses it.
