#![doc = include_str!("../README.md")]

mod condition;
mod error;

pub use condition::{
    CompareOp, Condition, ConditionField, ConditionNode, FieldCells, FieldCondition, FieldTest,
    Instant, Literal, ResolvedCondition, ResolvedField, ResolvedTest, Step, Test,
};
pub use error::QueryError;
