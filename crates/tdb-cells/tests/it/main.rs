//! All tests of tdb-cells in one program, which is linked once.

mod cell_sets;
mod choice;
mod columns;
mod dense;
mod dense_reads;
mod errors;
mod files;
mod gathered;
mod keys;
mod labels;
mod loading;
mod memory;
mod numbers;
mod rows;
mod scatter;
mod session;
mod sorted;
mod stored_bytes;
mod support;
mod tables;
mod values;
