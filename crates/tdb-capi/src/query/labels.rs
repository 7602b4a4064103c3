//! Labels in queries: ranges of labels become ranges of dimensions, and the labels of the cells are read and written
//! beside them, in the arrays that hold them.

use std::sync::Arc;

use tdb::engine::query::{LabelSearch, Reader};
use tdb::engine::schema::DimensionLabel;
use tdb::engine::tile::Range;
use tdb::engine::write::Writer;
use tdb::{Batch, OpenArray, Settings};

use super::buffers::NamedBuffers;
use super::read::{ReadRequest, fill};
use super::write::{self, WriteRequest};
use crate::border::{Error, Result};
use crate::constants::*;
use crate::subarray::Ranges;

fn failed(label: &str, why: impl std::fmt::Display) -> Error {
    let text = format!("Failed to process dimension label query for label '{label}'; {why}");
    Error::short("DimensionLabelQuery", text)
}

/// Returns the ranges of dimensions that ranges of dimensions and of labels select together.
///
/// # Errors
/// Fails for a range in which no label lies, and if labels cannot be read.
pub(crate) fn resolved(array: &OpenArray, ranges: &Ranges) -> Result<Ranges> {
    let mut found = ranges.clone();
    for named in std::mem::take(&mut found.labels) {
        let mut selected = Vec::new();
        for range in &named.ranges {
            selected.push(range_of(array, &named.label, range)?);
        }
        if let Some(place) = found.dimensions.get_mut(named.dimension as usize) {
            *place = selected;
        }
    }
    Ok(found)
}

/// Searches the range of a dimension whose labels lie in a range.
fn range_of(array: &OpenArray, name: &str, range: &Range) -> Result<Range> {
    let session = array.context().shared_session();
    let of_query = |error: tdb::engine::query::QueryError| failed(name, array.failed(error));
    let mut search = LabelSearch::new(array.engine(), name, range).map_err(of_query)?;
    let labels = array.engine().open_label(search.label());
    let labels_array = Arc::new(labels.map_err(|error| failed(name, array.failed(error)))?);
    let options = search.options(&labels_array).map_err(of_query)?;
    for batch in Reader::open(session, &labels_array, &options).map_err(of_query)? {
        search.add(&batch.map_err(of_query)?).map_err(of_query)?;
    }
    let found = search.finish().map(|(_, range)| range);
    found.ok_or_else(|| failed(name, "no label lies in the range"))
}

/// The labels of a query: of which label, in which array, and in which buffers.
struct LabelCells<'a> {
    label: &'a DimensionLabel,
    array: OpenArray,
    buffers: NamedBuffers,
}

impl<'a> LabelCells<'a> {
    fn open(array: &'a OpenArray, buffers: &NamedBuffers) -> Result<Self> {
        let mut labels = array.schema().labels.iter();
        let label = labels
            .find(|label| label.name == buffers.name)
            .ok_or_else(|| failed(&buffers.name, "there is no such label"))?;
        let opened = array.engine().open_label(label);
        let engine = opened.map_err(|error| failed(&label.name, array.failed(error)))?;
        let context = array.context().clone();
        Ok(Self {
            label,
            array: OpenArray::of_engine(context, array.place().clone(), Arc::new(engine)),
            buffers: NamedBuffers {
                name: label.attribute.clone(),
                ..buffers.clone()
            },
        })
    }

    /// Returns the ranges of the label's dimension, as ranges of the label's array.
    fn ranges(&self, ranges: &Ranges) -> Ranges {
        let own = ranges.dimensions.get(self.label.dimension as usize);
        Ranges {
            dimensions: own.cloned().into_iter().collect(),
            ..Ranges::whole(self.array.schema())
        }
    }
}

/// Reads the labels of ranges of dimensions into their buffers.
///
/// # Errors
/// Fails if the labels do not fit into the buffers, or cannot be read.
///
/// # Safety
/// The buffers may be written.
pub(crate) unsafe fn read(
    array: &OpenArray,
    settings: &Settings,
    ranges: &Ranges,
    all_buffers: &[NamedBuffers],
) -> Result<()> {
    for buffers in all_buffers {
        let cells = LabelCells::open(array, buffers)?;
        let named = std::slice::from_ref(&cells.buffers);
        let own = cells.ranges(ranges);
        let whole = own.or_whole(cells.array.schema());
        let mut reading = ReadRequest {
            array: &cells.array,
            settings,
            ranges: &whole,
            layout: TILEDB_ROW_MAJOR,
            condition: None,
            buffers: named,
        }
        .begin()?;
        let filled = fill(&mut reading, named, &cells.array)?;
        if !filled.is_complete {
            let why = "its buffers are too small, and labels are read at once";
            return Err(failed(&cells.label.name, why));
        }
    }
    Ok(())
}

/// A write of labels that was begun.
pub(crate) struct BegunLabels {
    array: OpenArray,
    batch: Batch,
    writer: Writer,
}

impl BegunLabels {
    /// Stores the labels.
    ///
    /// # Errors
    /// Those of writing.
    pub(crate) fn finish(self) -> Result<()> {
        write::finish(self.writer, &self.array, Some(&self.batch)).map(drop)
    }
}

/// Begins to write labels: of the ranges of a dense array, or of the coordinates of the cells of a sparse one. Nothing
/// is there before they are finished.
///
/// # Errors
/// Fails if the labels are not in their order, or cannot be stored.
///
/// # Safety
/// The buffers may be read.
pub(crate) unsafe fn begin(
    request: &WriteRequest<'_>,
    cells: &[NamedBuffers],
    all_buffers: &[NamedBuffers],
) -> Result<Vec<BegunLabels>> {
    let mut begun = Vec::new();
    for buffers in all_buffers {
        let labels = LabelCells::open(request.array, buffers)?;
        let mut named = vec![labels.buffers.clone()];
        let schema = request.array.schema();
        if !schema.is_dense() {
            let dimension = schema.dimensions.get(labels.label.dimension as usize);
            let coordinates = cells
                .iter()
                .find(|cells| dimension.is_some_and(|d| d.name == cells.name));
            let index = labels.array.schema().dimensions.first();
            if let (Some(coordinates), Some(index)) = (coordinates, index) {
                named.push(NamedBuffers {
                    name: index.name.clone(),
                    ..coordinates.clone()
                });
            }
        }
        let own = labels.ranges(request.ranges);
        let of_labels = WriteRequest {
            array: &labels.array,
            settings: request.settings,
            ranges: &own,
            layout: TILEDB_ROW_MAJOR,
            time: request.time,
        };
        let batch = of_labels.cells(&named)?;
        let mut writer = of_labels.begin()?;
        write::push(&mut writer, &labels.array, &batch)?;
        begun.push(BegunLabels {
            array: labels.array,
            batch,
            writer,
        });
    }
    Ok(begun)
}
