//! Dimension labels: one-dimensional arrays, in ascending or descending order, whose values stand for positions.

use std::cmp::Ordering;
use std::sync::Arc;

use tdb_array::Array;
use tdb_schema::{DataOrder, DimensionLabel};
use tdb_tile::{Datatype, Range};

use crate::options::ReadOptions;
use crate::{QueryError, Session};

/// The interval of a label's dimension whose labels lie within `range`; none where no label does. What is odd about
/// the label's array becomes warnings.
pub(crate) fn to_range(
    session: &Session,
    array: &Arc<Array>,
    name: &str,
    range: &Range,
    warnings: &mut Vec<String>,
) -> Result<Option<(String, Range)>, QueryError> {
    let schema = array.schema();
    let Some(label) = schema.labels.iter().find(|label| label.name == name) else {
        let known = schema.labels.iter().map(|l| l.name.as_str());
        return Err(QueryError::unknown("label", name, known));
    };
    let dimension = schema.dimensions.get(label.dimension as usize);
    let dimension =
        dimension.ok_or_else(|| QueryError::invalid(format!("label {name:?} has no dimension")))?;
    if !range.is_ordered(label.datatype) {
        return Err(QueryError::invalid(format!(
            "range of label {name:?} ends before it begins"
        )));
    }
    let labels = Arc::new(array.open_label(label)?);
    let odd = labels.warnings().iter();
    warnings.extend(odd.map(|warning| format!("label {name:?}: {warning}")));
    let found = positions(session, &labels, label, range)?;
    Ok(found.map(|found| (dimension.name.clone(), found)))
}

/// The first and the last position whose label lies within `range`.
fn positions(
    session: &Session,
    labels: &Arc<Array>,
    label: &DimensionLabel,
    range: &Range,
) -> Result<Option<Range>, QueryError> {
    let index = labels
        .schema()
        .dimensions
        .first()
        .map(|d| d.name.clone())
        .unwrap_or_default();
    let domain = labels.non_empty_domain();
    let options = ReadOptions {
        attributes: Some(vec![label.attribute.clone()]),
        ranges: domain
            .and_then(|d| d.into_iter().next())
            .map(|d| (index.clone(), d))
            .into_iter()
            .collect(),
        ..ReadOptions::default()
    };
    let (mut first, mut last) = (None, None);
    for batch in session.read(labels, &options)? {
        let batch = batch?;
        let (Some(positions), Some(values)) =
            (batch.column(&index), batch.column(&label.attribute))
        else {
            continue;
        };
        for row in 0..batch.rows {
            let (Some(position), Some(value)) = (positions.cell(row), values.cell(row)) else {
                continue;
            };
            if holds(label.datatype, range, value) {
                first.get_or_insert_with(|| positions.values.slice_ref(position));
                last = Some(positions.values.slice_ref(position));
            } else if last.is_some() || is_beyond(label, range, value) {
                return Ok(first.zip(last).map(|(lo, hi)| Range { lo, hi }));
            }
        }
    }
    Ok(first.zip(last).map(|(lo, hi)| Range { lo, hi }))
}

fn holds(datatype: Datatype, range: &Range, value: &[u8]) -> bool {
    range.contains(datatype, value)
}

/// Whether labels from here on cannot lie within `range`, being in order.
fn is_beyond(label: &DimensionLabel, range: &Range, value: &[u8]) -> bool {
    match label.order {
        DataOrder::Increasing => {
            label.datatype.compare(value, &range.hi) == Some(Ordering::Greater)
        }
        DataOrder::Decreasing => label.datatype.compare(value, &range.lo) == Some(Ordering::Less),
        DataOrder::Unordered => false,
    }
}
