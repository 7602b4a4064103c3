//! Conditions on cells: as text and built, resolved against a schema, and evaluated.
//!
//! One evaluator serves queries, stored deletes and SQL: a [`Condition`] (from [`Condition::parse`] or
//! [`Condition::field`]) or a stored tree becomes a [`ResolvedCondition`], whose tests compare raw values of a
//! field's own type, and that gives one byte per cell.
//!
//! **Null and NaN.** A comparison with a null cell is false whatever the operator, also within `not`, which is
//! carried down to the comparisons. All comparisons with a NaN are false but `!=`.
//!
//! **Fields that a fragment lacks.** Every test of them is false; in an `or`, the other tests still count.

mod ast;
mod display;
mod evaluate;
mod kept;
mod kernel;
mod parse;
mod place;
mod resolve;
mod resolved;
mod stored;
mod token;
mod walk;

pub use ast::{CompareOp, Condition, ConditionNode, FieldCondition, FieldTest, Literal, Test};
pub use evaluate::FieldCells;
pub use kept::Kept;
pub use resolve::ConditionField;
pub use resolved::{ResolvedCondition, ResolvedField, ResolvedTest, Step};
