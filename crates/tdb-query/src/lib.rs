#![doc = include_str!("../README.md")]

mod buffer;
mod bytes_of_tiles;
mod column;
mod condition;
mod delete;
mod dense;
mod error;
mod field;
pub mod flow;
mod fragment_tiles;
mod labels;
mod names;
mod options;
mod profile;
mod read;
mod request;
mod rewrite;
mod session;
mod sparse;
mod stored_field;
mod subarray;
mod threads;
mod tiles;
mod whole_tiles;
mod write;

pub use buffer::Buffer;
pub use column::{Batch, Column};
pub use condition::{
    CompareOp, Condition, ConditionField, ConditionNode, FieldCells, FieldCondition, FieldTest,
    Kept, Literal, ResolvedCondition, ResolvedField, ResolvedTest, Step, Test,
};
pub use delete::{DeleteOptions, Deletion};
pub use error::{QueryError, TileError};
pub use field::FieldInfo;
pub use options::{Failing, ReadOptions, ResultOrder, Versions};
pub use profile::Profile;
pub use read::Reader;
pub use request::Request;
pub use session::{Session, SessionOptions};
pub use stored_field::{StoredField, TileExtents};
pub use subarray::Subarray;
pub use write::{
    CellProblem, CellType, ColumnProblem, Duplicates, Replacement, WriteOptions, WriteOrder, Writer,
};
