//! The tests of tdb-fragment, in one binary that is linked once.

mod condition;
mod consolidated_metadata;
mod damage;
mod examples;
mod file_names;
mod footer;
mod lost_tiles;
mod metadata;
mod metadata_file;
mod support;
