//! Credentials of model providers, and where each came from.
