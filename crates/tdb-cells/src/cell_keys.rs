//! The sort keys of cells.

use tdb_schema::ArraySchema;
use tdb_schema::order::{CellComparator, Column, Key, KeyEncoder, KeyError, KeyWidth, SortOrder};
use tdb_tile::Bug;

use crate::keys::{Keys, Numbers};
use crate::row::Row;
use crate::threads::{self, CELLS_PER_TASK};

/// Computes the sort keys of `rows` cells from columns of coordinates, on all threads.
///
/// # Errors
/// The columns do not match the dimensions.
pub fn cell_keys<'a>(
    schema: &ArraySchema,
    columns: Vec<Column<'a>>,
    rows: usize,
    order: SortOrder,
) -> Result<Keys<'a>, Bug> {
    let encoder = KeyEncoder::new(schema, order);
    let numbers = match encoder.width() {
        KeyWidth::U64 => numbers(schema, &encoder, &columns, rows).map(Numbers::Narrow),
        KeyWidth::U128 => numbers(schema, &encoder, &columns, rows).map(Numbers::Wide),
    };
    let numbers = match numbers {
        Ok(numbers) => Some(numbers),
        // Cells outside the domain, which writers may be told to allow, have no number and are compared directly.
        Err(KeyError::OutsideDomain { .. }) => None,
        Err(_) => return Err(Bug::new("coordinates that are none of the dimensions")),
    };
    Ok(match numbers {
        Some(numbers) if encoder.is_exact() => Keys::exact(numbers),
        numbers => {
            let comparator = CellComparator::new(schema, order);
            let compare = move |a: Row, b: Row| {
                comparator.compare_rows(&columns, a.index(), &columns, b.index())
            };
            Keys::compared(numbers, Box::new(compare))
        }
    })
}

#[expect(
    clippy::arithmetic_side_effects,
    reason = "the keys are parts of one list"
)]
fn numbers<K: Key + From<u8>>(
    schema: &ArraySchema,
    encoder: &KeyEncoder,
    columns: &[Column<'_>],
    rows: usize,
) -> Result<Vec<K>, KeyError> {
    let mut keys = vec![K::from(0); rows];
    let starts = (0..rows).step_by(CELLS_PER_TASK);
    let parts = starts.zip(keys.chunks_mut(CELLS_PER_TASK)).collect();
    threads::for_each(parts, |(start, keys): (usize, &mut [K])| {
        let rows = start..start + keys.len();
        let columns = columns.iter().zip(&schema.dimensions).enumerate().map(
            |(dimension, (column, described))| {
                let part = column.part(rows.clone(), described.datatype.size());
                part.ok_or(KeyError::Columns { dimension })
            },
        );
        encoder.encode_rows(&columns.collect::<Result<Vec<_>, _>>()?, keys)
    })?;
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use tdb_schema::{ArrayType, Attribute, Dimension};
    use tdb_tile::Datatype;
    use zerocopy::little_endian::U64;

    use super::*;
    use crate::{RowRange, Session, SessionOptions};

    #[test]
    fn keys_that_threads_make_in_parts_sort_as_texts_do() {
        let many = 2 * CELLS_PER_TASK + 1;
        let text = |row: usize| format!("{:x}", row.wrapping_mul(0x9e37_79b9) % 1_000_003);
        let (mut data, mut offsets) = (Vec::new(), Vec::new());
        for row in 0..many {
            offsets.push(U64::new(data.len() as u64));
            data.extend_from_slice(text(row).as_bytes());
        }
        let dimensions = vec![Dimension::strings("k")];
        let attribute = Attribute::new("a", Datatype::Int32);
        let schema = ArraySchema::new(ArrayType::Sparse, dimensions, vec![attribute]);
        let session = Session::new(SessionOptions {
            threads: NonZeroUsize::new(2),
            ..SessionOptions::default()
        });
        let column = Column::Var {
            offsets: &offsets,
            data: &data,
        };
        let sorted = session.install(|| {
            let keys = cell_keys(&schema, vec![column], many, SortOrder::Global)?;
            keys.sorted(RowRange::first(many).unwrap())
        });
        let mut model: Vec<usize> = (0..many).collect();
        model.sort_by_key(|row| text(*row));
        let found = sorted.unwrap();
        assert!(found.rows().iter().map(|row| row.index()).eq(model));
        let cut = cell_keys(&schema, vec![column], many + 1, SortOrder::Global);
        assert!(cut.is_err());
    }
}
