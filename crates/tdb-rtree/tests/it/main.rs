//! The tests of tdb-rtree, in one binary that is linked once.

mod search;
mod stored;
