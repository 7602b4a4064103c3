//! Compares the answers of DataFusion about an array with those about the same rows in memory, which DataFusion
//! filters itself.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests, which may fail so"
)]

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::catalog::TableProvider;
use datafusion::common::ScalarValue;
use datafusion::datasource::MemTable;
use datafusion::logical_expr::{Expr, Operator, binary_expr, ident, lit};
use datafusion::physical_plan::displayable;
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use tdb_array::{Array, OpenOptions};
use tdb_cells::{Session, SessionOptions};
use tdb_datafusion::ArrayTable;
use tdb_store::LocalStore;
use tokio::runtime::Builder;

/// Maximum number of rows of an array that is compared.
const MOST_ROWS: usize = 20_000;

/// Number of conditions that are tried on each array.
const CONDITIONS: usize = 4;

/// Statements that are tried on each array; `DIMS` are its dimensions, `FIRST` and `LAST` its first and its last
/// column.
const STATEMENTS: [&str; 6] = [
    "select count(*) from TABLE",
    "select DIMS from TABLE order by DIMS",
    "select DIMS from TABLE order by DIMS limit 5",
    "select FIRST, count(*) from TABLE group by FIRST order by FIRST",
    "select min(FIRST), max(FIRST), min(LAST), max(LAST), count(LAST) from TABLE",
    "select x.FIRST from TABLE x join (select FIRST from TABLE order by FIRST limit 2) y on x.FIRST = y.FIRST",
];

/// Pseudo-random numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn of(name: &str) -> Self {
        let start = 7_u64;
        Self(name.bytes().fold(start, |all, byte| {
            all.wrapping_mul(31).wrapping_add(byte.into())
        }))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}

/// Returns the names and folders of the golden arrays.
fn arrays() -> Vec<(String, PathBuf)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let entries = fixtures.read_dir().unwrap();
    let arrays = entries.map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let array = fixtures.join(&name).join("array");
        (name, array)
    });
    let mut arrays: Vec<_> = arrays
        .filter(|(name, array)| array.is_dir() && !name.contains("encrypted"))
        .collect();
    arrays.sort();
    arrays
}

/// Returns a cell of a column as an SQL value.
fn value(batch: &RecordBatch, column: usize, numbers: &mut Numbers) -> ScalarValue {
    let row = numbers.below(batch.num_rows());
    ScalarValue::try_from_array(batch.column(column), row).unwrap()
}

/// Returns a random condition on the columns of a batch.
fn condition(batch: &RecordBatch, numbers: &mut Numbers, depth: usize) -> Expr {
    if depth > 0 {
        let left = condition(batch, numbers, depth - 1);
        return match numbers.below(5) {
            0 => left.and(condition(batch, numbers, depth - 1)),
            1 => left.or(condition(batch, numbers, depth - 1)),
            // A negation that DataFusion does not simplify to a test.
            2 => !left.and(condition(batch, numbers, depth - 1)),
            _ => left,
        };
    }
    let column = numbers.below(batch.num_columns());
    let field = batch.schema().field(column).clone();
    let name = ident(field.name());
    let some = value(batch, column, numbers);
    if field.data_type().is_nested() || some.is_null() {
        return if numbers.below(2) == 0 {
            name.is_null()
        } else {
            name.is_not_null()
        };
    }
    let others = [
        some.clone(),
        value(batch, column, numbers),
        value(batch, column, numbers),
    ];
    let others = others.map(lit).to_vec();
    let op = match numbers.below(10) {
        0 => return name.is_null(),
        1 => return name.is_not_null(),
        2 => return name.in_list(others, false),
        3 => return name.in_list(others, true),
        4 => Operator::Lt,
        5 => Operator::LtEq,
        6 => Operator::Gt,
        7 => Operator::GtEq,
        8 => Operator::Eq,
        _ => Operator::NotEq,
    };
    // As a number with a fraction in a statement: DataFusion then casts the column to 64-bit floats.
    let wide = some.cast_to(&DataType::Float64).ok();
    match wide.filter(|_| field.data_type().is_numeric() && numbers.below(2) == 0) {
        Some(ScalarValue::Float64(Some(wide))) => {
            let beside = wide + 1e-9 * f64::from(u8::try_from(numbers.below(3)).unwrap());
            binary_expr(name, op, lit(beside))
        }
        _ => binary_expr(name, op, lit(some)),
    }
}

/// Returns the rows as text, sorted.
fn shown(batches: &[RecordBatch]) -> Vec<String> {
    let mut rows = Vec::new();
    let options = FormatOptions::default().with_null("null");
    for batch in batches {
        let columns = batch.columns().iter();
        let columns = columns.map(|column| ArrayFormatter::try_new(column, &options).unwrap());
        let columns: Vec<_> = columns.collect();
        for row in 0..batch.num_rows() {
            let cells = columns.iter().map(|column| column.value(row).to_string());
            rows.push(cells.collect::<Vec<_>>().join("|"));
        }
    }
    rows.sort();
    rows
}

async fn rows(frame: DataFrame) -> Vec<String> {
    let plan = frame.logical_plan().display_indent().to_string();
    let batches = frame.collect().await;
    shown(&batches.unwrap_or_else(|error| panic!("{plan}\n{error}")))
}

/// Returns all rows; `None` if they cannot be read, or if there are too many.
async fn all_rows(table: &ArrayTable) -> Option<RecordBatch> {
    let sql = SessionContext::new();
    let read = sql.read_table(Arc::new(table.clone())).ok()?;
    let batches = read.limit(0, Some(MOST_ROWS)).ok()?.collect().await.ok()?;
    concat_batches(&table.schema(), &batches).ok()
}

#[derive(Default)]
struct Seen {
    compared: usize,
    pushed: usize,
    rows: usize,
    different: Vec<String>,
    arrays: usize,
}

/// Compares the answers about a table with those about its rows in memory.
async fn compare(name: &str, table: ArrayTable, whole: RecordBatch, seen: &mut Seen) {
    let dimensions = table.array().schema().dimensions.clone();
    let config = SessionConfig::new()
        .with_target_partitions(3)
        .with_batch_size(100);
    let sql = SessionContext::new_with_config(config);
    sql.register_table("a", Arc::new(table)).unwrap();
    let memory = MemTable::try_new(whole.schema(), vec![vec![whole.clone()]]).unwrap();
    sql.register_table("m", Arc::new(memory)).unwrap();
    let schema = whole.schema();
    let last = schema.fields().last().unwrap().name();
    let mut numbers = Numbers::of(name);
    for number in 0..CONDITIONS {
        let wanted = condition(&whole, &mut numbers, number % 4);
        let array = sql.table("a").await.unwrap().filter(wanted.clone());
        let memory = sql.table("m").await.unwrap().filter(wanted.clone());
        let (Ok(array), Ok(memory)) = (array, memory) else {
            continue;
        };
        let plan = array.clone().create_physical_plan().await.unwrap();
        let plan = displayable(plan.as_ref()).indent(false).to_string();
        seen.pushed += usize::from(plan.contains("where="));
        let expected = rows(memory.clone()).await;
        let found = rows(array.clone()).await;
        if found != expected {
            let more = found.iter().filter(|row| !expected.contains(row)).count();
            let lost = expected.iter().filter(|row| !found.contains(row)).count();
            println!("{name}: {wanted}\n{plan}{more} rows more, {lost} are missing");
            seen.different.push(name.to_owned());
            return;
        }
        seen.rows += expected.len();
        seen.compared += 1;
        // The same with one column, with a count, and with a limit.
        let one = |frame: DataFrame| frame.select(vec![ident(last)]).unwrap();
        let (found, wanted_one) = (rows(one(array.clone())).await, rows(one(memory)).await);
        assert_eq!(found, wanted_one, "{name}: {wanted}\n{plan}");
        let count = array.clone().count().await.unwrap();
        assert_eq!(count, expected.len(), "{name}: {wanted}");
        let limited = array.limit(0, Some(3)).unwrap().count().await.unwrap();
        assert_eq!(limited, expected.len().min(3), "{name}: {wanted}");
    }
    let quoted = |name: &str| format!("\"{name}\"");
    let dims: Vec<String> = dimensions.iter().map(|d| quoted(&d.name)).collect();
    for statement in STATEMENTS {
        let statement = statement
            .replace("DIMS", &dims.join(", "))
            .replace("FIRST", &quoted(schema.field(0).name()))
            .replace("LAST", &quoted(last));
        let of = |table: &str| statement.replace("TABLE", table);
        let array = sql.sql(&of("a")).await.unwrap().collect().await;
        let memory = sql.sql(&of("m")).await.unwrap().collect().await;
        let Ok(memory) = memory else { continue };
        let array = array.unwrap_or_else(|error| panic!("{name}: {statement}: {error}"));
        assert_eq!(shown(&array), shown(&memory), "{name}: {statement}");
        seen.compared += 1;
    }
}

/// Compares every other array, from the index `first` on: each half has a thread of its own.
fn conditions_choose_the_same_rows(first: usize) -> Vec<String> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let session = Session::new(SessionOptions::default().threads(NonZeroUsize::new(2)));
    let mut seen = Seen::default();
    let mut refused = Vec::new();
    for (name, folder) in arrays().into_iter().skip(first).step_by(2) {
        let store = Arc::new(LocalStore::open(&folder).unwrap());
        let Ok(array) = Array::open(store, "", OpenOptions::default()) else {
            refused.push(name);
            continue;
        };
        let table = ArrayTable::new(Arc::new(array), session.clone(), &name);
        let whole = table.as_ref().ok();
        let whole = whole.and_then(|table| runtime.block_on(all_rows(table)));
        let (Ok(table), Some(whole)) = (table, whole) else {
            refused.push(name);
            continue;
        };
        if (1..MOST_ROWS).contains(&whole.num_rows()) {
            runtime.block_on(compare(&name, table, whole, &mut seen));
            seen.arrays += 1;
        }
    }
    let Seen {
        compared,
        pushed,
        rows,
        different,
        arrays,
    } = seen;
    println!("{arrays} arrays, {compared} compared, {pushed} pushed down, {rows} rows");
    assert!(
        compared > 1500 && pushed > 400 && rows > 40_000,
        "{compared} compared, {pushed} pushed down, {rows} rows"
    );
    let unknown = different
        .iter()
        .find(|name| !WITHOUT_A_CELL.contains(&name.as_str()));
    assert_eq!(unknown, None);
    refused
}

/// Arrays with text that is not UTF-8, and one with more values per cell than Arrow accepts.
const REFUSED: [&[&str]; 2] = [
    &[
        "v10_order_high_bytes",
        "v22_hilbert_mixed",
        "v22_order_high_bytes",
        "v22_types_multi",
        "v22_types_var",
        "v22_types_var_nullable",
    ],
    &[
        "v22_dims_floats_strings",
        "v22_types_fixed",
        "v22_types_nullable",
        "v22_types_var_dense",
    ],
];

/// Arrays with a tile whose MBR lacks one of its cells, which TileDB does not find by its coordinates either: some
/// conditions miss it.
const WITHOUT_A_CELL: [&str; 1] = ["v3_order_dates"];

#[test]
fn conditions_choose_the_rows_that_datafusion_chooses() {
    let refused = conditions_choose_the_same_rows(0);
    assert_eq!(refused, REFUSED[0]);
}

#[test]
fn conditions_choose_the_rows_of_the_other_arrays() {
    let refused = conditions_choose_the_same_rows(1);
    assert_eq!(refused, REFUSED[1]);
}
