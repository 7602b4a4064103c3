//! Evaluates conditions on the cells of a dense array.

use tdb_cells::{CellSet, RowRange, TableColumn};
use tdb_condition::Predicate;
use tdb_fragment::TileNumber;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Exact, LimitError};

use super::bands::Bands;
use super::layers::LayerIndex;
use super::paint::{Brush, PlacedCell, paint};
use super::plan::DensePlan;
use super::ruled_out::RuledOutRows;
use super::source::Sources;
use crate::QueryError;
use crate::load::{fill_is_valid, fill_of};
use crate::scatter::{Pass, fill, index, outside};

/// Returns the rows for which the condition holds.
pub(crate) fn evaluate(
    plan: &DensePlan,
    bands: &Bands,
    condition: &Predicate,
    ruled_out: &RuledOutRows,
    columns: &mut [(FieldKind, TableColumn)],
) -> Result<CellSet, QueryError> {
    let mut cuts = vec![0, bands.rows()];
    let mut lacking = Vec::new();
    for field in condition.fields() {
        let missing = missing(plan, bands, field)?;
        cuts.extend(missing.iter().flat_map(|rows| [rows.start(), rows.end()]));
        lacking.push((field, missing));
    }
    let parts = parts(cuts)?;
    for (field, column) in columns.iter_mut() {
        if let Some((_, missing)) = lacking.iter().find(|(other, _)| other == field) {
            let within = |part: &&RowRange| {
                let next = missing.partition_point(|m| m.end() <= part.start());
                let next = missing.get(next);
                next.is_some_and(|m| m.start() <= part.start() && part.end() <= m.end())
            };
            column.missing = parts.iter().filter(within).copied().collect();
        }
    }
    let column = |field| {
        let mut columns = columns.iter();
        let found = columns.find(|(other, _)| *other == field);
        found.map(|(_, column)| column)
    };
    let mut keep = condition.evaluate_parts(parts.iter().copied(), &column)?;
    match ruled_out {
        RuledOutRows::None => {}
        RuledOutRows::Some(rows) => keep.remove(rows)?,
        RuledOutRows::All => keep = CellSet::none(RowRange::first(bands.rows())?),
    }
    Ok(keep)
}

/// Returns the row ranges between the cuts. Each tested field is either present in all rows of a range or missing in
/// all.
fn parts(mut cuts: Vec<usize>) -> Result<Vec<RowRange>, LimitError> {
    cuts.sort_unstable();
    cuts.dedup();
    let mut end = RowRange::default();
    let parts = cuts.iter().skip(1).map(|cut| {
        end = end.next(cut - end.end())?;
        Ok(end)
    });
    parts.collect()
}

/// Brush that marks the cells that come from a fragment without the field.
struct MissingBrush<'a> {
    sources: &'a Sources<'a>,
    out: &'a mut [u8],
}

impl Brush for MissingBrush<'_> {
    fn has(&self, _: LayerIndex) -> bool {
        true
    }

    fn fill(&mut self, pass: &mut Pass) -> Result<(), QueryError> {
        Ok(fill(pass, &[0], self.out)?)
    }

    fn copy(
        &mut self,
        layer: LayerIndex,
        _: TileNumber,
        pass: &mut Pass,
    ) -> Result<(), QueryError> {
        let lacks = !self.sources.has(layer);
        Ok(fill(pass, &[u8::from(lacks)], self.out)?)
    }

    fn place(&mut self, layer: LayerIndex, cells: &[PlacedCell]) -> Result<(), QueryError> {
        let lacks = !self.sources.has(layer);
        for placed in cells {
            let place = self.out.get_mut(index(placed.dest)?);
            *place.ok_or_else(outside)? = u8::from(lacks);
        }
        Ok(())
    }
}

/// Returns the ranges of rows whose newest fragment lacks a field.
fn missing(plan: &DensePlan, bands: &Bands, field: FieldKind) -> Result<Vec<RowRange>, QueryError> {
    let sources = plan.sources(field);
    if matches!(field, FieldKind::Dimension(_)) || sources.all_have() {
        return Ok(Vec::new());
    }
    let mut out = Vec::new();
    let mut end = RowRange::default();
    for (_, block) in bands.blocks() {
        let mut rows = vec![0; index(block.rows())?];
        let mut brush = MissingBrush {
            sources: &sources,
            out: &mut rows,
        };
        paint(&plan.shape, &plan.layers, block, &mut brush)?;
        for same in rows.chunk_by(|a, b| a == b) {
            end = end.next(same.len())?;
            if same.first() == Some(&1) {
                out.push(end);
            }
        }
    }
    Ok(out)
}

/// Replaces the cells that fail the condition by fill values; coordinates stay.
pub(crate) fn blank(
    schema: &ArraySchema,
    columns: Vec<(FieldKind, TableColumn)>,
    keep: &CellSet,
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
    keep: &CellSet,
    fill: &[u8],
    fill_valid: bool,
) -> Result<TableColumn, QueryError> {
    if let Some(validity) = &mut column.validity {
        keep.fill_lacking(validity, &[u8::from(fill_valid)])?;
    }
    if column.offsets.is_some() {
        return blank_values(column, keep, fill);
    }
    keep.fill_lacking(column.values.as_mut_slice(), fill)?;
    Ok(column)
}

/// Writes var-sized values again, since the fill values differ in size from those that they replace.
fn blank_values(
    mut column: TableColumn,
    keep: &CellSet,
    fill: &[u8],
) -> Result<TableColumn, QueryError> {
    let rows = RowRange::first(keep.rows())?;
    let cells = rows.iter().map(|row| {
        if keep.contains(row)? {
            column.cell(row.index())
        } else {
            Ok(fill)
        }
    });
    let mut size = 0_usize;
    for cell in cells.clone() {
        size = size.exact_add(cell?.len())?;
    }
    let mut values = column.values.another(size)?;
    let mut rest = values.as_mut_slice();
    let mut offsets = Vec::with_capacity(rows.len().exact_add(1)?);
    let mut end = 0_u64;
    offsets.push(end);
    for cell in cells {
        let cell: &[u8] = cell?;
        let (place, behind) = rest.split_at_mut(cell.len());
        place.copy_from_slice(cell);
        rest = behind;
        end += cell.len() as u64;
        offsets.push(end);
    }
    column.values = values;
    column.offsets = Some(offsets);
    Ok(column)
}
