//! Parts of a read that share its plan have the cells that reads of these parts have.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;

use crate::support::Golden;
use tdb_array::{Array, Location, OpenOptions};
use tdb_cells::{Session, SessionOptions};
use tdb_condition::Condition;
use tdb_query::{Advance, ReadOptions, Reader, ResultOrder, SharedPlan};
use tdb_schema::grid::SpaceTileGrid;
use tdb_tile::{Limits, Range};

/// Maximum number of cells of an array that is compared.
const MOST_CELLS: u128 = 5_000;

/// Maximum number of rows of a part that are compared.
const MOST_ROWS: usize = 2_000;

/// A cell of each column; `None` for null.
type Row = Vec<Option<Vec<u8>>>;

/// Returns the first rows of a result, in its order.
fn rows(mut reader: Reader) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    loop {
        match reader.advance().map_err(|error| error.to_string())? {
            Advance::Batch(batch) => {
                for row in 0..batch.rows.min(MOST_ROWS) {
                    let cells = batch.columns.iter().map(|column| {
                        let cell = column.cell(row).filter(|_| column.is_valid(row));
                        cell.map(<[u8]>::to_vec)
                    });
                    rows.push(cells.collect());
                }
            }
            Advance::Wait(fetch) => {
                let answers = fetch.reads().read(&**reader.array().store());
                reader.accept(fetch, answers).unwrap();
            }
            Advance::Done => return Ok(rows),
        }
        if rows.len() >= MOST_ROWS {
            rows.truncate(MOST_ROWS);
            return Ok(rows);
        }
    }
}

fn planned(
    session: &Session,
    array: &Arc<Array>,
    options: &ReadOptions,
) -> Result<SharedPlan, String> {
    let mut plan = SharedPlan::begin(session, array, options).map_err(|error| error.to_string())?;
    while let Some(fetch) = plan.advance().map_err(|error| error.to_string())? {
        let answers = fetch.reads().read(&**array.store());
        plan.accept(fetch, answers).unwrap();
    }
    Ok(plan)
}

/// Returns the coordinates along a dimension at which fragments begin and end, ascending, each once.
fn ends(array: &Array, dimension: usize) -> Vec<Vec<u8>> {
    let schema = array.schema();
    let datatype = schema.dimensions.get(dimension).unwrap().datatype;
    let mut ends = Vec::new();
    for fragment in array.fragments() {
        let bounds = fragment.metadata.non_empty_domain.get(dimension).unwrap();
        ends.extend([bounds.lo.to_vec(), bounds.hi.to_vec()]);
    }
    ends.sort_by(|a, b| datatype.total_order(a, b));
    ends.dedup();
    ends
}

/// Returns some parts along a dimension: from the first to a middle coordinate, from there to the last, and that one.
fn parts(array: &Array, dimension: usize) -> Vec<Vec<(String, Range)>> {
    let ends = ends(array, dimension);
    let (Some(first), Some(last)) = (ends.first(), ends.last()) else {
        return Vec::new();
    };
    let middle = ends.get(ends.len() / 2).unwrap();
    let name = &array.schema().dimensions.get(dimension).unwrap().name;
    let part =
        |lo: &Vec<u8>, hi: &Vec<u8>| vec![(name.clone(), Range::new(lo.clone(), hi.clone()))];
    vec![
        part(first, middle),
        part(middle, last),
        part(middle, middle),
    ]
}

/// Returns the golden arrays with few cells, written or not, and their names.
fn small_arrays() -> impl Iterator<Item = (String, Arc<Array>)> {
    let goldens = Golden::all().into_iter().filter(|golden| !golden.is_group);
    goldens.filter_map(|golden| {
        let place = Location::new(Arc::new(golden.store()), "").with_key(golden.key.clone());
        let array = Array::open_location(&place, OpenOptions::default()).ok()?;
        let stored = array.fragments().iter().map(|f| f.metadata.cell_count());
        let grid = SpaceTileGrid::new(array.schema()).filter(|_| array.schema().is_dense());
        let axes = grid.as_ref().map_or(&[][..], SpaceTileGrid::axes).iter();
        let domain = axes.map(|axis| u128::from(axis.last_cell()) + 1);
        let cells = domain
            .product::<u128>()
            .max(u128::from(stored.sum::<u64>()));
        (cells < MOST_CELLS).then(|| (golden.name, Arc::new(array)))
    })
}

/// Returns the reads that are compared: in each order, with and without a condition.
fn asked(array: &Array) -> Vec<ReadOptions> {
    let schema = array.schema();
    let orders = [ResultOrder::Unordered, ResultOrder::RowMajor];
    let whole = orders.map(|order| ReadOptions::default().order(Some(order)));
    let number = schema.attributes.iter().find(|attribute| {
        let is_simple = attribute.name.chars().all(char::is_alphanumeric);
        is_simple && attribute.datatype.is_integer() && attribute.enumeration.is_none()
    });
    let condition = number.and_then(|attribute| {
        Condition::parse(&format!("{} > 3", attribute.name), &Limits::default()).ok()
    });
    let mut all = whole.to_vec();
    if condition.is_some() {
        all.extend(whole.map(|options| options.condition(condition.clone())));
    }
    all
}

#[test]
fn parts_of_a_plan_have_the_cells_of_reads_of_these_parts() {
    let session = Session::new(SessionOptions::default().threads(Some(1.try_into().unwrap())));
    let (mut compared, mut cells) = (0, 0);
    for (name, array) in small_arrays() {
        for options in asked(&array) {
            let options = options.batch_bytes(Some(100_000));
            let Ok(plan) = planned(&session, &array, &options) else {
                assert!(Reader::open(&session, &array, &options).is_err(), "{name}");
                continue;
            };
            for dimension in 0..array.schema().dimensions.len() {
                for part in parts(&array, dimension) {
                    let alone = options.clone().ranges(part.clone());
                    let Ok(expected) = Reader::open(&session, &array, &alone) else {
                        continue;
                    };
                    let found = rows(plan.part(part.clone()).unwrap());
                    let expected = rows(expected);
                    cells += expected.as_ref().map_or(0, Vec::len);
                    assert_eq!(found, expected, "{name}: {part:?} {options:?}");
                    compared += 1;
                }
            }
        }
    }
    println!("{compared} parts, {cells} cells");
    assert!(
        compared > 2_000 && cells > 50_000,
        "{compared} parts, {cells} cells"
    );
}

#[test]
fn a_plan_is_made_once_for_all_of_its_parts() {
    let (_, array) = small_arrays()
        .find(|(name, _)| name == "v22_enumerations_sparse")
        .unwrap();
    let session = Session::new(SessionOptions::default());
    let plan = planned(&session, &array, &ReadOptions::default()).unwrap();
    for part in parts(&array, 0) {
        rows(plan.part(part).unwrap()).unwrap();
    }
    assert_eq!(session.profile().reads_planned, 1);
}
