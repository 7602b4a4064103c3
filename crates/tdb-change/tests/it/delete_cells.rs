//! Deletes by a condition remove only cells that match it, unless more is allowed.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

use std::sync::Arc;

use tdb_array::{Array, ChangeOptions, ErrorKind, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session, SessionOptions};
use tdb_change::{DeleteError, DeleteOptions, Deletion, delete_cells};
use tdb_condition::Condition;
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_store::{MemoryStore, Store};
use tdb_tile::{Datatype, Limits};
use tdb_write::{WriteOptions, Writer};

struct CheckedCells {
    store: Arc<MemoryStore>,
}

impl CheckedCells {
    /// Cells x = 1 to 6, written at time 10; `a` is null in 3 and 5, `f` is NaN in 3, `b` equals `a` but has no nulls.
    fn new() -> Self {
        let store = Arc::new(MemoryStore::new());
        let x = Dimension::numbers("x", Datatype::Int32, (1_i32, 100), 10);
        let mut a = Attribute::new("a", Datatype::Int32);
        a.nullable = true;
        let b = Attribute::new("b", Datatype::Int32);
        let f = Attribute::new("f", Datatype::Float64);
        let mut schema = ArraySchema::new(ArrayType::Sparse, vec![x], vec![a, b, f]);
        schema.capacity = 2;
        Array::create(
            &Location::new(store.clone(), ""),
            &schema,
            &[],
            &ChangeOptions::at(10),
        )
        .unwrap();
        let cells = Self { store };
        let values = [-1, 2, 0, 4, 0, -6];
        cells.write(
            10,
            vec![
                ints("x", [1, 2, 3, 4, 5, 6], None),
                ints("a", values, Some(0b10_1011)),
                ints("b", values, None),
                doubles("f", [-1., 2., f64::NAN, 4., 5., -6.]),
            ],
        );
        cells
    }

    fn open(&self, at: u64) -> Arc<Array> {
        Arc::new(Array::open(self.store.clone(), "", OpenOptions::at(at)).unwrap())
    }

    fn write(&self, time: u64, columns: Vec<Column>) {
        let mut writer = Writer::open(
            &Session::default(),
            &self.open(u64::MAX),
            &WriteOptions::at(time),
        )
        .unwrap();
        let rows = columns[0].values.len() / 4;
        writer.push(&Batch { rows, columns }).unwrap();
        writer.finish().unwrap();
    }

    fn delete(&self, text: &str, options: DeleteOptions) -> Result<Deletion, DeleteError> {
        let condition = Condition::parse(text, &Limits::default())?;
        // Little memory, so that cells are read in several parts.
        let session = Session::new(
            SessionOptions::default()
                .threads(Some(1.try_into().unwrap()))
                .memory(Some(100_000)),
        );
        let array = Array::open(self.store.clone(), "", OpenOptions::default()).unwrap();
        delete_cells(&session, &array, &condition, &options)
    }

    fn left(&self) -> Vec<i32> {
        let options = ReadOptions::default().order(Some(ResultOrder::RowMajor));
        let cells = Reader::open(&Session::default(), &self.open(u64::MAX), &options);
        let numbers = |batch: Result<Batch, _>| -> Vec<i32> {
            batch.unwrap().columns[0].numbers().unwrap().collect()
        };
        cells.unwrap().flat_map(numbers).collect()
    }

    /// Number of stored deletes.
    fn deletes(&self) -> usize {
        let all = self.store.list_recursive("__commits").unwrap();
        all.iter().filter(|o| o.key.ends_with(".del")).count()
    }
}

fn ints<const N: usize>(name: &str, values: [i32; N], validity: Option<u8>) -> Column {
    let values: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    column(name, Datatype::Int32, values, validity)
}

fn doubles<const N: usize>(name: &str, values: [f64; N]) -> Column {
    let values: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    column(name, Datatype::Float64, values, None)
}

fn column(name: &str, datatype: Datatype, values: Vec<u8>, validity: Option<u8>) -> Column {
    Column {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: validity.is_some(),
        values: values.into(),
        offsets: None,
        validity: validity.map(|bits| vec![bits].into()),
        enumeration: None,
    }
}

fn at(time: u64) -> DeleteOptions {
    DeleteOptions::default().change(ChangeOptions::at(time))
}

fn with_nulls(time: u64) -> DeleteOptions {
    at(time).with_nulls(true)
}

/// Numbers of cells: all, matching, deleted, deleted without matching.
fn counts(deletion: Deletion) -> [u64; 4] {
    [
        deletion.cells,
        deletion.fitting,
        deletion.taken,
        deletion.beyond,
    ]
}

#[test]
fn a_delete_that_would_take_nulls_is_refused_with_both_counts() {
    let cells = CheckedCells::new();
    let mut told = Vec::new();
    for text in ["a < 0", "f < 0", "a < 0 and f < 0", "a < 3e9"] {
        let error = cells.delete(text, at(20)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        told.push(error.to_string());
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    the condition fits 2 cells, and the delete would take 4: what is stored of it also takes cells that are null in "a"
    the condition fits 2 cells, and the delete would take 3: what is stored of it also takes cells that are NaN in "f"
    the condition fits 2 cells, and the delete would take 3: what is stored of it also takes cells that are null in "a", or NaN in "f"
    the condition fits 4 cells, and the delete would take 6: what is stored of it also takes cells that are null in "a"
    "#);
    assert_eq!((cells.left(), cells.deletes()), (vec![1, 2, 3, 4, 5, 6], 0));
    // If no other cells are deleted, nothing needs to be allowed.
    let deletion = cells.delete("a < 0 and b < 0", at(20)).unwrap();
    assert_eq!(counts(deletion), [6, 2, 2, 0]);
    assert_eq!(cells.left(), [2, 3, 4, 5]);
}

#[test]
fn nulls_go_where_that_is_allowed_and_what_goes_is_what_was_said() {
    let cells = CheckedCells::new();
    let dry = with_nulls(20).dry_run(true);
    let said = cells.delete("a < 0", dry).unwrap();
    assert_eq!(counts(said), [6, 2, 4, 2]);
    assert_eq!(cells.deletes(), 0);
    assert_eq!(cells.delete("a < 0", with_nulls(20)).unwrap(), said);
    assert_eq!(cells.left(), [2, 4]);
    // Deleted cells do not count again.
    let again = cells.delete("a < 3", with_nulls(30)).unwrap();
    assert_eq!(counts(again), [2, 1, 1, 0]);
    assert_eq!(cells.left(), [4]);
}

#[test]
fn a_delete_counts_the_cells_of_its_own_time() {
    let cells = CheckedCells::new();
    cells.write(
        30,
        vec![
            ints("x", [1, 7], None),
            ints("a", [0, 0], Some(0b01)),
            ints("b", [0, 0], None),
            doubles("f", [0., 0.]),
        ],
    );
    let before = cells.delete("b = 2", at(5)).unwrap();
    assert_eq!(counts(before), [0, 0, 0, 0]);
    // Since then, cell 1 was replaced, and cell 7 was added.
    let early = cells.delete("b < 0", at(20)).unwrap();
    assert_eq!(counts(early), [6, 2, 2, 0]);
    assert_eq!(cells.left(), [1, 2, 3, 4, 5, 7]);
    let late = cells.delete("b = 0", at(40)).unwrap();
    assert_eq!(counts(late), [6, 4, 4, 0]);
    assert_eq!(cells.left(), [2, 4]);
    assert_eq!(
        counts(cells.delete("b = 99", at(50)).unwrap()),
        [2, 0, 0, 0]
    );
    assert_eq!(cells.left(), [2, 4]);
}

#[test]
fn cells_older_than_a_field_do_not_go_unasked() {
    let cells = CheckedCells::new();
    let schema = cells.open(u64::MAX);
    let schema = ArraySchema::clone(schema.newest_schema());
    let w = Attribute::new("w", Datatype::Int32);
    let schema = schema.with_attribute(w).unwrap();
    let array = cells.open(u64::MAX);
    array.evolve(&schema, &[], &ChangeOptions::at(15)).unwrap();
    let error = cells.delete("w < 0", at(20)).unwrap_err().to_string();
    insta::assert_snapshot!(
        error,
        @r#"the condition fits 0 cells, and the delete would take 6: what is stored of it also takes cells that are older than "w""#
    );
    let deletion = cells.delete("w < 0 and b = 99", at(20)).unwrap();
    assert_eq!(counts(deletion), [6, 0, 0, 0]);
    assert_eq!(cells.left().len(), 6);
}

fn by_coordinates(time: u64) -> DeleteOptions {
    at(time).by_coordinates(true)
}

#[test]
fn by_coordinates_just_the_cells_go_that_fit() {
    let cells = CheckedCells::new();
    let dry = by_coordinates(20).dry_run(true);
    let said = cells.delete("a < 0", dry).unwrap();
    assert_eq!((counts(said), cells.deletes()), ([6, 2, 2, 0], 0));
    assert_eq!(cells.delete("a < 0", by_coordinates(20)).unwrap(), said);
    assert_eq!((cells.left(), cells.deletes()), (vec![2, 3, 4, 5], 1));
    // The stored form cannot express this condition.
    let deletion = cells.delete("a is null", by_coordinates(30)).unwrap();
    assert_eq!(counts(deletion), [4, 2, 2, 0]);
    assert_eq!(cells.left(), [2, 4]);
    let deletion = cells.delete("a + b > 6", by_coordinates(40)).unwrap();
    assert_eq!(counts(deletion), [2, 1, 1, 0]);
    assert_eq!(cells.left(), [2]);
    // If no cell matches, nothing is stored.
    let deletion = cells.delete("a is null", by_coordinates(50)).unwrap();
    assert_eq!(counts(deletion), [1, 0, 0, 0]);
    assert_eq!((cells.left(), cells.deletes()), (vec![2], 3));
    // Reads at earlier times are unaffected, and later cells remain.
    assert_eq!(cells.open(15).deletes().len(), 0);
    let row = [
        ints("x", [4], None),
        ints("a", [-1], Some(1)),
        ints("b", [1], None),
    ];
    let mut row = row.to_vec();
    row.push(doubles("f", [1.]));
    cells.write(60, row);
    assert_eq!(cells.left(), [2, 4]);
}

#[test]
fn cells_that_share_their_coordinates_do_not_go_by_them() {
    let store = Arc::new(MemoryStore::new());
    let x = Dimension::numbers("x", Datatype::Int32, (1_i32, 100), 10);
    let mut a = Attribute::new("a", Datatype::Int32);
    a.nullable = true;
    let mut schema = ArraySchema::new(ArrayType::Sparse, vec![x], vec![a]);
    schema.allows_duplicates = true;
    let place = Location::new(store.clone(), "");
    Array::create(&place, &schema, &[], &ChangeOptions::at(10)).unwrap();
    let cells = CheckedCells { store };
    cells.write(
        10,
        vec![
            ints("x", [1, 1, 2], None),
            ints("a", [-1, 0, -1], Some(0b101)),
        ],
    );
    let refused = cells.delete("a < 0", by_coordinates(20)).unwrap_err();
    insta::assert_snapshot!(refused, @"the condition fits 2 cells, and a delete by their coordinates would take 3: others have the same coordinates");
    assert_eq!(cells.deletes(), 0);
    let deletion = cells
        .delete("a < 0 and x = 2 and a is not null", by_coordinates(20))
        .unwrap();
    assert_eq!(counts(deletion), [3, 1, 1, 0]);
    assert_eq!(cells.left(), [1, 1]);
}

#[test]
fn cells_at_too_many_places_do_not_go_by_their_coordinates() {
    let store = Arc::new(MemoryStore::new());
    let side = |name| Dimension::numbers(name, Datatype::Int32, (0_i32, 10_000), 1000);
    let a = Attribute::new("a", Datatype::Int32);
    let schema = ArraySchema::new(ArrayType::Sparse, vec![side("x"), side("y")], vec![a]);
    let place = Location::new(store.clone(), "");
    Array::create(&place, &schema, &[], &ChangeOptions::at(10)).unwrap();
    let cells = CheckedCells { store };
    let numbers: [i32; 4000] = std::array::from_fn(|n| i32::try_from(n).unwrap());
    let column = |name| ints(name, numbers, None);
    cells.write(10, vec![column("x"), column("y"), column("a")]);
    let session = Session::default();
    let array = Array::open(cells.store.clone(), "", OpenOptions::default()).unwrap();
    let delete = |text: &str| {
        let condition = Condition::parse(text, &Limits::default()).unwrap();
        delete_cells(&session, &array, &condition, &by_coordinates(20))
    };
    let refused = delete("a + 0 >= 0").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Limit);
    insta::assert_snapshot!(refused, @"the coordinates of the cells take 12001 tests, and a delete may have 10000: every later read goes through all of them");
    assert_eq!(cells.deletes(), 0);
    assert_eq!(
        counts(delete("a + 0 < 3000").unwrap()),
        [4000, 3000, 3000, 0]
    );
}

#[test]
fn a_delete_by_coordinates_of_several_dimensions_and_of_text() {
    let store = Arc::new(MemoryStore::new());
    let x = Dimension::numbers("x", Datatype::Float32, (-10_f32, 10.), 10.);
    let s = Dimension::strings("s");
    let mut a = Attribute::new("a", Datatype::Int32);
    a.nullable = true;
    let schema = ArraySchema::new(ArrayType::Sparse, vec![x, s], vec![a]);
    let place = Location::new(store.clone(), "");
    Array::create(&place, &schema, &[], &ChangeOptions::at(10)).unwrap();
    let cells = CheckedCells { store };
    let text = |values: &[&str]| {
        let mut end = 0_u64;
        let mut offsets = end.to_le_bytes().to_vec();
        for value in values {
            end += value.len() as u64;
            offsets.extend(end.to_le_bytes());
        }
        Column {
            cell_val_num: CellValNum::Var,
            offsets: Some(offsets.into()),
            ..column(
                "s",
                Datatype::StringAscii,
                values.concat().into_bytes(),
                None,
            )
        }
    };
    let floats: Vec<u8> = [0.1_f32, 0.1, -0.0, 2.5]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    cells.write(
        10,
        vec![
            column("x", Datatype::Float32, floats, None),
            text(&["", "b", "b", "it's"]),
            ints("a", [-1, -1, 0, -1], Some(0b1011)),
        ],
    );
    let deletion = cells
        .delete("a < 0 and s != 'b'", by_coordinates(20))
        .unwrap();
    assert_eq!(counts(deletion), [4, 2, 2, 0]);
    let deletion = cells.delete("a is null", by_coordinates(30)).unwrap();
    assert_eq!(counts(deletion), [2, 1, 1, 0]);
    let deletion = cells.delete("a < 0", by_coordinates(40)).unwrap();
    assert_eq!(counts(deletion), [1, 1, 1, 0]);
}
