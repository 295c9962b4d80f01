//! `hermes profile` as a person or a script uses it.
