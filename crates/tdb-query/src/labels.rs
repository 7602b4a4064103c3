//! Dimension labels: translates ranges of label values into ranges of a dimension. A label is a one-dimensional array
//! whose ordered values name the positions of the dimension.

use bytes::Bytes;
use tdb_array::{ArrayError, ErrorKind, Snapshot};
use tdb_cells::{Batch, CellProblem, out_of_order};
use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, DataOrder, Dimension, DimensionLabel, RangeError};
use tdb_tile::{Bug, Range};

use crate::QueryError;
use crate::options::ReadOptions;

/// Finds the range of a dimension whose labels lie within a range of label values, from the batches of a read of the
/// label's array.
///
/// Labels are in ascending or descending order, so the matching positions are one interval of the dimension.
#[derive(Debug)]
pub struct LabelSearch {
    label: DimensionLabel,
    /// Name of the label's dimension in the array; `index` is the name of the only dimension of the label's array.
    dimension: String,
    index: String,
    range: Range,
    /// The first and the last position found.
    found: Option<(Bytes, Bytes)>,
    before: Option<Bytes>,
}

impl LabelSearch {
    /// Begins a search in the label `name` of an array.
    ///
    /// # Errors
    /// [`QueryError::Unknown`] if the array has no such label; [`QueryError::Range`] if the range is reversed or
    /// the labels are unordered.
    pub fn new(array: &Snapshot, name: &str, range: &Range) -> Result<Self, QueryError> {
        let schema = array.schema();
        let Some(label) = schema.labels.iter().find(|label| label.name == name) else {
            let known = schema.labels.iter().map(|l| l.name.as_str());
            return Err(UnknownName::new("label", name, known).into());
        };
        let dimension = schema
            .dimensions
            .get(label.dimension as usize)
            .ok_or_else(|| Bug::new("a label is of no dimension of its array"))?;
        if !range.is_ordered(label.datatype) {
            return Err(RangeError::Backwards {
                kind: "label",
                name: name.to_owned(),
            }
            .into());
        }
        if label.order == DataOrder::Unordered {
            return Err(QueryError::LabelOrder {
                label: name.to_owned(),
            });
        }
        Ok(Self {
            label: label.clone(),
            dimension: dimension.name.clone(),
            index: String::new(),
            range: range.clone(),
            found: None,
            before: None,
        })
    }

    /// Returns the label, which has the location of its array.
    #[must_use]
    pub fn label(&self) -> &DimensionLabel {
        &self.label
    }

    /// Returns the options for reading the label's array.
    ///
    /// # Errors
    /// [`Bug`] if that array has no dimension.
    pub fn options(&mut self, labels: &Snapshot) -> Result<ReadOptions, QueryError> {
        let first = labels
            .schema()
            .dimensions
            .first()
            .ok_or_else(|| Bug::new("an array has no dimension"))?;
        self.index.clone_from(&first.name);
        let domain = labels.non_empty_domain().into_iter().flatten().next();
        Ok(ReadOptions {
            attributes: Some(vec![self.label.attribute.clone()]),
            // No cell before the first label is read: it would only give fill values.
            reads_nothing: domain.is_none(),
            ranges: domain
                .map(|d| (self.index.clone(), d))
                .into_iter()
                .collect(),
            ..ReadOptions::default()
        })
    }

    /// Searches the next batch of the label's array.
    ///
    /// # Errors
    /// Labels that are out of order.
    pub fn add(&mut self, batch: &Batch) -> Result<(), QueryError> {
        let (Some(positions), Some(values)) = (
            batch.column(&self.index),
            batch.column(&self.label.attribute),
        ) else {
            return Err(Bug::new("labels were read without their positions").into());
        };
        let (datatype, order) = (self.label.datatype, self.label.order);
        for row in 0..batch.rows {
            let (Some(position), Some(value)) = (positions.cell(row), values.cell(row)) else {
                return Err(Bug::new("a column has fewer cells than its batch").into());
            };
            let cell = values.values.slice_ref(value);
            if let Some(before) = self.before.replace(cell)
                && let Some(problem) = out_of_order(datatype, order, &before, value)
            {
                return Err(disorder(&self.label, problem));
            }
            if self.range.contains(datatype, value) {
                let last = positions.values.slice_ref(position);
                let first = self
                    .found
                    .take()
                    .map_or_else(|| last.clone(), |(first, _)| first);
                self.found = Some((first, last));
            }
        }
        Ok(())
    }

    /// Returns the name of the dimension and the range found; `None` if no label lies within the range of label
    /// values.
    #[must_use]
    pub fn finish(self) -> Option<(String, Range)> {
        let (lo, hi) = self.found?;
        Some((self.dimension, Range { lo, hi }))
    }
}

/// Result of a search for a range of a label.
#[derive(Debug)]
pub(crate) struct FoundLabels {
    pub(crate) label: String,
    /// Range of the label's dimension; `None` if no label lies within the range.
    pub(crate) range: Option<Range>,
}

/// Replaces ranges of labels by ranges of dimensions. Several ranges of one label form a union, like those of a
/// dimension; ranges of several labels of a dimension, and of the dimension itself, are intersected.
pub(crate) fn narrow_by_labels(
    options: &mut ReadOptions,
    schema: &ArraySchema,
    found: &[FoundLabels],
) -> Result<(), Bug> {
    let mut done: Vec<&str> = Vec::new();
    for FoundLabels { label, .. } in found {
        if done.contains(&label.as_str()) {
            continue;
        }
        done.push(label);
        let mut labels = schema.labels.iter();
        let label = labels.find(|known| known.name == *label);
        let dimension = label.and_then(|label| schema.dimensions.get(label.dimension as usize));
        let (Some(label), Some(dimension)) = (label, dimension) else {
            return Err(Bug::new("a label that was searched is not of the array"));
        };
        let of_label = found.iter().filter(|other| other.label == label.name);
        let ranges = of_label.filter_map(|found| found.range.clone()).collect();
        narrow(options, dimension, ranges);
    }
    Ok(())
}

/// Restricts the requested ranges of a dimension to their intersection with `by`.
fn narrow(options: &mut ReadOptions, dimension: &Dimension, by: Vec<Range>) {
    let (asked, mut ranges): (Vec<_>, Vec<_>) = std::mem::take(&mut options.ranges)
        .into_iter()
        .partition(|(name, _)| *name == dimension.name);
    let left: Vec<Range> = if asked.is_empty() {
        by
    } else {
        let datatype = dimension.datatype;
        let pairs = asked
            .iter()
            .flat_map(|(_, a)| by.iter().map(move |b| (a, b)));
        let common = pairs.filter_map(|(a, b)| a.intersection(datatype, b));
        common.collect()
    };
    options.reads_nothing |= left.is_empty();
    let left = left
        .into_iter()
        .map(|range| (dimension.name.clone(), range));
    ranges.extend(left);
    options.ranges = ranges;
}

/// Error for labels that are out of order or that some cells lack: they cannot be searched.
fn disorder(label: &DimensionLabel, problem: CellProblem) -> QueryError {
    ArrayError::Object {
        key: format!("label {:?}", label.name),
        kind: ErrorKind::Corrupt,
        source: Box::new(problem),
    }
    .into()
}
