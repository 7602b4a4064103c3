//! The tests of tdb-filters, in one binary that is linked once.

mod absent;
mod conformance;
#[cfg(feature = "zstd")]
mod examples;
mod known_answers;
mod outside_properties;
mod pipeline;
mod properties;
mod registry;
mod tiledb_tiles;
