#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

mod condition;

pub use condition::{
    Combine, ConditionError, ConditionNode, ConditionOp, ConditionTree, ConditionValue,
};
