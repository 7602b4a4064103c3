//! The least and the greatest values of columns, where the statistics of tiles tell them.

use datafusion::common::stats::Precision;
use datafusion::common::{Result, Statistics};
use tdb_aggregate::{Aggregate, Function, Outcome, known_aggregates};

use crate::literal::{known_type, scalar};
use crate::source::Source;

/// Fragments whose statistics are fetched for it, at most.
const MOST_FRAGMENTS: usize = 1000;

/// Fills in what is known of columns of whole numbers, dates and times; of others their order in SQL may differ.
pub(crate) fn known_columns(
    source: &Source,
    columns: &[usize],
    statistics: &mut Statistics,
) -> Result<()> {
    if source.array.fragments().len() > MOST_FRAGMENTS {
        return Ok(());
    }
    for (column, known) in columns.iter().zip(&mut statistics.column_statistics) {
        let (Some(info), Some(field)) = (
            source.fields.get(*column),
            source.schema.fields().get(*column),
        ) else {
            continue;
        };
        let is_number = known_type(field.data_type());
        if info.enumeration.is_some() || !is_number {
            continue;
        }
        let wanted = [Function::Min, Function::Max, Function::NullCount];
        let wanted = wanted.map(|function| Aggregate::of(function, &info.name));
        let told = known_aggregates(&source.session, &source.array, &wanted);
        let told = told.map_err(|error| source.failed(error))?;
        let Some([least, greatest, nulls]) = told.as_deref() else {
            continue;
        };
        let value = |outcome: &Outcome| match outcome {
            Outcome::Value(_, bytes) => scalar(field.data_type(), bytes),
            _ => None,
        };
        if let (Some(least), Some(greatest)) = (value(least), value(greatest)) {
            known.min_value = Precision::Exact(least);
            known.max_value = Precision::Exact(greatest);
        }
        if let Outcome::Unsigned(nulls) = nulls
            && let Ok(nulls) = usize::try_from(*nulls)
        {
            known.null_count = Precision::Exact(nulls);
        }
    }
    Ok(())
}
