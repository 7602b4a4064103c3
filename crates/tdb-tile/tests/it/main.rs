//! The tests of tdb-tile, in one binary that is linked once.

mod framing;
mod order;
mod walk;
