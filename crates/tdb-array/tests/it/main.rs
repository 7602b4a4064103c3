//! The tests of tdb-array, in one program that is linked once.

mod answers;
mod array;
mod change;
mod contents;
mod directory;
mod draft;
mod encryption;
mod far_stores;
mod fixtures;
mod group;
mod many_names;
mod names;
mod naming;
mod records;
mod stored_schema;
mod support;
