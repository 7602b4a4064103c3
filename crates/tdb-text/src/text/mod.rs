//! Conversion of cells to and from text, independent of the file format.

mod builder;
pub(crate) mod cell;
mod characters;
mod column;
mod digits;
pub(crate) mod guess;
mod guess_times;
mod hexadecimal;
pub(crate) mod lines;
pub(crate) mod missing;
mod numeral;
pub(crate) mod plain;
pub(crate) mod quoting;
pub(crate) mod row_lines;
mod scalar;
pub(crate) mod syntax;
pub(crate) mod token;
pub(crate) mod typed;
