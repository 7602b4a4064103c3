//! Comma-separated values.

mod block;
mod ends;
mod fields;
mod input;
mod line_ends;
mod lines;
mod pieces;
mod quotes;
mod records;
mod sniff;
mod writer;

pub use input::CsvInput;
pub use writer::CsvWriter;
