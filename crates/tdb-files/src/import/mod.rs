//! Importing files: creating an array from a file, or appending its cells to one.

mod exported_schema;
mod field;
mod guess;
mod layout;
mod making;
mod notice;
mod request;
mod schema;

pub use making::ImportedCells;
pub use notice::ImportNotice;
pub use request::{ImportBuilder, import};
