//! The tests of tdb-consolidate, in one program: it is linked once.

mod merge;
mod upkeep;
