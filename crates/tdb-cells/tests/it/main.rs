//! All tests of tdb-cells in one program, which is linked once.

mod cell_sets;
mod choice;
mod columns;
mod dense;
mod errors;
mod files;
mod gathered;
mod keys;
mod labels;
mod memory;
mod numbers;
mod rows;
mod session;
mod sorted;
mod stored_bytes;
mod support;
mod tables;
mod tiles;
mod values;
