//! The log of a home: appended by several processes, bounded, rotated.
