//! Conditions on the cells of a dense array.

use std::ops::Range;

use tdb_cells::{CellTable, Segment, TableColumn, buffer, fill_is_valid, fill_of};
use tdb_condition::Predicate;
use tdb_schema::{ArraySchema, FieldKind};

use super::columns::Bands;
use super::paint::{Brush, PlacedCell, paint};
use super::pass::Pass;
use super::plan::DensePlan;
use super::scatter::{fill, index, repeat};
use crate::QueryError;

/// A byte for each row, zero where the condition fails.
pub(crate) fn evaluate(
    plan: &DensePlan,
    bands: &Bands,
    condition: &Predicate,
    columns: &mut Vec<(FieldKind, TableColumn)>,
) -> Result<Vec<u8>, QueryError> {
    let rows = bands.rows();
    let mut cuts = vec![0, rows];
    let mut lacking = Vec::new();
    for field in condition.fields() {
        let missing = missing(plan, bands, field)?;
        cuts.extend(missing.iter().flat_map(|range| [range.start, range.end]));
        lacking.push((field, missing));
    }
    // Parts of which each has all of a field, or nothing.
    cuts.sort_unstable();
    cuts.dedup();
    let parts = cuts.windows(2).map(|pair| match pair {
        [start, end] => Segment {
            fragment: 0,
            rows: *start..*end,
            tiles: Vec::new(),
        },
        _ => Segment {
            fragment: 0,
            rows: 0..0,
            tiles: Vec::new(),
        },
    });
    let mut table = CellTable::new(parts.collect());
    let parts: Vec<Range<usize>> = table
        .segments
        .iter()
        .map(|part| part.rows.clone())
        .collect();
    let fields: Vec<FieldKind> = columns.iter().map(|(field, _)| *field).collect();
    for (field, mut column) in columns.drain(..) {
        if let Some((_, missing)) = lacking.iter().find(|(other, _)| *other == field) {
            let within = |part: &Range<usize>| {
                let next = missing.partition_point(|m| m.end <= part.start);
                let next = missing.get(next);
                next.is_some_and(|m| m.start <= part.start && part.end <= m.end)
            };
            column.missing = parts.iter().filter(|part| within(part)).cloned().collect();
        }
        table.insert(field, column);
    }
    let keep = condition.evaluate(&table)?;
    columns.extend(
        fields
            .into_iter()
            .filter_map(|field| Some((field, table.take(field)?))),
    );
    Ok(keep)
}

/// Notes the cells that come from a fragment without the field.
struct MissingBrush<'a> {
    has: &'a [bool],
    out: &'a mut [u8],
}

impl Brush for MissingBrush<'_> {
    fn has(&self, _: usize) -> bool {
        true
    }

    fn fill(&mut self, pass: &mut Pass) {
        fill(pass, &[0], self.out);
    }

    fn copy(&mut self, fragment: usize, _: usize, pass: &mut Pass) -> Result<(), QueryError> {
        let lacks = !self.has.get(fragment).copied().unwrap_or(false);
        fill(pass, &[u8::from(lacks)], self.out);
        Ok(())
    }

    fn place(&mut self, fragment: usize, cells: &[PlacedCell]) -> Result<(), QueryError> {
        let lacks = !self.has.get(fragment).copied().unwrap_or(false);
        for placed in cells {
            if let Some(place) = self.out.get_mut(index(placed.dest)) {
                *place = u8::from(lacks);
            }
        }
        Ok(())
    }
}

/// The rows whose newest fragment lacks a field.
fn missing(
    plan: &DensePlan,
    bands: &Bands,
    field: FieldKind,
) -> Result<Vec<Range<usize>>, QueryError> {
    let has: Vec<bool> = plan.sources(field).iter().map(Option::is_some).collect();
    if matches!(field, FieldKind::Dimension(_)) || has.iter().all(|&has| has) {
        return Ok(Vec::new());
    }
    let mut out = Vec::new();
    let mut first = 0;
    for (_, block) in bands.blocks() {
        let mut rows = vec![0; index(block.rows())];
        paint(
            &plan.shape,
            &plan.layers,
            block,
            &mut MissingBrush {
                has: &has,
                out: &mut rows,
            },
        )?;
        let mut start = 0;
        for same in rows.chunk_by(|a, b| a == b) {
            if same.first() == Some(&1) {
                out.push(first + start..first + start + same.len());
            }
            start += same.len();
        }
        first += rows.len();
    }
    Ok(out)
}

/// Gives cells that fail the condition the fill values; coordinates stay.
pub(crate) fn blank(
    schema: &ArraySchema,
    columns: Vec<(FieldKind, TableColumn)>,
    keep: &[u8],
) -> Result<Vec<(FieldKind, TableColumn)>, QueryError> {
    let columns = columns.into_iter().map(|(field, column)| match field {
        FieldKind::Dimension(_) => Ok((field, column)),
        _ => Ok((
            field,
            blank_column(
                column,
                keep,
                fill_of(schema, field),
                fill_is_valid(schema, field),
            )?,
        )),
    });
    columns.collect()
}

fn blank_column(
    mut column: TableColumn,
    keep: &[u8],
    fill: &[u8],
    fill_valid: bool,
) -> Result<TableColumn, QueryError> {
    if let Some(validity) = &mut column.validity {
        for (place, _) in validity
            .iter_mut()
            .zip(keep)
            .filter(|(_, keep)| **keep == 0)
        {
            *place = u8::from(fill_valid);
        }
    }
    if column.offsets.is_some() {
        return blank_values(column, keep, fill);
    }
    let cells = column
        .values
        .as_mut_slice()
        .chunks_exact_mut(fill.len().max(1));
    for (cell, _) in cells.zip(keep).filter(|(_, keep)| **keep == 0) {
        repeat(fill, cell);
    }
    Ok(column)
}

/// Var-sized values are written anew, since the fill value has another size.
fn blank_values(
    mut column: TableColumn,
    keep: &[u8],
    fill: &[u8],
) -> Result<TableColumn, QueryError> {
    let cell = |row: usize, keep: u8| if keep == 0 { fill } else { column.cell(row) };
    let size = keep
        .iter()
        .enumerate()
        .map(|(row, &keep)| cell(row, keep).len())
        .fold(0, usize::saturating_add);
    let mut values = buffer(size)?;
    let mut rest = values.as_mut_slice();
    let mut offsets = Vec::with_capacity(keep.len().saturating_add(1));
    let mut end = 0_u64;
    offsets.push(end);
    for (row, &keep) in keep.iter().enumerate() {
        let cell = cell(row, keep);
        let (place, behind) = rest.split_at_mut(cell.len().min(rest.len()));
        place.copy_from_slice(cell);
        rest = behind;
        end += cell.len() as u64;
        offsets.push(end);
    }
    column.values = values;
    column.offsets = Some(offsets);
    Ok(column)
}
