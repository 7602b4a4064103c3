//! Comma-separated values.

mod input;
mod records;
mod writer;

pub use input::CsvInput;
pub use writer::CsvWriter;
