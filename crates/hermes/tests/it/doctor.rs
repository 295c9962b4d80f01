//! `hermes doctor` as a person or a script uses it.
