//! Pictures: two dimensions of a dense array, sampled down to a given number of pixels.

mod image;
mod mask;
mod options;
mod slice;

use std::sync::Arc;

use tdb_cells::{CellsError, Session};
use tdb_open::{Error, Result};
use tdb_query::{Failing, ReadOptions, Reader, ResultOrder};
use tdb_tile::{Bug, Exact, Grant};

pub use image::{Picture, PictureAxis, Pixel};
pub use options::PictureOptions;
use options::too_large;
use slice::{Side, Slice};

/// Draws two dimensions of a dense array as a picture. Ranges choose the slice; a dimension without a range is drawn as
/// far as anything is written. A third dimension of 3 or 4 cells of `uint8`, or as many values per cell, is a colour.
/// Only the ranges and the condition of `read` apply.
///
/// # Errors
/// Fails for a sparse array, a field without numbers, a slice with more dimensions than a picture, or if reading fails.
pub fn read_picture(
    session: &Session,
    array: &Arc<tdb_array::Array>,
    read: &ReadOptions,
    options: &PictureOptions,
) -> Result<Picture> {
    if !read.label_ranges.is_empty() {
        let error = Error::invalid("dimension labels are not supported here");
        return Err(error.with_hint("use ranges of dimensions"));
    }
    if read.reads_nothing {
        let error = Error::invalid("the selection is empty: there is nothing to draw");
        return Err(error.with_hint(
            "an empty list of ranges selects no cell; leave it out to draw all of the dimension",
        ));
    }
    let slice = Slice::new(array, read, options)?;
    let budget = &session.limits().budget;
    let bytes = slice.bytes().ok_or_else(too_large)?;
    let held = budget.take(bytes).map_err(CellsError::from)?;
    let mut picture = empty_picture(&slice, array, held, read.looks_at_cells())?;
    let request = ReadOptions::default()
        .attributes(Some(vec![picture.attribute.clone()]))
        .dimensions(Some(Vec::new()))
        .ranges(slice.ranges()?)
        .condition(read.condition.clone())
        .points(read.points.clone())
        .order(Some(ResultOrder::RowMajor))
        .failing(Failing::Fill)
        .enumeration_codes(true);
    let mut rows = 0_usize;
    for batch in Reader::open(session, array, &request)? {
        let batch = batch?;
        let column = batch
            .columns
            .first()
            .ok_or_else(|| Bug::new("a batch without the field that was asked for"))?;
        picture.values.extend_from_slice(&column.values);
        if column.validity.is_some() || picture.validity.is_some() {
            let validity = picture.validity.get_or_insert_with(|| vec![true; rows]);
            validity.extend((0..batch.rows).map(|row| column.is_valid(row)));
        }
        rows = rows.exact_add(batch.rows)?;
    }
    if picture.values.len() != slice.value_bytes().ok_or_else(too_large)? {
        return Err(Bug::new("a slice has other cells than its picture").into());
    }
    Ok(picture)
}

/// Creates the picture of a slice, without its values.
fn empty_picture(
    slice: &Slice,
    array: &tdb_array::Array,
    held: Grant,
    is_filtered: bool,
) -> Result<Picture> {
    let lens: Vec<usize> = slice
        .sides
        .iter()
        .map(|side| side.positions.len())
        .collect();
    let step = |at: Option<usize>| -> Option<usize> {
        let Some(at) = at else { return Some(0) };
        let faster = lens.get(at.checked_add(1)?..)?;
        faster
            .iter()
            .try_fold(slice.values, |all, len| all.checked_mul(*len))
    };
    let channel = if slice.channel.is_some() {
        step(slice.channel)
    } else {
        Some(1)
    };
    let steps = step(slice.rows).zip(step(Some(slice.columns))).zip(channel);
    let ((rows, columns), channel) = steps.ok_or_else(too_large)?;
    let axis = |at: usize| slice.sides.get(at).map(Side::axis);
    let channels = slice
        .channel
        .and_then(|at| slice.sides.get(at))
        .map(|side| side.positions.len());
    let drawn = [slice.rows, Some(slice.columns), slice.channel];
    let others = (0..slice.sides.len()).filter(|at| !drawn.contains(&Some(*at)));
    let attribute = &slice.attribute;
    Ok(Picture {
        attribute: attribute.name.clone(),
        datatype: attribute.datatype,
        rows: slice.rows.and_then(axis),
        columns: axis(slice.columns).ok_or_else(|| Bug::new("a slice without columns"))?,
        fixed: others.filter_map(axis).collect(),
        channels: channels.unwrap_or(slice.values),
        values_of_cell: slice.values,
        fill: attribute.fill.clone(),
        is_fill_told: is_filtered || attribute.datatype.size() > 1,
        values: Vec::new(),
        validity: None,
        written: mask::mask(array, slice)?,
        steps: [rows, columns, channel],
        _held: held,
    })
}
