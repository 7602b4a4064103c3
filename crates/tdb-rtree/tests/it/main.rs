//! The tests of tdb-rtree, in one program: it is linked once.

mod search;
mod stored;
