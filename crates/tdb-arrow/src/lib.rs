#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[cfg(target_endian = "big")]
compile_error!("Arrow's memory is that of the machine, and TileDB's values are little-endian");

mod array;
mod cells;
mod dates;
mod dictionary;
mod element;
mod input;
#[cfg(feature = "ipc")]
mod ipc;
mod mapping;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;

#[cfg(feature = "parquet")]
pub use input::parquet_input;
pub use input::{ArrowInput, field_of_column, panics_are_errors};
#[cfg(feature = "ipc")]
pub use input::{ipc_file_input, ipc_stream_input};
#[cfg(feature = "ipc")]
pub use ipc::{IpcFileWriter, IpcStreamWriter};
pub use mapping::{ARRAY_SCHEMA, CELL_VAL_NUM, DATATYPE, ENUMERATION, LABELS, Mapping};
#[cfg(feature = "parquet")]
pub use parquet::ParquetWriter;
pub use reader::RecordBatches;
