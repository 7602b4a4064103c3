//! The tests of tdb-distributed, in one program: it is linked once.

mod cluster;
mod wire;
