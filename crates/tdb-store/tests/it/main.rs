//! The tests of tdb-store, in one program that is linked once.

mod faulty;
mod keys;
mod local;
mod memory;
mod model;
