//! The `.env` file: reading, and changes that keep everything else.
