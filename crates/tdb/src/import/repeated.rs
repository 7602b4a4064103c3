//! Whether the first rows of a file share coordinates: cheaper to find than by writing all of it.

use std::collections::HashMap;

use tdb_cells::Batch;
use tdb_schema::ArraySchema;

/// Two rows of a batch with the same coordinates, the first such: the earlier, and the later.
pub(super) fn repeated(schema: &ArraySchema, batch: &Batch) -> Option<(usize, usize)> {
    let columns = schema.dimensions.iter().map(|d| batch.column(&d.name));
    let columns = columns.collect::<Option<Vec<_>>>()?;
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
