//! The tests of tdb-distributed, linked into one program.

mod cluster;
mod fence;
mod hostile;
mod plans;
mod proof;
mod wire;
