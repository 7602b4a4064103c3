//! A read of points returns the same cells as a full read at their coordinates, and takes no tile without a point.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

use std::collections::HashSet;
use std::sync::Arc;

use crate::support::{Golden, place};
use tdb_array::{Array, OpenOptions};
use tdb_cells::{Batch, Column, FieldInfo, Session, SessionOptions};
use tdb_condition::{Condition, Points};
use tdb_query::{QueryError, ReadOptions, Reader};
use tdb_tile::{Limits, Range};

/// Maximum number of cells of an array that is read whole.
const MOST: usize = 20_000;

/// One cell: the bytes of each field; `None` if null.
type Cell = Vec<Option<Vec<u8>>>;

/// Cells, and the number of tiles that were read for them.
type Found = (Vec<Cell>, u64);

fn session() -> Session {
    Session::new(SessionOptions::default().threads(std::num::NonZeroUsize::new(1)))
}

/// Returns the cells of a read and the number of tiles it took; `None` if there are too many cells.
fn cells(array: &Arc<Array>, options: &ReadOptions) -> Result<Option<Found>, QueryError> {
    let session = session();
    let mut cells = Vec::new();
    for batch in Reader::open(&session, array, options)? {
        let Batch { rows, columns } = batch?;
        let cell = |row: usize| {
            let fields = columns.iter().map(|column| {
                let value = || column.cell(row).unwrap().to_vec();
                column.is_valid(row).then(value)
            });
            fields.collect()
        };
        cells.extend((0..rows).map(cell));
        if cells.len() > MOST {
            return Ok(None);
        }
    }
    Ok(Some((cells, session.profile().tiles_read)))
}

/// Returns points with the coordinates of these cells along some dimensions. The coordinates are the first fields of
/// each cell.
fn points(array: &Array, dimensions: &[usize], cells: &[&Cell]) -> Points {
    let schema = array.schema();
    let fields = dimensions.iter().map(|at| {
        let kind = tdb_schema::FieldKind::Dimension(*at);
        FieldInfo::of(&schema.field_of(kind).unwrap(), None)
    });
    let fields: Vec<FieldInfo> = fields.collect();
    let columns = fields.iter().zip(dimensions).map(|(info, at)| {
        let (mut values, mut offsets) = (Vec::new(), 0_u64.to_le_bytes().to_vec());
        for cell in cells {
            values.extend(cell[*at].as_ref().unwrap());
            offsets.extend((values.len() as u64).to_le_bytes());
        }
        Column {
            name: info.name.clone(),
            datatype: info.datatype,
            cell_val_num: info.cell_val_num,
            nullable: false,
            values: values.into(),
            offsets: info.cell_val_num.is_var().then(|| offsets.into()),
            validity: None,
            enumeration: None,
        }
    });
    let columns = columns.collect();
    let mut gathered = Points::gather(fields, &Limits::default());
    let rows = cells.len();
    gathered.add(&Batch { rows, columns }).unwrap();
    gathered.finish().unwrap()
}

#[test]
fn points_of_golden_arrays_give_the_cells_that_lie_there() {
    let (mut asked, mut fewer, mut differing) = (0_u32, 0_u32, Vec::new());
    // The bounds of its tiles are stored wrong, so that ranges do not find all cells either.
    let is_told_wrong = |golden: &Golden| golden.name == "v4_order_dates";
    for golden in Golden::all() {
        if is_told_wrong(&golden) {
            continue;
        }
        let store = Arc::new(golden.store());
        let location = place(store, golden.key.as_ref());
        let Ok(array) = Array::open_location(&location, OpenOptions::default()) else {
            continue;
        };
        let array = Arc::new(array);
        let dimensions = array.schema().dimensions.len();
        let mut whole = ReadOptions::default();
        if let (true, Some(domain)) = (array.schema().is_dense(), array.non_empty_domain()) {
            let names = array.schema().dimensions.iter().map(|d| d.name.clone());
            whole.ranges = names.zip(domain).collect();
        }
        // Some arrays are damaged on purpose, some have too many cells.
        let Ok(Some((all, all_tiles))) = cells(&array, &whole) else {
            continue;
        };
        let every: Vec<usize> = (0..dimensions).collect();
        let mut choices: Vec<(Vec<usize>, usize)> = [1, 3, 50]
            .iter()
            .map(|step| (every.clone(), *step))
            .collect();
        // The last dimension alone, and all dimensions in another order.
        choices.push((vec![dimensions - 1], 7));
        choices.push((every.iter().rev().copied().collect(), 11));
        for (own, step) in choices {
            for condition in [None, not_null(&array)] {
                let given: Vec<&Cell> = all.iter().skip(step / 2).step_by(step).collect();
                if given.is_empty() {
                    continue;
                }
                let there: HashSet<Vec<&Option<Vec<u8>>>> = given
                    .iter()
                    .map(|cell| own.iter().map(|at| &cell[*at]).collect())
                    .collect();
                // A dimension without a range is read whole.
                let is_free = |(name, _): &&(String, Range)| {
                    let at = array.schema().dimension_index(name);
                    at.is_none_or(|at| !own.contains(&at))
                };
                let options = ReadOptions::default()
                    .ranges(whole.ranges.iter().filter(is_free).cloned().collect())
                    .points(Some(Arc::new(points(&array, &own, &given))))
                    .condition(condition.clone());
                let (mut found, tiles) = cells(&array, &options).unwrap().unwrap();
                let test = condition.as_ref().map(|_| dimensions);
                let mut expected: Vec<Cell> = all
                    .iter()
                    .filter(|cell| {
                        let place: Vec<_> = own.iter().map(|at| &cell[*at]).collect();
                        there.contains(&place) && test.is_none_or(|at| cell[at].is_some())
                    })
                    .cloned()
                    .collect();
                found.sort();
                expected.sort();
                if found != expected {
                    let (f, e) = (found.len(), expected.len());
                    differing.push(format!("{} {own:?} {step}: {f} and {e}", golden.name));
                }
                asked += 1;
                fewer += u32::from(tiles < all_tiles);
            }
        }
    }
    assert_eq!(differing, [""; 0]);
    // Not every array has tiles that can be skipped.
    println!("{asked} reads, {fewer} of them of fewer tiles");
    assert!(asked > 1000 && fewer > 200, "{asked} {fewer}");
}

/// Returns a condition that the first attribute is not null, if it is nullable.
fn not_null(array: &Array) -> Option<Condition> {
    let first = array.schema().attributes.first()?;
    (first.nullable && !first.name.is_empty()).then(|| Condition::field(&first.name).is_not_null())
}
