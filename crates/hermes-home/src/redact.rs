//! Removing secrets from text that leaves the program.
