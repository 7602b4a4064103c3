//! The tests of tdb-tile, in one program: it is linked once.

mod framing;
mod order;
mod walk;
