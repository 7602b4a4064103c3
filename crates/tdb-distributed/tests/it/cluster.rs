//! Two workers together must answer queries like a single process.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests, which may fail so"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::physical_plan::displayable;
use futures_util::TryStreamExt;
use tdb_array::TimeWindow;
use tdb_datafusion::{Answer, Arrays, Database, SqlError};
use tdb_distributed::{Allowed, Cluster, ClusterError, Token, Worker};
use tdb_open::Context;
use tokio::runtime::{Builder, Runtime};

/// Every fifth golden array is queried.
const EVERY: usize = 5;

/// Arrays with more rows than this are skipped.
const MOST_ROWS: usize = 20_000;

/// Time after which a query counts as endless.
const END: Duration = Duration::from_secs(120);

/// Statements run on each array. `DIMS` stands for its dimensions, `FIRST` and `LAST` for its first and last column.
const STATEMENTS: [&str; 7] = [
    "select * from TABLE",
    "select count(*) from TABLE",
    "select DIMS from TABLE order by DIMS",
    "select DIMS from TABLE order by DIMS limit 5",
    "select FIRST, count(*), count(LAST) from TABLE group by FIRST order by FIRST",
    "select min(FIRST), max(FIRST), count(LAST) from TABLE where FIRST > (select min(FIRST) from TABLE)",
    "select x.FIRST, y.LAST from TABLE x join TABLE y on x.FIRST = y.FIRST order by x.FIRST limit 50",
];

/// Opens arrays in local folders, with two threads and a memory limit in bytes; `None` for the default.
pub(crate) fn arrays(memory: Option<u64>) -> Arc<Arrays> {
    let context = Context::new().threads(2);
    let context = match memory {
        Some(memory) => context.memory(memory),
        None => context,
    };
    Arc::new(Arrays::new(context))
}

pub(crate) fn runtime() -> Runtime {
    let mut runtime = Builder::new_multi_thread();
    runtime.worker_threads(2).thread_stack_size(16 << 20);
    runtime.enable_all().build().unwrap()
}

/// Starts workers that may read the golden arrays, each on a runtime of its own, and returns their addresses.
fn workers(count: usize, token: &Token) -> (Vec<String>, Vec<Runtime>) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    workers_on(&fixtures, None, count, token)
}

/// Starts workers that may read a folder, with a memory limit in bytes.
fn workers_on(
    folder: &Path,
    memory: Option<u64>,
    count: usize,
    token: &Token,
) -> (Vec<String>, Vec<Runtime>) {
    let allowed = Allowed::new([folder.to_str().unwrap()]).unwrap();
    let started = (0..count).map(|_| {
        let runtime = runtime();
        let worker = Worker::bind("127.0.0.1:0", token.clone(), allowed.clone());
        let worker = runtime.block_on(worker).unwrap();
        let worker = worker.listener(|what| eprintln!("worker: {what}"));
        let address = worker.address().to_string();
        runtime.spawn(async move {
            let arrays = arrays(memory);
            let served = worker.serve(arrays, std::future::pending()).await;
            panic!("{served:?}");
        });
        (address, runtime)
    });
    started.unzip()
}

fn token() -> Token {
    Token::new("the right token of 26 bytes").unwrap()
}

fn golden() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let entries = fixtures.read_dir().unwrap();
    let arrays = entries.map(|entry| entry.unwrap().path().join("array"));
    let mut arrays: Vec<PathBuf> = arrays
        .filter(|array| array.is_dir() && !array.to_string_lossy().contains("encrypted"))
        .collect();
    arrays.sort();
    arrays
}

/// Formats rows as text, sorted unless the statement has an `ORDER BY`.
fn shown(batches: &[RecordBatch], statement: &str) -> Vec<String> {
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
    if !statement.contains("order by DIMS") {
        rows.sort();
    }
    rows
}

async fn batches(answer: Result<Answer, SqlError>) -> Result<Vec<RecordBatch>, String> {
    match answer.map_err(|error| error.to_string())? {
        Answer::Rows(rows) => rows.try_collect().await.map_err(|error| error.to_string()),
        _ => Err("no rows".to_owned()),
    }
}

/// Runs a statement on the workers.
async fn together(
    cluster: &Cluster,
    database: &Database,
    sql: &str,
) -> Result<Vec<RecordBatch>, String> {
    let statement = database.statements(sql).unwrap().pop_front().unwrap();
    let session = arrays(None).session().clone();
    batches(cluster.run(database, &session, statement).await).await
}

async fn alone(database: &Database, sql: &str) -> Result<Vec<RecordBatch>, String> {
    let statement = database.statements(sql).unwrap().pop_front().unwrap();
    batches(database.run(statement).await).await
}

/// True if several workers take part in a query.
async fn is_shared(database: &Database, sql: &str) -> bool {
    let frame = database.context().sql(sql).await.unwrap();
    let plan = frame.create_physical_plan().await.unwrap();
    displayable(plan.as_ref())
        .indent(false)
        .to_string()
        .contains("DistributedExec")
}

#[test]
fn two_workers_answer_as_one_process_does() {
    let token = token();
    let (addresses, _running) = workers(2, &token);
    let cluster = Cluster::new(&addresses, &token).unwrap().cells_each(1);
    let runtime = runtime();
    runtime.block_on(cluster.check()).unwrap();
    let many = cluster.database(arrays(None)).unwrap();
    let one = Database::new(arrays(None)).unwrap();
    let (mut asked, mut compared, mut shared, mut rows) = (0, 0, 0, 0);
    for folder in golden().iter().step_by(EVERY) {
        let table = format!("'{}'", folder.display());
        let frame = runtime.block_on(one.context().sql(&format!("select * from {table}")));
        let Ok(frame) = frame else { continue };
        let schema = frame.schema().clone();
        let array = arrays(None).open(&folder.display().to_string(), TimeWindow::ALL);
        let dimensions = array.unwrap().schema().dimensions.clone();
        let quoted = |name: &str| format!("\"{name}\"");
        let dims: Vec<String> = dimensions.iter().map(|d| quoted(&d.name)).collect();
        let fields = schema.fields();
        let first = format!("select * from {table} limit {MOST_ROWS}");
        let Ok(first) = runtime.block_on(alone(&one, &first)) else {
            continue;
        };
        if first.iter().map(RecordBatch::num_rows).sum::<usize>() == MOST_ROWS {
            continue;
        }
        asked += 1;
        for statement in STATEMENTS {
            let sql = statement
                .replace("DIMS", &dims.join(", "))
                .replace("FIRST", &quoted(fields.first().unwrap().name()))
                .replace("LAST", &quoted(fields.last().unwrap().name()))
                .replace("TABLE", &table);
            let wanted = runtime.block_on(alone(&one, &sql));
            let Ok(wanted) = wanted else { continue };
            let found = runtime.block_on(together(&cluster, &many, &sql));
            let found = found.unwrap_or_else(|error| panic!("{sql}: {error}"));
            // The order of equal rows is not defined, so with a limit only their number is compared.
            if statement.contains("limit 50") {
                let count =
                    |all: &[RecordBatch]| all.iter().map(RecordBatch::num_rows).sum::<usize>();
                assert_eq!(count(&found), count(&wanted), "{sql}");
            } else {
                assert_eq!(shown(&found, statement), shown(&wanted, statement), "{sql}");
            }
            compared += 1;
            rows += wanted.iter().map(RecordBatch::num_rows).sum::<usize>();
            shared += usize::from(runtime.block_on(is_shared(&many, &sql)));
        }
    }
    println!("{asked} arrays, {compared} compared, {shared} by both workers, {rows} rows");
    assert!(
        compared > 300 && shared > 100 && rows > 5000,
        "{asked} arrays, {compared} compared, {shared} by both workers, {rows} rows"
    );
}

#[test]
fn groups_beyond_the_memory_of_workers_end() {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("array").display().to_string();
    let runtime = runtime();
    let one = Database::new(arrays(None)).unwrap();
    let filled = format!(
        "copy (select x, concat('text number ', x * 7919 % 400009) as s from generate_series(1, 800000) as r(x))
         to '{array}' stored as tiledb options (dim 'x')"
    );
    let statement = one.statements(&filled).unwrap().pop_front().unwrap();
    runtime.block_on(one.run(statement)).unwrap();
    let (addresses, _running) = workers_on(folder.path(), Some(20_000_000), 2, &token());
    let cluster = Cluster::new(&addresses, &token()).unwrap().cells_each(1);
    let many = cluster.database(arrays(None)).unwrap();
    let sql = format!("select count(distinct s) from '{array}'");
    assert!(runtime.block_on(is_shared(&many, &sql)));
    let counted = async { tokio::time::timeout(END, together(&cluster, &many, &sql)).await };
    let counted = runtime.block_on(counted).unwrap().unwrap();
    assert_eq!(shown(&counted, &sql), ["400009"]);
}

#[test]
fn workers_without_the_token_are_not_asked_and_do_not_answer() {
    let (right, wrong) = (token(), Token::new("another token, as long as it").unwrap());
    let (addresses, _running) = workers(2, &right);
    let runtime = runtime();
    let asked = |token: &Token| {
        let cluster = Cluster::new(&addresses, token).unwrap();
        runtime.block_on(cluster.check())
    };
    asked(&right).unwrap();
    let refused = asked(&wrong);
    assert!(
        matches!(refused, Err(ClusterError::Refused { .. })),
        "{refused:?}"
    );
    // Without an earlier `check`, a query with the wrong token is refused as well.
    let cluster = Cluster::new(&addresses, &wrong).unwrap().cells_each(1);
    let database = cluster.database(arrays(None)).unwrap();
    let array = golden()
        .into_iter()
        .find(|array| array.ends_with("v10_filters_var/array"));
    let sql = format!(
        "select v_gzip, count(*) from '{}' group by v_gzip",
        array.unwrap().display()
    );
    let refused = runtime.block_on(together(&cluster, &database, &sql));
    let refused = refused.unwrap_err();
    assert!(refused.contains("certificate"), "{refused}");
}

#[test]
fn a_worker_that_is_not_there_is_named() {
    let runtime = runtime();
    let (mut addresses, running) = workers(2, &token());
    let cluster = Cluster::new(&addresses, &token()).unwrap();
    runtime.block_on(cluster.check()).unwrap();
    for worker in running {
        worker.shutdown_background();
    }
    let error = runtime.block_on(Cluster::new(&addresses, &token()).unwrap().check());
    let error = error.unwrap_err().to_string();
    assert!(error.contains(&addresses.remove(0)), "{error}");
}
