//! Functions that replace those of DataFusion because they answer differently.

use std::sync::Arc;

use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

use crate::checked::{Abs, Negative};
use crate::extremes::{Greatest, Least};
use crate::lengthy::lengthy_functions;
use crate::sums::ExactSum;
use crate::wide::checked_functions;
use crate::years::DatePart;

/// Adds the functions for queries of arrays to a state; they replace those of the same names. Workers, which run
/// parts of plans, need them too.
#[must_use]
pub fn with_functions(mut state: SessionStateBuilder) -> SessionStateBuilder {
    let scalar = [
        ScalarUDF::from(Abs::default()),
        ScalarUDF::from(DatePart::default()),
        ScalarUDF::from(Negative::default()),
    ];
    let runtime = state.runtime_env().get_or_insert_default();
    let pool = Arc::clone(&runtime.memory_pool);
    let scalar = scalar
        .map(Arc::new)
        .into_iter()
        .chain(checked_functions())
        .chain(lengthy_functions(&pool));
    state
        .scalar_functions()
        .get_or_insert_default()
        .extend(scalar);
    let aggregate = [
        AggregateUDF::from(ExactSum::default()),
        AggregateUDF::from(Least::default()),
        AggregateUDF::from(Greatest::default()),
    ]
    .map(Arc::new);
    state
        .aggregate_functions()
        .get_or_insert_default()
        .extend(aggregate);
    state
}
