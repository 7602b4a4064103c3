#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod cover;
mod delete;
mod delete_at;
mod delete_coordinates;
mod delete_error;
mod difference;
mod evolve;
pub mod log;
mod replace;
mod restore;
mod rewrite;
mod schema_changes;
mod set;
mod unreadable_fragments;
mod write_and_delete;
mod written_cells;

pub use delete::{DeleteOptions, Deletion, delete_cells};
pub use delete_at::DeleteAt;
pub use delete_error::DeleteError;
pub use difference::{
    CellValue, Difference, DifferenceCount, Differences, SelectedCells, compare, narrow_comparison,
};
pub use evolve::{Evolution, evolve};
pub use replace::Replacing;
pub use restore::{
    RestoreOptions, RestoredCells, plan_removal_after, remove_after, restore, restore_with,
};
pub use rewrite::{RewriteOptions, Rewritten, rewrite, rewrite_with};
pub use set::{SetBuilder, SetCells, set};
pub use written_cells::WrittenCells;
