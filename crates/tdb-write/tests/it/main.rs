//! All tests of tdb-write in one program, which is linked once.

mod asked_labels;
mod drafts;
mod many_fragments;
mod orders;
mod read_once;
mod rows_of_raw_tiles;
mod text_order;
mod write;
