//! Checking the first rows of a file for equal coordinates. Here their rows are known, whatever becomes of the cells
//! while they are sorted.

use std::collections::HashMap;

use tdb_cells::Batch;
use tdb_schema::ArraySchema;
use tdb_write::RepeatedCell;

/// Returns the first row whose coordinates an earlier row has too; `None` if all are distinct.
pub(crate) fn repeated(schema: &ArraySchema, batch: &Batch) -> Option<RepeatedCell> {
    let columns = schema
        .dimensions
        .iter()
        .map(|d| batch.column(&d.name))
        .collect::<Option<Vec<_>>>()?;
    let mut rows: HashMap<Vec<&[u8]>, usize> = HashMap::with_capacity(batch.rows);
    for row in 0..batch.rows {
        let cells = columns.iter().map(|column| column.cell(row));
        let before = rows.insert(cells.collect::<Option<_>>()?, row);
        if let Some(before) = before {
            return Some(RepeatedCell {
                cell: row as u64,
                other: before as u64,
            });
        }
    }
    None
}
