//! Drives the crate from outside: other processes, kills, full disks, hostile links.

// Clippy lets helpers of tests unwrap and print only in a module that says it is one.
#[cfg(test)]
mod files;
