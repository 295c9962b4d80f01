//! Profiles: homes of their own under `profiles/`.
