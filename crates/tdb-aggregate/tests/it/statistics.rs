//! Comparison of aggregates from statistics with those from reading, over random arrays. Also checks that statistics
//! need no reads of tiles.

use std::sync::Arc;

use proptest::prelude::*;
use tdb_aggregate::{Aggregate, Outcome, aggregate};
use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Column, FieldInfo, Session, SessionOptions};
use tdb_condition::{Condition, KeepCondition};
use tdb_query::ReadOptions;
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_store::MemoryStore;
use tdb_tile::{Datatype, Range};
use tdb_write::{Duplicates, WriteOptions, Writer};

/// The values of a cell: a small number or null, a large one, floats, a time, a string.
#[derive(Clone, Copy, Debug)]
struct Cell {
    small: Option<i16>,
    large: i64,
    unsigned: u64,
    float: f32,
    double: f64,
    time: i64,
    text: &'static str,
}

fn cell() -> impl Strategy<Value = Cell> {
    let text = prop::sample::select(vec!["", "a", "a\0b", "ab", "\u{7f}z"]);
    let large = prop_oneof![9 => -99_i64..99, 1 => any::<i64>()];
    let unsigned = prop_oneof![9 => 0_u64..99, 1 => any::<u64>()];
    let odd = prop::sample::select(vec![
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        -0.0,
        f32::MAX,
    ]);
    let float = prop_oneof![30 => -9.0_f32..9.0, 1 => odd];
    // No large numbers of both signs: their sum would consist of rounding errors.
    let doubles = vec![f64::NAN, f64::INFINITY, 0.0, -0.0, f64::MAX, 1e300];
    let double = prop_oneof![30 => -9.0_f64..9.0, 1 => prop::sample::select(doubles)];
    let time = prop_oneof![30 => -999_i64..999, 1 => Just(i64::MIN)];
    let values = (
        any::<Option<i16>>(),
        large,
        unsigned,
        float,
        double,
        time,
        text,
    );
    values.prop_map(|(small, large, unsigned, float, double, time, text)| Cell {
        small,
        large,
        unsigned,
        float,
        double,
        time,
        text,
    })
}

fn array(is_dense: bool, duplicates: bool) -> (Location, MemoryStore) {
    let kind = if is_dense {
        ArrayType::Dense
    } else {
        ArrayType::Sparse
    };
    let small = Attribute {
        nullable: true,
        ..Attribute::new("small", Datatype::Int16)
    };
    let attributes = vec![
        small,
        Attribute::new("large", Datatype::Int64),
        Attribute::new("unsigned", Datatype::UInt64),
        Attribute::new("float", Datatype::Float32),
        Attribute::new("double", Datatype::Float64),
        Attribute::new("time", Datatype::DateTimeDay),
        Attribute::new("text", Datatype::StringAscii).with_cell_val_num(CellValNum::Var),
    ];
    // The last tile extends beyond the domain.
    let dimension = |name| Dimension::numbers(name, Datatype::Int32, (0_i32, 9), 4);
    let mut schema = ArraySchema::new(kind, vec![dimension("y"), dimension("x")], attributes);
    schema.capacity = 5;
    schema.allows_duplicates = duplicates;
    let store = MemoryStore::new();
    let location = Location::new(Arc::new(store.clone()), "a");
    Array::create(&location, &schema, &[], &ChangeOptions::default()).expect("created");
    (location, store)
}

fn fixed(name: &str, datatype: Datatype, values: Vec<u8>) -> Column {
    Column {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: name == "small",
        values: values.into(),
        offsets: None,
        validity: None,
        enumeration: None,
    }
}

fn columns(cells: &[Cell]) -> Vec<Column> {
    let bytes = |of: &dyn Fn(&Cell) -> Vec<u8>| cells.iter().flat_map(of).collect::<Vec<u8>>();
    let small = bytes(&|c| c.small.unwrap_or(77).to_le_bytes().into());
    let mut small = fixed("small", Datatype::Int16, small);
    let valid = cells.chunks(8).map(|eight| {
        let bits = eight.iter().zip(0_u8..);
        bits.fold(0_u8, |byte, (cell, bit)| {
            byte | u8::from(cell.small.is_some()) << bit
        })
    });
    small.validity = Some(valid.collect::<Vec<u8>>().into());
    let text = bytes(&|c| c.text.as_bytes().into());
    let mut text = fixed("text", Datatype::StringAscii, text);
    text.cell_val_num = CellValNum::Var;
    let mut offsets = vec![0_u64];
    for cell in cells {
        offsets.push(offsets.last().expect("one") + cell.text.len() as u64);
    }
    let offsets: Vec<u8> = offsets.iter().flat_map(|o| o.to_le_bytes()).collect();
    text.offsets = Some(offsets.into());
    vec![
        small,
        fixed(
            "large",
            Datatype::Int64,
            bytes(&|c| c.large.to_le_bytes().into()),
        ),
        fixed(
            "unsigned",
            Datatype::UInt64,
            bytes(&|c| c.unsigned.to_le_bytes().into()),
        ),
        fixed(
            "float",
            Datatype::Float32,
            bytes(&|c| c.float.to_le_bytes().into()),
        ),
        fixed(
            "double",
            Datatype::Float64,
            bytes(&|c| c.double.to_le_bytes().into()),
        ),
        fixed(
            "time",
            Datatype::DateTimeDay,
            bytes(&|c| c.time.to_le_bytes().into()),
        ),
        text,
    ]
}

fn open(location: &Location) -> Arc<Array> {
    Arc::new(Array::open_location(location, OpenOptions::default()).expect("opened"))
}

fn write(location: &Location, rows: usize, columns: Vec<Column>, options: &WriteOptions) {
    let mut writer = Writer::open(&session(), &open(location), options).expect("begun");
    writer.push(&Batch { rows, columns }).expect("pushed");
    writer.finish().expect("written");
}

fn session() -> Session {
    Session::new(SessionOptions::default().threads(std::num::NonZeroUsize::new(1)))
}

/// A box of cells: first and last row, first and last column.
type Box4 = (i32, i32, i32, i32);

fn boxes() -> impl Strategy<Value = Box4> {
    let ends = || {
        prop_oneof![
            Just((0, 9)),
            Just((4, 7)),
            (0..10_i32, 0..10_i32).prop_map(|(a, b)| (a.min(b), a.max(b)))
        ]
    };
    (ends(), ends()).prop_map(|((a, b), (c, d))| (a, b, c, d))
}

fn ranges((y0, y1, x0, x1): Box4) -> Vec<(String, Range)> {
    vec![
        ("y".to_owned(), Range::of(y0, y1)),
        ("x".to_owned(), Range::of(x0, x1)),
    ]
}

fn write_dense(location: &Location, time: u64, part: Box4, cells: &[Cell]) {
    let (y0, y1, x0, x1) = part;
    let rows = usize::try_from((y1 - y0 + 1) * (x1 - x0 + 1)).expect("a box");
    let options = WriteOptions::default()
        .timestamp(Some(time))
        .ranges(ranges(part));
    let cells: Vec<Cell> = cells.iter().copied().cycle().take(rows).collect();
    write(location, rows, columns(&cells), &options);
}

fn write_sparse(location: &Location, time: u64, part: Box4, cells: &[Cell]) {
    let (y0, y1, x0, x1) = part;
    let all = (y0..=y1).flat_map(|y| (x0..=x1).map(move |x| (y, x)));
    let places: Vec<(i32, i32)> = all.step_by(2).take(cells.len()).collect();
    let bytes = |of: &dyn Fn(&(i32, i32)) -> i32| {
        let each = places.iter().flat_map(|place| of(place).to_le_bytes());
        each.collect::<Vec<u8>>()
    };
    let mut all = vec![
        fixed("y", Datatype::Int32, bytes(&|p| p.0)),
        fixed("x", Datatype::Int32, bytes(&|p| p.1)),
    ];
    all.extend(columns(cells.get(..places.len()).expect("as many cells")));
    let options = WriteOptions::default()
        .timestamp(Some(time))
        .duplicates(Some(Duplicates::Error));
    write(location, places.len(), all, &options);
}

const ASKED: [&str; 9] = [
    "count(*), count(small), null_count(small), count(text), count(y)",
    "sum(small), mean(small), min(small), max(small)",
    "sum(large), mean(large)",
    "min(large), max(large), min(unsigned), max(unsigned)",
    "sum(unsigned), sum(large)",
    "sum(float), mean(float), min(float), max(float)",
    "min(double), max(double), sum(double)",
    "min(time), max(time), count(time)",
    "min(text), max(text)",
];

/// Compares results; sums of floats depend on the order of addition.
fn is_same(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        (Outcome::Float(a), Outcome::Float(b)) => {
            a == b
                || (a.is_nan() && b.is_nan())
                || (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
        }
        (a, b) => a == b,
    }
}

/// Computes everything twice: a limit forces reading, even if it exceeds the number of cells.
fn check(location: &Location, options: &ReadOptions) -> Result<(), TestCaseError> {
    let (array, session) = (open(location), session());
    let reading = options.clone().limit(Some(u64::MAX));
    for asked in ASKED {
        let wanted = Aggregate::parse_list(asked).expect("aggregates");
        let ask = |options: &ReadOptions| {
            let table = aggregate(&session, &array, options, &wanted, &[]);
            table
                .map(|table| table.groups.into_iter().next().expect("a group").values)
                .map_err(|error| error.to_string())
        };
        let (told, read) = (ask(options), ask(&reading));
        let same = match (&told, &read) {
            (Ok(told), Ok(read)) => told.iter().zip(read).all(|(a, b)| is_same(a, b)),
            (told, read) => told == read,
        };
        prop_assert!(same, "{asked}: {told:?}, read: {read:?}");
    }
    Ok(())
}

fn requests(part: Box4) -> [ReadOptions; 4] {
    let all = ReadOptions::default();
    let several = ranges(part).into_iter().chain(ranges((2, 3, 8, 9)));
    [
        all.clone(),
        all.clone().ranges(ranges(part)),
        all.clone().ranges(several.collect()),
        all.condition(Some(Condition::field("large").gt(0))),
    ]
}

/// Stores a delete of the cells that match.
fn delete(location: &Location, time: u64, condition: &Condition) {
    let array = open(location);
    let fields = FieldInfo::of_schema(array.newest_schema(), |_, _| None);
    let kept = condition.kept(&fields, session().limits());
    let KeepCondition::Where(kept) = kept.expect("storable") else {
        return;
    };
    array
        .delete_cells(&kept, &ChangeOptions::at(time))
        .expect("deleted");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn of_dense_arrays_statistics_tell_what_reading_gives(
        writes in prop::collection::vec((boxes(), prop::collection::vec(cell(), 20..60)), 0..4),
        part in boxes(),
    ) {
        let (location, _) = array(true, false);
        for ((part, cells), time) in writes.iter().zip(1..) {
            write_dense(&location, time, *part, cells);
        }
        for options in requests(part) {
            check(&location, &options)?;
        }
    }

    #[test]
    fn of_sparse_arrays_statistics_tell_what_reading_gives(
        writes in prop::collection::vec((boxes(), prop::collection::vec(cell(), 20..60)), 0..4),
        part in boxes(),
        duplicates in any::<bool>(),
        deletes in any::<bool>(),
    ) {
        let (location, _) = array(false, duplicates);
        for ((part, cells), time) in writes.iter().zip(1..) {
            write_sparse(&location, time, *part, cells);
        }
        if deletes {
            delete(&location, 9, &Condition::field("large").lt(-50));
        }
        for options in requests(part) {
            check(&location, &options)?;
        }
    }
}

fn plain(number: i16) -> Cell {
    Cell {
        small: (number % 3 != 0).then_some(number),
        large: number.into(),
        unsigned: 7,
        float: 0.5,
        double: number.into(),
        time: number.into(),
        text: "a",
    }
}

/// Returns the number of tiles read for all requests, and the number of ranges read from the store after opening.
fn cost(location: &Location, store: &MemoryStore, options: &ReadOptions) -> (u64, u64) {
    let (array, session) = (open(location), session());
    store.take_counts();
    for asked in ASKED {
        let wanted = Aggregate::parse_list(asked).expect("aggregates");
        let answer = aggregate(&session, &array, options, &wanted, &[]);
        // Cells that were never written contain the smallest number, whose sum overflows.
        assert!(answer.is_ok() || asked.contains("sum(large)"));
    }
    (session.profile().tiles_read, store.take_counts().reads)
}

#[test]
fn where_statistics_tell_nothing_is_fetched() {
    let cells: Vec<Cell> = (0..64).map(plain).collect();
    let within = |part| ReadOptions::default().ranges(ranges(part));
    let (dense, store) = array(true, false);
    write_dense(&dense, 1, (0, 3, 0, 7), &cells);
    write_dense(&dense, 2, (4, 7, 0, 7), &cells);
    // Offsets and values of four tiles of strings: their statistics are not trusted.
    let texts = (8, 8);
    assert_eq!(cost(&dense, &store, &within((0, 7, 0, 7))), texts);
    // Where nothing was written, there is nothing to read.
    assert_eq!(cost(&dense, &store, &within((0, 8, 0, 7))), texts);
    let cut = cost(&dense, &store, &within((1, 7, 0, 7)));
    assert!(cut.0 > texts.0, "{cut:?}");

    let (sparse, store) = array(false, false);
    write_sparse(&sparse, 1, (0, 3, 0, 9), cells.get(..20).expect("cells"));
    write_sparse(&sparse, 2, (4, 9, 0, 9), cells.get(..20).expect("cells"));
    assert_eq!(cost(&sparse, &store, &ReadOptions::default()), (0, 0));
    // Cells that may overwrite those of both other fragments.
    write_sparse(&sparse, 3, (3, 4, 0, 9), cells.get(..5).expect("cells"));
    let merged = cost(&sparse, &store, &ReadOptions::default());
    assert!(merged.0 > 0, "{merged:?}");
}
