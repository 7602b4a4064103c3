//! Dates and times that Arrow counts in other units than TileDB.

use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_schema::{DataType, TimeUnit};
use tdb_cells::files::ConversionError;
use tdb_schema::value::{Moment, NOT_A_TIME};
use tdb_tile::{Datatype, Scalar};

use crate::cells::ColumnCells;

/// Converts ticks into 32-bit days, the first day of each tick. Also returns which values are not NaT; `None` if no
/// value is NaT.
///
/// `cell` maps the index of a value to the index of its cell, for errors.
pub(crate) fn days(
    cells: &ColumnCells<'_>,
    datatype: Datatype,
    count: usize,
    cell: impl Fn(usize) -> usize,
) -> Result<(Buffer, Option<BooleanBuffer>), ConversionError> {
    let mut has_nat = false;
    let days = ticks(cells, count)
        .enumerate()
        .map(|(index, ticks)| {
            has_nat |= ticks == NOT_A_TIME;
            let cell = cell(index);
            if ticks == NOT_A_TIME || !cells.column.is_valid(cell) {
                return Ok(0);
            }
            first_day(datatype, ticks).ok_or_else(|| beyond(cells, cell, ticks, &DataType::Date32))
        })
        .collect::<Result<Vec<i32>, _>>()?;
    let dated = has_nat.then(|| ticks(cells, count).map(|ticks| ticks != NOT_A_TIME));
    Ok((Buffer::from(days), dated.map(Iterator::collect)))
}

/// Converts ticks into timestamps, `times` units per tick; NaT keeps its bits. `cell` maps the index of a value to
/// that of its cell, for errors.
pub(crate) fn stamps(
    cells: &ColumnCells<'_>,
    unit: TimeUnit,
    times: i64,
    count: usize,
    cell: impl Fn(usize) -> usize,
) -> Result<Buffer, ConversionError> {
    let stamps = ticks(cells, count).enumerate().map(|(index, ticks)| {
        if ticks == NOT_A_TIME {
            return Ok(NOT_A_TIME);
        }
        let stamp = ticks.checked_mul(times);
        let cell = cell(index);
        match stamp.filter(|stamp| *stamp != NOT_A_TIME) {
            Some(stamp) => Ok(stamp),
            // Null cells may contain anything.
            None if !cells.column.is_valid(cell) => Ok(0),
            None => Err(beyond(cells, cell, ticks, &DataType::Timestamp(unit, None))),
        }
    });
    Ok(Buffer::from(stamps.collect::<Result<Vec<i64>, _>>()?))
}

/// The validity bits, with NaT as null.
pub(crate) fn dated(cells: &ColumnCells<'_>) -> Option<Buffer> {
    if !ticks(cells, cells.count).any(|ticks| ticks == NOT_A_TIME) {
        return cells.validity();
    }
    let dated: BooleanBuffer = ticks(cells, cells.count)
        .map(|ticks| ticks != NOT_A_TIME)
        .collect();
    let valid = |index| dated.value(index) && cells.column.is_valid(index);
    Some(BooleanBuffer::collect_bool(cells.count, valid).into_inner())
}

fn ticks<'a>(cells: &ColumnCells<'a>, count: usize) -> impl Iterator<Item = i64> + use<'a> {
    let values = cells.column.values.chunks_exact(i64::SIZE);
    values.filter_map(i64::read).take(count)
}

/// The first day of a tick, counted from 1970-01-01; `None` if it does not fit into 32 bits.
fn first_day(datatype: Datatype, ticks: i64) -> Option<i32> {
    if datatype == Datatype::DateTimeDay {
        return i32::try_from(ticks).ok();
    }
    let (day, _) = Moment::of_ticks(datatype, ticks)?.ticks(Datatype::DateTimeDay)?;
    i32::try_from(day).ok()
}

fn beyond(cells: &ColumnCells<'_>, cell: usize, ticks: i64, arrow: &DataType) -> ConversionError {
    ConversionError::DateRange {
        field: cells.column.name.clone(),
        cell: cells.number(cell),
        datatype: cells.column.datatype,
        ticks,
        type_name: arrow.to_string(),
    }
}
