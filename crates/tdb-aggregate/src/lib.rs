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
mod expected;
mod field_states;
mod fold;
mod function;
mod grouped;
mod grouping;
mod groups;
mod histogram;
mod kept_values;
mod key_order;
mod number;
mod packed;
mod place;
mod read_field;
mod same_value;
mod share;
mod spilled;
mod states;
mod statistics;
mod summary;
mod table;

pub use aggregate::{aggregate, grouped, known_aggregates};
pub use count::{count_cells, known_count};
pub use error::AggregateError;
pub use expected::expected_count;
pub use function::{Aggregate, Function, Outcome};
pub use grouped::GroupResults;
pub use histogram::{Bin, Histogram, histogram};
pub use summary::{FieldSummary, summarize};
pub use table::{Group, Table};
