#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::arithmetic_side_effects)
)]

mod accumulator;
mod aggregate;
mod count;
mod distinct_count;
mod error;
mod fold;
mod function;
mod grouping;
mod groups;
mod histogram;
mod kept_values;
mod number;
mod place;
mod read_field;
mod same_value;
mod share;
mod statistics;
mod summary;

pub use aggregate::{Group, Table, aggregate, known_aggregates};
pub use count::{count_cells, known_count};
pub use error::AggregateError;
pub use function::{Aggregate, Function, Outcome};
pub use histogram::{Bin, Histogram, histogram};
pub use summary::{FieldSummary, summarize};
