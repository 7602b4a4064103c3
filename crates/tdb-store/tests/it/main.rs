//! The tests of tdb-store, in one program: it is linked once.

mod faulty;
mod keys;
mod local;
mod memory;
mod model;
