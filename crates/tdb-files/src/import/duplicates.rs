//! Checking the first rows of a file for equal coordinates, which is cheaper than finding them after writing
//! everything.

use std::collections::HashMap;

use tdb_cells::Batch;
use tdb_schema::ArraySchema;

/// Returns the first row whose coordinates an earlier row has too, as the pair of the earlier and the later row;
/// `None` if all are distinct.
pub(super) fn repeated(schema: &ArraySchema, batch: &Batch) -> Option<(usize, usize)> {
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
            return Some((before, row));
        }
    }
    None
}
