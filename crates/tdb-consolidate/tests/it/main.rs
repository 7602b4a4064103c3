//! The tests of tdb-consolidate, in one program that is linked once.

mod merge;
mod upkeep;
