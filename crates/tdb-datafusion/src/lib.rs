#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod arrays;
mod database;
mod delete;
mod depth;
mod error;
mod factory;
mod file_stores;
mod group;
mod held;
mod insert;
mod known;
mod literal;
mod machines;
mod memory;
mod named_by_uri;
mod parts;
mod pushdown;
mod pushed;
mod requests;
mod rows;
mod scan;
mod source;
mod stream;
mod table;
mod task;

pub use arrays::{Arrays, BoxedError, Member};
pub use database::{Answer, Database};
pub use datafusion::execution::SendableRecordBatchStream as RowStream;
pub use datafusion::object_store::ObjectStore;
pub use datafusion::sql::parser::Statement;
pub use error::SqlError;
pub use factory::TABLE_TYPE;
pub use group::GroupTables;
pub use held::HeldRows;
pub use machines::Machines;
pub use memory::runtime;
pub use scan::ArrayScan;
pub use table::ArrayTable;
pub use task::ScanTask;
