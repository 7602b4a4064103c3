//! Comma-separated values.

mod block;
mod input;
mod line_ends;
mod quotes;
mod records;
mod sniff;
mod writer;

pub use input::CsvInput;
pub use writer::CsvWriter;
