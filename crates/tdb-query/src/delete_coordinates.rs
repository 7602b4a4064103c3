//! The condition of a delete as the coordinates of the cells for which it holds.

use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::{FieldInfo, Session};
use tdb_condition::{Condition, ConditionRules, GatheredPoints, Points};
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
    let mut points = no_points(session, array);
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
    condition_of(points, session)
}

/// The coordinates of no cell yet.
pub(crate) fn no_points(session: &Session, array: &Array) -> GatheredPoints {
    let schema = array.schema();
    let dimensions = 0..schema.dimensions.len();
    let dimensions = dimensions.filter_map(|at| schema.field_of(FieldKind::Dimension(at)));
    let dimensions: Vec<FieldInfo> = dimensions.map(|f| FieldInfo::of(&f, None)).collect();
    Points::gather(dimensions, session.limits())
}

/// The condition of cells that have these coordinates; `None` if there are none.
pub(crate) fn condition_of(
    points: GatheredPoints,
    session: &Session,
) -> Result<Option<Condition>, QueryError> {
    let points = points.finish()?;
    let bytes = (points.len() as u64).saturating_mul(TEST_BYTES);
    let _held = session.limits().budget.take(bytes)?;
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
