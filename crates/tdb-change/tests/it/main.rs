//! All tests of tdb-change in one program, which is linked once.

mod delete_cells;
mod missing;
