//! Dimension labels: one-dimensional arrays, in ascending or descending order, whose values stand for positions.

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, ArrayError, ErrorKind};
use tdb_cells::{CellProblem, Session, out_of_order};
use tdb_schema::names::UnknownName;
use tdb_schema::{DataOrder, DimensionLabel};
use tdb_tile::Range;

use crate::options::ReadOptions;
use crate::{QueryError, Reader};

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
        return Err(UnknownName::new("label", name, known).into());
    };
    let dimension = schema.dimensions.get(label.dimension as usize);
    let dimension =
        dimension.ok_or_else(|| QueryError::invalid(format!("label {name:?} has no dimension")))?;
    if !range.is_ordered(label.datatype) {
        return Err(QueryError::invalid(format!(
            "range of label {name:?} ends before it begins"
        )));
    }
    if label.order == DataOrder::Unordered {
        return Err(QueryError::invalid(format!(
            "label {name:?} has no order: what lies between two of its values is nothing"
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
    let mut before: Option<Bytes> = None;
    for batch in Reader::open(session, labels, &options)? {
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
            let cell = values.values.slice_ref(value);
            if let Some(before) = before.replace(cell)
                && let Some(problem) = out_of_order(label.datatype, label.order, &before, value)
            {
                return Err(disorder(label, problem));
            }
            if range.contains(label.datatype, value) {
                first.get_or_insert_with(|| positions.values.slice_ref(position));
                last = Some(positions.values.slice_ref(position));
            }
        }
    }
    Ok(first.zip(last).map(|(lo, hi)| Range { lo, hi }))
}

/// Labels that are not in their order, or that some cells in between lack, lead nowhere.
fn disorder(label: &DimensionLabel, problem: CellProblem) -> QueryError {
    ArrayError::Object {
        key: format!("label {:?}", label.name),
        kind: ErrorKind::Corrupt,
        source: Box::new(problem),
    }
    .into()
}
