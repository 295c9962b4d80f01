//! What goes beyond the contract, against a docker that records.

mod disk;
mod executor;
mod fingerprint;
mod orphans;
mod starts;
