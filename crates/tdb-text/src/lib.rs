#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[cfg(feature = "compression")]
mod compressed;
#[cfg(feature = "csv")]
mod csv;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "npy")]
mod npy;
#[cfg(any(feature = "csv", feature = "json"))]
mod text;

#[cfg(feature = "compression")]
pub use compressed::unpacked;
#[cfg(feature = "csv")]
pub use csv::{CsvInput, CsvWriter};
#[cfg(feature = "json")]
pub use json::{JsonArrayWriter, JsonLinesInput, JsonLinesWriter};
#[cfg(feature = "npy")]
pub use npy::{NpyInput, NpyShape, NpyWriter};
#[cfg(any(feature = "csv", feature = "json"))]
pub use text::cell::cell_of_bytes;
#[cfg(any(feature = "csv", feature = "json"))]
pub use text::plain::PlainText;
