//! YAML text as a tree that knows where everything stands, and edits on it.
