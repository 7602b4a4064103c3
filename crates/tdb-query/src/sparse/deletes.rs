//! Applies deletes to sorted cells: drops deleted cells, or records when each was deleted.

use tdb_array::Snapshot;
use tdb_cells::{CellTable, Keys, Row, Session, TableColumn};
use tdb_schema::FieldKind;
use tdb_tile::Exact;

use super::plan::SparsePlan;
use super::row_keys::Coordinates;
use super::rows::{Rows, all_rows};
use crate::QueryError;
use crate::options::Versions;

/// Bytes per row for the time of its deletion and the index of the delete.
const DELETION: usize = 16;

/// Drops deleted cells, or records when each was deleted. The fields that deletes test must be loaded.
pub(crate) fn apply_deletes(
    session: &Session,
    array: &Snapshot,
    plan: &SparsePlan,
    table: &mut CellTable,
    rows: &mut Rows,
) -> Result<(), QueryError> {
    let visibility = &plan.visibility;
    match plan.request.versions {
        Versions::Current => visibility.retain(array, table, rows),
        Versions::All if !plan.tells_deletions() => Ok(()),
        Versions::All => {
            let bytes = table.rows().len().exact_mul(DELETION)?;
            let held = session.limits().budget.take(bytes as u64)?;
            let [times, by] = visibility.deletions(array, table)?;
            table.insert(
                FieldKind::DeleteTimestamps,
                TableColumn::of_numbers(&times)?,
            );
            table.insert(
                FieldKind::DeleteConditionIndex,
                TableColumn::of_numbers(&by)?,
            );
            table.hold(held);
            Ok(())
        }
        Versions::Undeleted => {
            let before = rows.clone().unwrap_or_else(|| all_rows(table));
            visibility.retain(array, table, rows)?;
            if let Some(rows) = rows
                && !plan.schema.allows_duplicates
            {
                let coordinates = Coordinates::new(table, plan.schema.dimensions.len())?;
                drop_hidden(&plan.keys(table, &coordinates)?, &before, rows);
            }
            Ok(())
        }
    }
}

/// Removes from `kept` the rows that are equal to an earlier sorted row which `kept` lacks. `kept` must be a subset
/// of `rows` in the same order.
fn drop_hidden(keys: &Keys<'_>, rows: &[Row], kept: &mut Vec<Row>) {
    let mut left = std::mem::take(kept).into_iter().peekable();
    let (mut last, mut hides) = (None, false);
    for row in rows {
        let same = last.is_some_and(|last| keys.compare(last, *row).is_eq());
        hides &= same;
        last = Some(*row);
        match left.next_if_eq(row) {
            Some(row) if !hides => kept.push(row),
            Some(_) => {}
            None => hides = true,
        }
    }
}
