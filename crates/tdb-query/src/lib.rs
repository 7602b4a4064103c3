#![doc = include_str!("../README.md")]

mod delete;
mod dense;
mod error;
mod field;
pub mod flow;
mod fragment_tiles;
mod labels;
mod options;
mod read;
mod request;
mod sparse;
mod stored_field;
mod subarray;

pub use delete::{DeleteOptions, Deletion, delete_cells};
pub use error::QueryError;
pub use options::{Failing, ReadOptions, ResultOrder, Versions};
pub use read::Reader;
pub use request::Request;
pub use stored_field::{StoredField, TileExtents};
pub use subarray::Subarray;
