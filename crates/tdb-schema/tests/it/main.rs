//! The tests of tdb-schema, in one binary that is linked once.

mod common;
mod damage;
mod dates;
mod evolution;
mod grid;
mod hilbert;
mod json;
mod orders;
mod records;
mod rules;
mod stored;
mod values;
