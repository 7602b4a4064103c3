#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("Arrow's memory is that of the machine, and TileDB's values are little-endian");

mod array;
#[cfg(feature = "csv")]
mod csv;
mod dates;
mod dictionary;
mod error;
mod input;
#[cfg(feature = "ipc")]
mod ipc;
#[cfg(feature = "json")]
mod json;
mod mapping;
#[cfg(feature = "npy")]
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
#[cfg(any(feature = "csv", feature = "json"))]
mod text;
mod writer;

#[cfg(feature = "csv")]
pub use csv::CsvWriter;
pub use error::ConversionError;
#[cfg(feature = "csv")]
pub use input::CsvInput;
#[cfg(feature = "json")]
pub use input::JsonLinesInput;
#[cfg(feature = "parquet")]
pub use input::parquet_input;
pub use input::{
    ArrowInput, BatchReader, ColumnGuess, Input, InputError, InputOptions, Labels, Place,
    panics_are_errors,
};
#[cfg(feature = "npy")]
pub use input::{NpyShape, npy_input};
#[cfg(feature = "ipc")]
pub use input::{ipc_file_input, ipc_stream_input};
#[cfg(feature = "ipc")]
pub use ipc::{IpcFileWriter, IpcStreamWriter};
#[cfg(feature = "json")]
pub use json::JsonLinesWriter;
pub use mapping::{CELL_VAL_NUM, DATATYPE, Mapping, Options};
#[cfg(feature = "npy")]
pub use npy::NpyWriter;
#[cfg(feature = "parquet")]
pub use parquet::ParquetWriter;
pub use reader::RecordBatches;
#[cfg(any(feature = "csv", feature = "json"))]
pub use text::PlainText;
pub use writer::BatchWriter;
