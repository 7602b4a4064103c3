//! JSON lines, and arrays of objects.

mod elements;
mod input;
mod lines;
mod writer;

pub use input::JsonLinesInput;
pub use writer::{JsonArrayWriter, JsonLinesWriter};
