#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::arithmetic_side_effects)
)]

mod ast;
mod bounds;
mod calculate;
mod conjuncts;
mod deleted;
mod depth;
mod display;
mod error;
mod evaluate;
mod field_cells;
mod field_condition;
mod kept;
mod kernel;
mod literal;
mod literal_position;
mod padding;
mod parentheses;
mod parse;
mod pattern;
mod points;
mod predicate;
mod refusal;
mod resolve;
mod resolved;
mod rules;
mod ruling_out;
mod stored;
mod term;
mod text_table;
mod token;
mod unknown_labels;
mod walk;

pub use ast::{
    CompareOp, Comparison, Condition, ConditionNode, FieldTest, Literal, Operation, Term, TermPart,
    Test,
};
pub use error::ConditionError;
pub use field_cells::FieldCells;
pub use field_condition::FieldCondition;
pub use kept::KeepCondition;
pub use pattern::{Matcher, Pattern};
pub use points::{GatheredPoints, Points};
pub use predicate::{ColumnOf, Predicate};
pub use resolved::{
    ResolvedComparison, ResolvedCondition, ResolvedField, ResolvedTerm, ResolvedTest, Step,
};
pub use rules::ConditionRules;
pub use unknown_labels::UnknownLabel;
