//! Confinement, attacked from inside and used for ordinary work.

mod attacks;
mod ends;
mod modes;
mod proofs;
mod support;
mod work;
