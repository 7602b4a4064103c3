//! The tests of tdb-query, in one program: it is linked once.

mod asynchronous;
mod batches;
mod buffered;
mod deletes;
mod dense;
mod dense_ranges;
mod fixtures;
mod flow;
mod hostile;
mod kept_memory;
mod lost_tiles;
mod parts;
mod points;
mod profile;
mod requests;
mod ruled_out;
mod support;
