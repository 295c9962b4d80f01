//! Tasks of the workspace itself.
fn main() {}
