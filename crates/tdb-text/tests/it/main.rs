//! All tests of tdb-text in one program, which is linked once.

mod characters;
mod common;
mod csv_pieces;
mod json_keys;
mod npy;
mod text;
