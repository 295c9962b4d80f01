//! config.yaml: its typed meaning, its check, and changes that keep comments.
