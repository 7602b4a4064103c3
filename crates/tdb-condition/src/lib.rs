#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::arithmetic_side_effects)
)]

mod ast;
mod deleted;
mod display;
mod error;
mod evaluate;
mod kept;
mod kernel;
mod literal;
mod literal_position;
mod parse;
mod pattern;
mod predicate;
mod refusal;
mod resolve;
mod resolved;
mod stored;
mod token;
mod walk;

pub use ast::{CompareOp, Condition, ConditionNode, FieldCondition, FieldTest, Literal, Test};
pub use error::ConditionError;
pub use evaluate::FieldCells;
pub use kept::Kept;
pub use pattern::{Matcher, Pattern};
pub use predicate::Predicate;
pub use resolve::ConditionField;
pub use resolved::{ResolvedCondition, ResolvedField, ResolvedTest, Step};
