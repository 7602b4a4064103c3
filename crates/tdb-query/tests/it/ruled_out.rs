//! Tiles that a condition rules out by their statistics are not read, and the result is the same as with all tiles.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::cmp::Ordering;
use std::sync::Arc;

use crate::support::{Golden, place};
use tdb_array::{Array, OpenOptions};
use tdb_cells::{Batch, Session, SessionOptions};
use tdb_condition::{Condition, Literal};
use tdb_query::{Failing, QueryError, ReadOptions, Reader, ResultOrder};
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::value::{Value, read};
use tdb_schema::{CellValNum, Field};
use tdb_tile::Datatype;

/// One in EACH conditions is tried; which one differs from field to field.
const EACH: usize = 20;

/// Maximum number of cells of an array that is tested.
const MOST: u64 = 20_000;

fn session() -> Session {
    Session::new(
        SessionOptions::default()
            .threads(std::num::NonZeroUsize::new(2))
            .share_from(Some(0)),
    )
}

/// Returns all batches of a read, and the number of tiles it took. Checks that the bytes are at most those predicted.
fn cells(array: &Arc<Array>, options: &ReadOptions) -> Result<(Vec<Batch>, u64), QueryError> {
    let session = session();
    let batches = Reader::open(&session, array, options)?;
    let told = told_bytes(&batches).saturating_add(session.profile().bytes_read);
    let batches = batches.filter(|batch| batch.as_ref().map_or(true, |batch| batch.rows > 0));
    let batches = batches.collect::<Result<Vec<Batch>, QueryError>>()?;
    let profile = session.profile();
    assert!(
        profile.bytes_read <= told,
        "{} and {told} bytes",
        profile.bytes_read
    );
    Ok((batches, profile.tiles_read))
}

/// Returns the predicted bytes of the tiles that a read takes.
fn told_bytes(reader: &Reader) -> u64 {
    let chosen = reader.chosen_tiles().unwrap();
    let bytes = chosen.iter().flat_map(|chosen| &chosen.bytes);
    bytes.map(|(_, bytes)| bytes).sum()
}

/// Returns the bytes of all cells of all columns.
fn content(batches: &[Batch]) -> Vec<(String, Vec<Option<Vec<u8>>>)> {
    let Some(first) = batches.first() else {
        return Vec::new();
    };
    let columns = first.columns.iter().enumerate().map(|(index, column)| {
        let parts = batches
            .iter()
            .filter_map(|batch| Some((batch.rows, batch.columns.get(index)?)));
        let cells = parts.flat_map(|(rows, part)| {
            let rows = 0..rows;
            rows.map(|row| part.is_valid(row).then(|| part.cell(row).unwrap().to_vec()))
        });
        (column.name.clone(), cells.collect())
    });
    columns.collect()
}

/// True if a dense array has too many cells to read.
fn is_vast(grid: &SpaceTileGrid) -> bool {
    let axes = grid.axes().iter().map(|axis| axis.last_cell());
    let cells = axes.fold(1_u64, |cells, last| {
        cells.saturating_mul(last.saturating_add(1))
    });
    cells > MOST
}

/// Returns some values of a field as literals of a condition.
fn literals(field: &Field<'_>, content: &[(String, Vec<Option<Vec<u8>>>)]) -> Vec<Literal> {
    let Some((_, cells)) = content.iter().find(|(name, _)| name == field.name) else {
        return Vec::new();
    };
    let mut valid: Vec<&[u8]> = cells.iter().flatten().map(Vec::as_slice).collect();
    // Values that do not compare with themselves (NaN) cannot be sorted.
    valid.retain(|cell| field.datatype.compare(cell, cell).is_some());
    valid.sort_by(|a, b| {
        let order = field.datatype.compare(a, b);
        order.unwrap_or(std::cmp::Ordering::Equal)
    });
    let chosen = [0, 1, 2, 3, 4].map(|part| valid.get(valid.len().saturating_sub(1) * part / 4));
    let literal = |bytes: &&[u8]| {
        if field.is_var() || field.datatype.is_string() {
            return Some(Literal::Bytes(bytes.to_vec()));
        }
        match read(field.datatype, bytes)?.as_ticks() {
            Value::Signed(value) => Some(Literal::Integer(value.into())),
            Value::Unsigned(value) => Some(Literal::Integer(value.into())),
            Value::Float32(value) => Some(Literal::Float(value.into())),
            Value::Float64(value) => Some(Literal::Float(value)),
            Value::Bool(value) => Some(Literal::Bool(value)),
            _ => None,
        }
    };
    chosen.into_iter().flatten().filter_map(literal).collect()
}

fn conditions(field: &Field<'_>, values: &[Literal]) -> Vec<Condition> {
    let name = || Condition::field(field.name);
    let mut all = vec![name().is_null(), name().is_not_null()];
    for value in values {
        let value = || value.clone();
        all.extend([
            name().lt(value()),
            name().le(value()),
            name().gt(value()),
            name().ge(value()),
            name().eq(value()),
            name().ne(value()),
            name().is_in([value()]),
            name().not_in([value()]),
        ]);
    }
    if let [first, .., last] = values {
        all.push(name().lt(first.clone()).or(name().gt(last.clone())));
        all.push(name().gt(first.clone()).and(name().lt(last.clone())));
    }
    all
}

#[test]
fn what_is_ruled_out_in_golden_arrays_holds_no_cell_that_fits() {
    let (mut asked, mut fewer, mut differing) = (0_u32, 0_u32, Vec::new());
    let mut offset = 0;
    for golden in Golden::all() {
        let store = Arc::new(golden.store());
        let location = place(store, golden.key.as_ref());
        let Ok(array) = Array::open_location(&location, OpenOptions::default()) else {
            continue;
        };
        let array = Arc::new(array);
        // The domains of some arrays have too many cells to read.
        let grid = SpaceTileGrid::new(array.schema());
        let is_vast = grid.is_some_and(|grid| is_vast(&grid));
        let mut fragments = array.fragments().iter();
        if is_vast || !fragments.any(|f| f.metadata.version.stores_tile_statistics()) {
            continue;
        }
        let options = ReadOptions::default()
            .order(Some(ResultOrder::RowMajor))
            .enumeration_codes(true)
            .limit(Some(MOST));
        let Ok((all, _)) = cells(&array, &options) else {
            continue;
        };
        let all = content(&all);
        let schema = array.schema();
        for field in schema
            .attributes
            .iter()
            .filter_map(|a| schema.field(&a.name))
        {
            let enumerated = schema
                .attributes
                .iter()
                .any(|a| a.name == field.name && a.enumeration.is_some());
            if enumerated || field.cell_val_num != CellValNum::Fixed(1) && !field.is_var() {
                continue;
            }
            let conditions = conditions(&field, &literals(&field, &all)).into_iter();
            offset = (offset + 3) % EACH;
            for condition in conditions.skip(offset).step_by(EACH) {
                for failing in [Failing::Drop, Failing::Fill] {
                    let asking =
                        |condition| options.clone().condition(Some(condition)).failing(failing);
                    // No coordinate is null, and no null count is stored for dimensions.
                    let nothing = schema.dimensions.first().unwrap();
                    let nothing = Condition::field(&nothing.name).is_null();
                    let Ok((found, tiles)) = cells(&array, &asking(condition.clone())) else {
                        continue;
                    };
                    let Ok((wanted, all_tiles)) =
                        cells(&array, &asking(condition.clone().or(nothing)))
                    else {
                        continue;
                    };
                    asked += 1;
                    fewer += u32::from(tiles < all_tiles);
                    if content(&found) != content(&wanted) {
                        differing.push(format!("{}: {condition}", golden.name));
                    }
                }
            }
        }
    }
    println!("{asked} reads, {fewer} of them of fewer tiles");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(asked > 5_000 && fewer > 500, "{asked} {fewer}");
}

/// Returns the rows of all cells whose coordinate compares with a value in one of these ways.
fn rows_where(
    (datatype, cells): (Datatype, &[Option<Vec<u8>>]),
    value: &[u8],
    ways: &[Ordering],
) -> Vec<usize> {
    let fits = |cell: &Option<Vec<u8>>| {
        let order = datatype.compare(cell.as_ref().unwrap(), value);
        order.is_some_and(|order| ways.contains(&order))
    };
    let rows = cells.iter().enumerate();
    rows.filter(|(_, cell)| fits(cell))
        .map(|(row, _)| row)
        .collect()
}

#[test]
fn conditions_on_dimensions_rule_out_by_place_and_lose_no_cell() {
    let (mut asked, mut fewer, mut differing) = (0_u32, 0_u32, Vec::new());
    for golden in Golden::all() {
        let location = place(Arc::new(golden.store()), golden.key.as_ref());
        let Ok(array) = Array::open_location(&location, OpenOptions::default()) else {
            continue;
        };
        let array = Arc::new(array);
        let grid = SpaceTileGrid::new(array.schema());
        if grid.is_some_and(|grid| array.schema().is_dense() && is_vast(&grid)) {
            continue;
        }
        let schema = Arc::clone(array.schema());
        let options = ReadOptions::default()
            .order(Some(ResultOrder::RowMajor))
            .enumeration_codes(true);
        let Ok((all, all_tiles)) = cells(&array, &options) else {
            continue;
        };
        let all = content(&all);
        for dimension in &schema.dimensions {
            let Some((_, own)) = all.iter().find(|(name, _)| *name == dimension.name) else {
                continue;
            };
            let field = schema.field(&dimension.name).unwrap();
            let mut values: Vec<&Vec<u8>> = own.iter().flatten().collect();
            values.sort_by(|a, b| field.datatype.compare(a, b).unwrap());
            let last = values.len().saturating_sub(1);
            let parts = [0, 1, 2, 3, 4];
            for value in parts.iter().filter_map(|part| values.get(last * part / 4)) {
                let name = || Condition::field(&dimension.name);
                let Some(literal) = literal_of(&field, value) else {
                    continue;
                };
                let tests = [
                    (name().lt(literal.clone()), vec![Ordering::Less]),
                    (
                        name().ge(literal.clone()),
                        vec![Ordering::Greater, Ordering::Equal],
                    ),
                    (name().eq(literal.clone()), vec![Ordering::Equal]),
                ];
                for (condition, ways) in tests {
                    let rows = rows_where((dimension.datatype, own), value, &ways);
                    let expected: Vec<(String, Vec<Option<Vec<u8>>>)> = all
                        .iter()
                        .map(|(name, cells)| {
                            let cells = rows.iter().map(|row| cells[*row].clone());
                            (name.clone(), cells.collect())
                        })
                        .collect();
                    let asking = options.clone().condition(Some(condition.clone()));
                    let Ok((found, tiles)) = cells(&array, &asking) else {
                        continue;
                    };
                    asked += 1;
                    fewer += u32::from(tiles < all_tiles);
                    let found = content(&found);
                    let is_nothing = rows.is_empty() && found.is_empty();
                    if found != expected && !is_nothing {
                        differing.push(format!("{}: {condition}", golden.name));
                    }
                }
            }
        }
    }
    println!("{asked} reads, {fewer} of them of fewer tiles");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(asked > 2_000 && fewer > 500, "{asked} {fewer}");
}

/// Returns the value of a cell as a literal of a condition.
fn literal_of(field: &Field<'_>, cell: &[u8]) -> Option<Literal> {
    if field.datatype.is_datetime() {
        let text = read(field.datatype, cell)?.to_string();
        return Some(Literal::Bytes(text.into_bytes()));
    }
    let cells = vec![Some(cell.to_vec())];
    literals(field, &[(field.name.to_owned(), cells)]).pop()
}

#[test]
fn what_is_told_of_a_read_of_all_is_what_it_takes() {
    let mut compared = 0;
    for golden in Golden::all() {
        let location = place(Arc::new(golden.store()), golden.key.as_ref());
        let Ok(array) = Array::open_location(&location, OpenOptions::default()) else {
            continue;
        };
        let grid = SpaceTileGrid::new(array.schema());
        if grid.is_some_and(|grid| is_vast(&grid)) {
            continue;
        }
        let session = session();
        let mut reader = Reader::open(&session, &Arc::new(array), &ReadOptions::default()).unwrap();
        let told = told_bytes(&reader);
        // Sparse fragments in dense arrays are read during planning.
        let before = session.profile().bytes_read;
        if reader.try_for_each(|batch| batch.map(drop)).is_ok() {
            let read = session.profile().bytes_read - before;
            assert_eq!(read, told, "{}", golden.name);
            compared += u32::from(told > 0);
        }
    }
    assert!(compared > 100, "{compared}");
}
