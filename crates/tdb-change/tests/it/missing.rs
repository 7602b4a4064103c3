//! Indexes without a label and NaT: conditions treat them alike with and without tile statistics, and deletes remove
//! them only if asked to.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;

use proptest::prelude::*;
use tdb_array::{Array, ChangeOptions, ErrorKind, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session};
use tdb_change::{DeleteError, DeleteOptions, Deletion, delete_cells};
use tdb_condition::{Condition, ConditionRules};
use tdb_query::{ReadOptions, Reader};
use tdb_schema::{
    ArraySchema, ArrayType, Attribute, CellValNum, Dimension, Enumeration, EnumerationRef,
};
use tdb_store::MemoryStore;
use tdb_tile::{Datatype, Limits};
use tdb_write::{WriteOptions, Writer};

const LABELS: [&str; 3] = ["low", "mid", "high"];
const NAT: i64 = i64::MIN;

/// The index of a label, and a day.
type Cell = (i8, i64);

struct Written {
    location: Location,
}

impl Written {
    fn new(cells: &[Cell], array_type: ArrayType) -> Self {
        let (text, var) = (Datatype::StringUtf8, CellValNum::Var);
        let labels = Enumeration::from_values("levels", "__0_0", text, var, true, LABELS);
        let c = Attribute {
            enumeration: Some("levels".to_owned()),
            ..Attribute::new("c", Datatype::Int8)
        };
        let d = Attribute::new("d", Datatype::DateTimeDay);
        let x = Dimension::numbers("x", Datatype::Int32, (0_i32, 99), 4);
        let mut schema = ArraySchema::new(array_type, vec![x], vec![c, d]);
        schema.capacity = 2;
        schema.enumerations.push(EnumerationRef {
            name: "levels".to_owned(),
            file: "__0_0".to_owned(),
        });
        let location = Location::new(Arc::new(MemoryStore::new()), "a");
        let labels = [labels.unwrap()];
        Array::create(&location, &schema, &labels, &ChangeOptions::at(10)).unwrap();
        let written = Self { location };
        let mut columns = vec![
            column(
                "c",
                Datatype::Int8,
                cells.iter().map(|cell| cell.0.to_le_bytes()[0]).collect(),
            ),
            column(
                "d",
                Datatype::DateTimeDay,
                cells.iter().flat_map(|cell| cell.1.to_le_bytes()).collect(),
            ),
        ];
        let places = 0..i32::try_from(cells.len()).unwrap();
        let mut options = WriteOptions::at(10);
        if array_type == ArrayType::Sparse {
            columns.push(column(
                "x",
                Datatype::Int32,
                places.flat_map(i32::to_le_bytes).collect(),
            ));
        } else {
            let last = places.end - 1;
            options.ranges = vec![("x".to_owned(), tdb_tile::Range::of(0, last))];
        }
        let mut writer = Writer::open(&Session::default(), &written.open(), &options).unwrap();
        writer
            .push(&Batch {
                rows: cells.len(),
                columns,
            })
            .unwrap();
        writer.finish().unwrap();
        written
    }

    fn open(&self) -> Arc<Array> {
        Arc::new(Array::open_location(&self.location, OpenOptions::default()).unwrap())
    }

    /// The coordinates of the cells that match a condition.
    fn chosen(&self, text: &str, rules: ConditionRules) -> Vec<i32> {
        let options = ReadOptions::default()
            .condition(
                (!text.is_empty()).then(|| Condition::parse(text, &Limits::default()).unwrap()),
            )
            .rules(rules);
        let batches = Reader::open(&Session::default(), &self.open(), &options).unwrap();
        let places = |batch: Result<Batch, _>| -> Vec<i32> {
            batch
                .unwrap()
                .column("x")
                .unwrap()
                .numbers()
                .unwrap()
                .collect()
        };
        batches.flat_map(places).collect()
    }

    fn delete(&self, text: &str, options: DeleteOptions) -> Result<Deletion, DeleteError> {
        let condition = Condition::parse(text, &Limits::default())?;
        let options = options.change(ChangeOptions::at(20));
        delete_cells(&Session::default(), &self.open(), &condition, &options)
    }

    fn left(&self) -> Vec<i32> {
        self.chosen("", ConditionRules::default())
    }
}

fn column(name: &str, datatype: Datatype, values: Vec<u8>) -> Column {
    Column {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        values: values.into(),
        offsets: None,
        validity: None,
        enumeration: None,
    }
}

fn cells() -> Written {
    Written::new(&[(0, 5), (-1, 50), (1, NAT), (2, 500)], ArrayType::Sparse)
}

#[test]
fn a_delete_that_would_take_cells_without_a_label_or_nat_is_refused_with_both_counts() {
    let cells = cells();
    let mut told = Vec::new();
    for text in [
        "c < 'mid'",
        "c != 'low'",
        "c not in ('low', 'mid')",
        "d < 50",
        "d <= '1970'",
    ] {
        let error = cells.delete(text, DeleteOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        told.push(error.to_string());
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    the condition fits 1 cells, and the delete would take 2: what is stored of it also takes cells that are without a label in "c"
    the condition fits 2 cells, and the delete would take 3: what is stored of it also takes cells that are without a label in "c"
    the condition fits 1 cells, and the delete would take 2: what is stored of it also takes cells that are without a label in "c"
    the condition fits 1 cells, and the delete would take 2: what is stored of it also takes cells that are NaT in "d"
    the condition fits 2 cells, and the delete would take 3: what is stored of it also takes cells that are NaT in "d"
    "#);
    assert_eq!(cells.left(), [0, 1, 2, 3]);
    let with_nulls = DeleteOptions::default().with_nulls(true);
    let deletion = cells.delete("c < 'mid'", with_nulls).unwrap();
    assert_eq!(
        (deletion.fitting, deletion.taken, deletion.beyond),
        (1, 2, 1)
    );
    assert_eq!(cells.left(), [2, 3]);
}

#[test]
fn deletes_that_ask_for_labels_or_days_alone_take_just_those() {
    for (text, left) in [
        ("c = 'low'", vec![1, 2, 3]),
        ("c in ('low', 'high')", vec![1, 2]),
        ("c > 'mid'", vec![0, 1, 2]),
        ("d > 50", vec![0, 1, 2]),
        ("d != 50", vec![1]),
        ("d not in (5, 50)", vec![0, 1]),
        ("d = '1970-01-06'", vec![1, 2, 3]),
    ] {
        let cells = cells();
        let deletion = cells.delete(text, DeleteOptions::default()).unwrap();
        assert_eq!(deletion.beyond, 0, "{text}");
        assert_eq!(cells.left(), left, "{text}");
    }
}

#[test]
fn by_coordinates_cells_without_a_label_and_nat_go_where_they_are_asked_for() {
    for (text, left) in [
        ("c is null", vec![0, 2, 3]),
        ("c is not null", vec![1]),
        ("c < 'mid'", vec![1, 2, 3]),
        ("d < 50", vec![1, 2, 3]),
        ("d != d", vec![0, 1, 3]),
    ] {
        let cells = cells();
        let refused = cells.delete(text, DeleteOptions::default()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid, "{text}");
        let by_coordinates = DeleteOptions::default().by_coordinates(true);
        cells.delete(text, by_coordinates).unwrap();
        assert_eq!(cells.left(), left, "{text}");
    }
}

#[test]
fn by_the_rules_of_stored_bytes_indexes_and_dates_are_numbers() {
    let (cells, raw) = (cells(), ConditionRules::stored_bytes());
    assert_eq!(cells.chosen("c is null", raw), [0_i32; 0]);
    assert_eq!(cells.chosen("c < 'mid'", raw), [0, 1]);
    assert_eq!(cells.chosen("d < 50", raw), [0, 2]);
    let options = DeleteOptions::default().rules(raw);
    let deletion = cells.delete("c < 'mid'", options).unwrap();
    assert_eq!((deletion.fitting, deletion.beyond), (2, 0));
}

/// Whether a cell matches, given the index of its label and its day.
type Fits = fn(Option<usize>, Option<i64>) -> bool;

/// A condition, and a function that returns whether a cell matches it.
fn test() -> impl Strategy<Value = (&'static str, Fits)> {
    let all: Vec<(&str, Fits)> = vec![
        ("c is null", |c, _| c.is_none()),
        ("c is not null", |c, _| c.is_some()),
        ("c < 'mid'", |c, _| c.is_some_and(|c| c < 1)),
        ("c >= 'mid'", |c, _| c.is_some_and(|c| c >= 1)),
        ("c != 'low'", |c, _| c.is_some_and(|c| c != 0)),
        ("c not in ('mid', 'high')", |c, _| c == Some(0)),
        ("not c = 'none'", |c, _| c.is_some()),
        ("d < 2", |_, d| d.is_some_and(|d| d < 2)),
        ("d <= 2", |_, d| d.is_some_and(|d| d <= 2)),
        ("d > 2", |_, d| d.is_some_and(|d| d > 2)),
        ("d != 2", |_, d| d != Some(2)),
        ("not d = 2", |_, d| d != Some(2)),
        ("d not in (1, 2)", |_, d| d != Some(1) && d != Some(2)),
        ("d = 2", |_, d| d == Some(2)),
        ("d < 1e30", |_, d| d.is_some()),
        ("c is null or d < 1", |c, d| {
            c.is_none() || d.is_some_and(|d| d < 1)
        }),
        ("not (c is null or d >= 1)", |c, d| {
            c.is_some() && d.is_some_and(|d| d < 1)
        }),
        ("c = 'low' and d != d", |c, d| c == Some(0) && d.is_none()),
    ];
    prop::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Tiles have two or four cells, so that statistics rule some of them out.
    #[test]
    fn tiles_are_left_out_only_where_no_cell_fits(
        cells in prop::collection::vec((-2..5_i8, prop_oneof![Just(NAT), 0..4_i64]), 1..24),
        (text, fits) in test(),
        is_dense in any::<bool>(),
    ) {
        let array_type = if is_dense { ArrayType::Dense } else { ArrayType::Sparse };
        let written = Written::new(&cells, array_type);
        let fits = |(c, d): Cell| {
            let label = usize::try_from(c).ok().filter(|c| *c < LABELS.len());
            fits(label, (d != NAT).then_some(d))
        };
        let count = i32::try_from(cells.len()).unwrap();
        let mut wanted: Vec<i32> = (0..count).filter(|x| fits(cells[*x as usize])).collect();
        if is_dense && fits((i8::MIN, NAT)) {
            // Cells that were never written have an index without a label, and NaT.
            wanted.extend(count..100);
        }
        prop_assert_eq!(written.chosen(text, ConditionRules::default()), wanted, "{}", text);
    }
}
