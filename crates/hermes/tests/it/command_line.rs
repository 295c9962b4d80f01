//! `hermes command_line` as a person or a script uses it.
