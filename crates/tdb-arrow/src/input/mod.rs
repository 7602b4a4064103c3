//! Reads files and Arrow batches as cells that [`tdb_write::Writer`] accepts.

mod arrow;
mod arrow_guess;
mod columns;
mod convert;
mod datatypes;
mod decimals;
#[cfg(any(feature = "ipc", feature = "parquet"))]
mod flattened;
mod form;
#[cfg(feature = "ipc")]
mod ipc;
mod lists;
mod numbers;
#[cfg(feature = "parquet")]
mod parquet;
mod size;
mod wrong;

#[cfg(feature = "parquet")]
pub use self::parquet::parquet_input;
pub use arrow::{ArrowInput, panics_are_errors};
pub use datatypes::field_of_column;
#[cfg(feature = "ipc")]
pub use ipc::{ipc_file_input, ipc_stream_input};
