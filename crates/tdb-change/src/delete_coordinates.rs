//! Turns the condition of a delete into the coordinates of the cells that match it.

use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::{FieldInfo, Session};
use tdb_condition::{Condition, ConditionRules, GatheredPoints, Points};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::FieldKind;
use tdb_tile::Exact;

use crate::DeleteError;

/// Maximum number of tests in a delete by coordinates; every later read evaluates all of them.
const MOST_TESTS: u64 = 10_000;

/// Bytes that one test takes while the condition is built.
const TEST_BYTES: u64 = 128;

/// Returns a condition on the dimensions that holds exactly at the coordinates of the cells that match `condition`;
/// `None` if no cell matches.
pub(crate) fn coordinates_of(
    session: &Session,
    array: &Arc<Array>,
    condition: &Condition,
    rules: ConditionRules,
) -> Result<Option<Condition>, DeleteError> {
    let mut points = no_points(session, array);
    let options = ReadOptions::default()
        .attributes(Some(Vec::new()))
        .order(Some(ResultOrder::Unordered))
        .condition(Some(condition.clone()))
        .rules(rules);
    for batch in Reader::open(session, array, &options)? {
        points.add(&batch?)?;
    }
    condition_of(points, session)
}

/// Returns an empty set of points over all dimensions of the array.
pub(crate) fn no_points(session: &Session, array: &Array) -> GatheredPoints {
    let schema = array.schema();
    let dimensions: Vec<FieldInfo> = (0..schema.dimensions.len())
        .filter_map(|at| schema.field_of(FieldKind::Dimension(at)))
        .map(|f| FieldInfo::of(&f, None))
        .collect();
    Points::gather(dimensions, session.limits())
}

/// Returns the condition that holds for cells at these points; `None` if there are no points.
pub(crate) fn condition_of(
    points: GatheredPoints,
    session: &Session,
) -> Result<Option<Condition>, DeleteError> {
    let points = points.finish()?;
    let bytes = (points.len() as u64).exact_mul(TEST_BYTES)?;
    let _held = session.limits().budget.take(bytes)?;
    let Some(condition) = points.condition()? else {
        return Ok(None);
    };
    let tests = condition.nodes().len() as u64;
    if tests > MOST_TESTS {
        let most = MOST_TESTS;
        return Err(DeleteError::TooManyPlaces { tests, most });
    }
    Ok(Some(condition))
}
