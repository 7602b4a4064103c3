//! The tests of tdb-distributed, in one program: it is linked once.

mod cluster;
mod fence;
mod hostile;
mod plans;
mod proof;
mod wire;
