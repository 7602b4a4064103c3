//! Decodes tiles of many fields and fragments directly into the columns of a table.

mod fill;
mod jobs;
#[cfg(test)]
mod tests;

use tdb_cells::{
    CellTable, CellsError, Decoding, Session, TableColumn, TileBytes, threads, unit_size,
};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, Grant, length};

use self::jobs::{Jobs, run};
use crate::cell_sizes::bytes_of_tiles;

pub(crate) use self::fill::{fill_is_valid, fill_of};
pub(crate) use self::jobs::FindTiles;

/// Context for loading tiles.
#[derive(Clone, Copy)]
pub(crate) struct Loading<'a> {
    /// The session whose threads and memory are used.
    pub(crate) session: &'a Session,
    /// The schema that defines the fields.
    pub(crate) schema: &'a ArraySchema,
    /// Source of the stored bytes.
    pub(crate) bytes: &'a dyn TileBytes,
}

/// Adds a column for each of these fields to `table`, which must not have them yet.
///
/// # Errors
/// [`CellsError::Tile`] if a tile cannot be read; [`CellsError::Limit`] if the memory budget is exceeded.
pub(crate) fn load<'t>(
    how: Loading<'_>,
    table: &mut CellTable,
    fields: &[FieldKind],
    find: FindTiles<'_, 't>,
) -> Result<(), CellsError> {
    let mut columns = Vec::with_capacity(fields.len());
    for &field in fields {
        let (column, held) = reserve(how, table, field, find)?;
        columns.push((field, column));
        table.hold(held);
    }
    let mut jobs = Jobs::default();
    for (field, column) in &mut columns {
        jobs.add_column(how.schema, table, *field, column, find)?;
    }
    let jobs = jobs.all();
    let decoding = Decoding {
        limits: how.session.limits(),
        bytes: how.bytes,
        counters: how.session.counters(),
    };
    threads::for_each(jobs, |job| run(job, &mut how.session.worker(), decoding))?;
    for (field, column) in columns {
        table.insert(field, column);
    }
    Ok(())
}

/// Allocates a column, whose size follows from the fragments' metadata, after taking its memory from the budget.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "stored sizes are numbers of 64 bits in 128, and there are fewer than 2^32 rows"
)]
fn reserve<'t>(
    how: Loading<'_>,
    table: &CellTable,
    kind: FieldKind,
    find: FindTiles<'_, 't>,
) -> Result<(TableColumn, Grant), CellsError> {
    let schema = how.schema;
    let Some(field) = schema.field_of(kind) else {
        return Err(Bug::new("a field that is to be loaded is not in the schema").into());
    };
    let cell_size = unit_size(&field);
    let mut missing = Vec::new();
    let mut var_bytes = 0_u128;
    for segment in &table.segments {
        let fragment = find(segment.fragment)
            .ok_or_else(|| Bug::new("tiles of a fragment that is not known"))?;
        match fragment.field(kind) {
            Some(tiles) => {
                let wanted = segment.tiles.iter().filter(|tile| tile.wanted);
                let sizes = wanted.map(|tile| u128::from(tiles.var_size(tile.tile)));
                var_bytes += sizes.sum::<u128>();
            }
            None if matches!(kind, FieldKind::Dimension(_)) => {}
            None => {
                missing.push(segment.rows);
                let fill = fill_of(schema, kind).len();
                var_bytes += fill as u128 * segment.rows.len() as u128;
            }
        }
    }
    let rows = table.rows().len();
    let bytes = if field.is_var() {
        bytes_of_tiles(var_bytes)?
    } else {
        bytes_of_tiles(rows as u128 * cell_size as u128)?
    };
    let offset = if field.is_var() { size_of::<u64>() } else { 0 };
    let beside = rows * (offset + usize::from(field.nullable));
    let all = bytes + beside as u64;
    let held = how.session.limits().budget.take(all)?;
    let column = TableColumn {
        // Tiles that are not wanted are not written. Fresh memory costs nothing there, because it is never touched.
        values: how.session.buffer(length(bytes)?)?,
        cell_size,
        offsets: field.is_var().then(|| vec![0; rows + 1]),
        validity: field.nullable.then(|| vec![0; rows]),
        missing,
    };
    Ok((column, held))
}
