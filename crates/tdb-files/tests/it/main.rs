//! All tests of tdb-files in one program, which is linked once.
#![cfg(feature = "text")]

mod making_arrays;
mod recording;
