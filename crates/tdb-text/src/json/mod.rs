//! JSON lines.

mod input;
mod writer;

pub use input::JsonLinesInput;
pub use writer::JsonLinesWriter;
