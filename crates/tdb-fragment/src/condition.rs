//! The stored condition of a delete: `docs/format/conditions.md`.
mod check;
mod codes;
mod tree;
mod value;

pub use codes::{Combine, ConditionOp};
pub use tree::{ConditionError, ConditionNode, ConditionTree};
pub use value::ConditionValue;
