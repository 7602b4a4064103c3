//! The condition of a delete as the coordinates of the cells for which it holds.

use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::{FieldInfo, Session};
use tdb_condition::{Condition, ConditionRules, Points};
use tdb_schema::FieldKind;

use crate::options::{ReadOptions, ResultOrder};
use crate::{QueryError, Reader};

/// Tests that a delete by coordinates may have: all later reads go through each of them.
const MOST_TESTS: u64 = 10_000;

/// Bytes of a test of a condition while it is put together.
const TEST_BYTES: u64 = 128;

/// A condition on the dimensions that holds for just the cells for which another does; `None` if there are none.
pub(crate) fn coordinates_of(
    session: &Session,
    array: &Arc<Array>,
    condition: &Condition,
    rules: ConditionRules,
) -> Result<Option<Condition>, QueryError> {
    let schema = array.schema();
    let dimensions = 0..schema.dimensions.len();
    let dimensions = dimensions.filter_map(|at| schema.field_of(FieldKind::Dimension(at)));
    let dimensions: Vec<FieldInfo> = dimensions.map(|f| FieldInfo::of(&f, None)).collect();
    let limits = session.limits();
    let mut points = Points::gather(dimensions, limits);
    let options = ReadOptions {
        attributes: Some(Vec::new()),
        order: Some(ResultOrder::Unordered),
        condition: Some(condition.clone()),
        rules,
        ..ReadOptions::default()
    };
    for batch in Reader::open(session, array, &options)? {
        points.add(&batch?)?;
    }
    let points = points.finish()?;
    let bytes = (points.len() as u64).saturating_mul(TEST_BYTES);
    let _held = limits.budget.take(bytes)?;
    let Some(condition) = points.condition()? else {
        return Ok(None);
    };
    let tests = condition.nodes().len() as u64;
    if tests > MOST_TESTS {
        let most = MOST_TESTS;
        return Err(QueryError::TooManyPlaces { tests, most });
    }
    Ok(Some(condition))
}
