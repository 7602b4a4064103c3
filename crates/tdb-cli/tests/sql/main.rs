//! SQL statements on golden arrays, run as `tdb sql` runs them.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(feature = "distributed")]
mod cluster;
mod ends;
mod model;
mod prompt;
mod tables;
mod to_come;

use sqllogictest::{DB, DBOutput, DefaultColumnType, Runner};
use tdb::Session;
use tdb::{Context, FileFormat, Order, OutputFile, Sql, SqlAnswer};
use tempfile::TempDir;

/// Golden arrays, with their names in the statements.
const ARRAYS: [(&str, &str); 4] = [
    ("v22_tour", "tour"),
    ("v22_dense_basics", "dense"),
    ("v22_types_multi", "multi"),
    ("v22_enumerations_dense", "labels"),
];

/// Copies the golden arrays into a temporary folder.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    for (golden, name) in ARRAYS {
        copy(
            &fixtures.join(golden).join("array"),
            &folder.path().join(name),
        );
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).unwrap();
        }
    }
}

/// Runs SQL on the arrays of a folder; statements refer to it as `DIR`.
struct InFolder {
    sql: Sql,
    folder: String,
}

/// A result kept in memory.
#[derive(Clone, Default)]
struct InMemory(Arc<Mutex<Vec<u8>>>);

impl Write for InMemory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl DB for InFolder {
    type Error = tdb::Error;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, tdb::Error> {
        let sql = sql.replace("DIR", &self.folder);
        let mut output = DBOutput::StatementComplete(0);
        self.sql.run(&sql, |answer| {
            output = match answer {
                SqlAnswer::Rows(rows) => {
                    let result = InMemory::default();
                    let like = OutputFile::new("result").format(FileFormat::Csv);
                    rows.write_to(result.clone(), &like)?;
                    let text = String::from_utf8(result.0.lock().unwrap().clone()).unwrap();
                    of_csv(&text)
                }
                SqlAnswer::Written(cells)
                | SqlAnswer::Deleted(cells)
                | SqlAnswer::Changed(cells) => DBOutput::StatementComplete(cells),
                _ => DBOutput::StatementComplete(0),
            };
            Ok::<_, tdb::Error>(())
        })?;
        Ok(output)
    }

    fn shutdown(&mut self) {}
}

/// Parses CSV without quotes or line breaks in cells.
fn of_csv(text: &str) -> DBOutput<DefaultColumnType> {
    let mut lines = text.lines().map(cells);
    let columns = lines.next().map_or(0, |names| names.len());
    DBOutput::Rows {
        types: vec![DefaultColumnType::Any; columns],
        rows: lines.collect(),
    }
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            letter => cells.last_mut().unwrap().push(letter),
        }
    }
    let shown = cells.into_iter();
    let shown = shown.map(|cell| {
        if cell.is_empty() {
            "NULL".to_owned()
        } else {
            cell
        }
    });
    shown.collect()
}

/// Folder of the statement files.
fn statements() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql/statements")
}

/// Runs a file of statements, which contains their expected results.
fn run_file(name: &str) {
    let folder = folder();
    let context = Context::new().threads(2);
    let mut runner = Runner::new(|| async {
        Ok(InFolder {
            sql: context.sql()?,
            folder: folder.path().display().to_string(),
        })
    });
    let failed = runner.run_file(statements().join(name)).err();
    let failed = failed.map(|error| error.to_string());
    assert!(failed.is_none(), "{}", failed.as_deref().unwrap_or(""));
}

#[test]
fn arrays_are_read() {
    run_file("reading.slt");
}

#[test]
fn labels_are_joined_with_texts() {
    run_file("joining.slt");
}

#[test]
fn arrays_and_files_are_changed() {
    run_file("changing.slt");
}

#[test]
fn deletes_take_what_the_condition_is_true_for() {
    run_file("deleting.slt");
}

#[test]
fn updates_change_just_what_they_name() {
    run_file("updating.slt");
}

#[test]
fn what_is_among_nulls_is_unknown() {
    run_file("among.slt");
}

#[test]
fn integers_do_not_wrap() {
    run_file("integers.slt");
}

#[test]
fn floats_of_groups_are_those_of_all_rows() {
    run_file("floats.slt");
}

#[test]
fn distinct_from_binds_stronger_than_and() {
    run_file("distinct_from.slt");
}

#[test]
fn times_are_compared_and_stored_as_they_are() {
    run_file("times.slt");
}

#[test]
fn times_that_are_none_are_null() {
    run_file("unwritten.slt");
}

#[test]
fn tables_are_seen_as_of_times() {
    run_file("tables.slt");
}

#[test]
fn text_is_text_whatever_stores_it() {
    run_file("text.slt");
}

#[test]
fn each_file_of_statements_is_run() {
    let tests = include_str!("main.rs");
    for file in fs::read_dir(statements()).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(tests.contains(&format!("run_file({name:?})")), "{name}");
    }
}

#[test]
fn least_and_greatest_of_several_columns_are_the_same_each_time() {
    let folder = folder();
    let uri = folder.path().join("many").display().to_string();
    let sql = Context::new().threads(4).sql().unwrap();
    let make = format!(
        "copy (select value as x, 400 - value as a, case when value < 10 then value end as b from generate_series(0, 399)) \
         to '{uri}' stored as tiledb options (dim 'x', dense 'true')"
    );
    sql.run(&make, |_| Ok::<_, tdb::Error>(())).unwrap();
    let ask = |what: &str| {
        let rows = sql.query(&format!("select {what} from '{uri}'")).unwrap();
        format!("{:?}", rows.to_arrow().unwrap().columns())
    };
    for what in [
        "min(a), max(b)",
        "min(a), max(a) filter (where x < 10)",
        "min(a), min(-a)",
    ] {
        let first = ask(what);
        for _ in 0..100 {
            assert_eq!(ask(what), first, "{what}");
        }
    }
    let least = "select a from (select a, b from 'URI' where b is not null order by a limit 1)";
    for _ in 0..50 {
        let rows = sql.query(&least.replace("URI", &uri)).unwrap();
        let rows = rows.to_arrow().unwrap();
        let columns = format!("{:?}", rows.columns());
        assert!(columns.contains("391,"), "{columns}");
    }
}

#[test]
fn after_a_statement_that_was_cancelled_others_run() {
    let session = Session::default();
    let sql = Context::new().session(session.clone()).sql().unwrap();
    let cancelled = session.clone();
    let canceller = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        cancelled.cancel();
    });
    let begun = Instant::now();
    let long = "select count(*) from generate_series(1, 1000000) a(x), generate_series(1, 1000000) b(y) where x * y % 7 = 3";
    let rows = sql.query(long).unwrap();
    let failed = rows.to_arrow().unwrap_err();
    assert!(failed.to_string().contains("cancelled"), "{failed}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    canceller.join().unwrap();
    assert!(sql.query("select 1").unwrap().to_arrow().is_err());
    session.resume();
    let rows = sql.query("select 1").unwrap().to_arrow().unwrap();
    assert_eq!(rows.num_rows(), 1);
}

#[test]
fn a_line_without_an_end_takes_no_more_than_memory() {
    let folder = TempDir::new().unwrap();
    for name in ["endless.csv", "endless.json"] {
        fs::write(folder.path().join(name), "a,b\n1,2\n").unwrap();
        let file = fs::OpenOptions::new()
            .append(true)
            .open(folder.path().join(name))
            .unwrap();
        file.set_len(8 << 30).unwrap();
        let query = format!("select count(*) from '{name}'");
        let said = said(folder.path(), &[&query, "--memory", "50MB"], "");
        assert!(
            said.contains("a line has more than 3125000 bytes"),
            "{said}"
        );
        assert!(said.ends_with("exit 4"), "{said}");
    }
}

/// Runs `tdb sql` and returns its output, messages and exit status.
fn said(folder: &Path, arguments: &[&str], input: impl AsRef<[u8]>) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tdb"));
    command.current_dir(folder).arg("sql").args(arguments);
    // Keeps tests from creating a token for the user who runs them.
    command.env("XDG_STATE_HOME", folder.join("state"));
    command.stdin(std::process::Stdio::piped());
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_ref())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    format!("{out}{err}exit {}", output.status.code().unwrap())
}

#[test]
fn standard_input_that_is_not_a_query_is_named() {
    let folder = folder();
    let run = |input: &[u8]| said(folder.path(), &[], input);
    assert_eq!(
        run(b"select 'a\xff'"),
        "error: standard input: byte 9 is not valid UTF-8\nexit 2"
    );
    // The limit lies within a character.
    assert_eq!(
        run("é".repeat((1 << 19) + 1).as_bytes()),
        "error: the query is longer than 1 MiB\nexit 2"
    );
}

#[test]
fn rows_come_in_the_formats_of_reading() {
    let folder = folder();
    let run = |arguments: &[&str]| said(folder.path(), arguments, "");
    let snow = "select station, max(pressure) as most from tour where sky = 'snow' group by station order by station limit 2";
    insta::assert_snapshot!(run(&[snow]));
    insta::assert_snapshot!(run(&[snow, "--format", "table"]));
    insta::assert_snapshot!(run(&[snow, "--json"]));
    insta::assert_snapshot!(run(&[snow, "-o", "snow.parquet"]));
    insta::assert_snapshot!(run(&["select * from 'snow.parquet'"]));
    insta::assert_snapshot!(run(&[snow, "--format", "npy"]));
    let odd = "select 1.5::decimal(5,2) as d, interval '3 days' as i, [1,2] as l, [['x']] as n, null as z, true as b, x'ff00' as x, date '2024-02-29' as y";
    insta::assert_snapshot!(run(&[odd, "--json"]));
    insta::assert_snapshot!(run(&[
        "explain select station from tour where sky = 'snow' and station > 'K' limit 3",
        "--format",
        "table"
    ]));
}

#[test]
fn statements_come_through_a_pipe() {
    let folder = folder();
    let statements =
        "delete from tour where station = 'BGN' and sky = 'snow'; select count(*) from tour;";
    insta::assert_snapshot!(said(folder.path(), &[], statements));
    insta::assert_snapshot!(said(
        folder.path(),
        &["--at", "2024-04-12T01:00:00"],
        "select count(*) from tour"
    ));
    insta::assert_snapshot!(said(folder.path(), &["select 1; select 2"], ""));
    insta::assert_snapshot!(said(
        folder.path(),
        &["select 1; select 2", "-o", "two.csv"],
        ""
    ));
    assert!(!folder.path().join("two.csv").exists());
}

#[test]
fn members_of_a_group_are_tables() {
    let folder = TempDir::new().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    copy(
        &fixtures.join("v22_group/group"),
        &folder.path().join("group"),
    );
    copy(
        &fixtures.join("v22_tour/array"),
        &folder.path().join("tour"),
    );
    let run = |statement: &str| said(folder.path(), &[statement, "--group", "group"], "");
    // One array has a name of its own, the other the name of its folder. Tables given by path or registered by
    // statements remain usable.
    insta::assert_snapshot!(run("select count(*) from eins a join two b on true"));
    insta::assert_snapshot!(run("select count(*) from tour"));
    insta::assert_snapshot!(run(
        "create external table t stored as tiledb location 'tour'; delete from t where station = 'BGN'; select count(*) from t, (select * from eins limit 1)"
    ));
    insta::assert_snapshot!(run("select * from drei"));
}

#[test]
fn statements_of_another_time_change_nothing() {
    let folder = folder();
    let at = [
        "delete from tour where station = 'BGN'",
        "--at",
        "2024-04-12T01:00:00",
    ];
    insta::assert_snapshot!(said(folder.path(), &at, ""));
    let count = "select count(*) from tour";
    assert_eq!(said(folder.path(), &[count], ""), "count(*)\n80\nexit 0");
}

/// Statistics are in ticks of the field, but a column may have another unit: hours are seconds there.
#[test]
fn extremes_out_of_statistics_are_those_of_the_rows() {
    use tdb::{Attribute, Datatype, Dimension, Schema};

    let folder = TempDir::new().unwrap();
    let uri = folder.path().join("hours").display().to_string();
    let fields = [
        ("hour", Datatype::DateTimeHour),
        ("minute", Datatype::DateTimeMinute),
        ("day", Datatype::DateTimeDay),
        ("month", Datatype::DateTimeMonth),
        ("ms", Datatype::DateTimeMillisecond),
        ("small", Datatype::Int8),
        ("large", Datatype::UInt64),
    ];
    let mut schema =
        Schema::dense().dimension(Dimension::new("d", Datatype::Int32).domain(1..=3).tile(3));
    for (name, datatype) in fields {
        schema = schema.attribute(Attribute::new(name, datatype));
    }
    let array = tdb::create(&uri, &schema.build().unwrap()).unwrap();
    let times = [400_000_i64, -5, 31];
    let mut write = array
        .write()
        .column("small", [3_i8, -7, 0])
        .column("large", [u64::MAX, 7, 9]);
    for name in ["hour", "minute", "day", "month", "ms"] {
        write = write.column(
            name,
            times.map(|ticks| ticks / if name == "month" { 100 } else { 1 }),
        );
    }
    write.commit().unwrap();
    for (name, _) in fields {
        let asked = format!("select min({name}) as a, max({name}) as b from hours");
        let told = said(folder.path(), &[&asked], "");
        let plan = said(
            folder.path(),
            &[&format!("explain {asked}"), "--format", "table"],
            "",
        );
        assert!(!plan.contains("ArrayScan"), "{plan}");
        // This condition holds for all rows, and prevents the use of statistics.
        let seen = said(folder.path(), &[&format!("{asked} where d + 0 > 0")], "");
        assert_eq!(told, seen, "{name}");
    }
}

#[test]
fn errors_say_what_to_do() {
    let folder = folder();
    let run = |statement: &str| said(folder.path(), &[statement], "");
    insta::assert_snapshot!(run("select statoin from tour"));
    insta::assert_snapshot!(run("select * from toor"));
    insta::assert_snapshot!(run("select * form tour"));
    insta::assert_snapshot!(run("select count(* from tour"));
    insta::assert_snapshot!(run("select nosuch(station) from tour"));
    insta::assert_snapshot!(run("select station + 1 from tour"));
    insta::assert_snapshot!(run("delete from dense where n_i32 is null"));
    // A long chain of conditions, which parses to a tree of the same depth.
    let chain = |number| {
        let tests = "temperature * 2 = 3 or ".repeat(number);
        format!("select count(*) from tour where {tests} sky = 'snow'")
    };
    assert_eq!(said(folder.path(), &[], chain(990)), "count(*)\n21\nexit 0");
    insta::assert_snapshot!(said(folder.path(), &[], chain(10_000)));
    insta::assert_snapshot!(said(folder.path(), &["select 1", "--group", "tour"], ""));
}

#[test]
fn an_update_beside_sets_of_the_same_cell_loses_nothing() {
    const ROUNDS: u64 = 12;
    let folder = TempDir::new().unwrap();
    let uri = folder.path().join("one").display().to_string();
    let sql = Context::new().threads(2).sql().unwrap();
    let run = |statement: &str| sql.run(statement, |_| Ok::<_, tdb::Error>(()));
    run(&format!(
        "copy (select 1 as x, 0 as a, 0 as b) to '{uri}' stored as tiledb options (dim 'x')"
    ))
    .unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..ROUNDS {
                let mut set = Command::new(env!("CARGO_BIN_EXE_tdb"));
                let set = set.args(["set", &uri, "x = 1", "a=a+1", "-q"]);
                assert!(set.output().unwrap().status.success());
            }
        });
        for _ in 0..ROUNDS {
            run(&format!("update '{uri}' set a = a + 1, b = b + 1")).unwrap();
        }
    });
    let rows = sql.query(&format!("select a, b from '{uri}'")).unwrap();
    let found = format!("{:?}", rows.to_arrow().unwrap().columns());
    assert!(found.contains(&format!("{},", 2 * ROUNDS)), "{found}");
    assert!(found.contains(&format!("{ROUNDS},")), "{found}");
}

/// A statement changes only what a query sees: data with a future timestamp is not visible yet, and stays unchanged.
#[test]
fn changes_leave_what_bears_a_time_to_come() {
    const TO_COME: u64 = 4_102_444_800_000;
    let folder = TempDir::new().unwrap();
    let uri = folder.path().join("a").display().to_string();
    let context = Context::new().threads(2);
    let sql = context.sql().unwrap();
    let run = |statement: &str| sql.run(statement, |_| Ok::<_, tdb::Error>(())).unwrap();
    let rows = "select 1 as x, 2 as a union all select 2, 2";
    run(&format!(
        "copy ({rows}) to '{uri}' stored as tiledb options (dim 'x')"
    ));
    let array = context.open(&uri).unwrap();
    let write = array.write().at(TO_COME).column("x", [1_i64, 2]);
    write.column("a", [3_i64, 3]).commit().unwrap();
    let values = |time: Option<u64>| -> Vec<i64> {
        let time = time.map_or_else(|| context.open(&uri), |time| context.open_at(&uri, time));
        time.unwrap().read().order(Order::Row).to_vec("a").unwrap()
    };
    run(&format!("update '{uri}' set a = 7 where a = 3"));
    assert_eq!(values(None), [2, 2]);
    run(&format!("update '{uri}' set a = a + 5 where x = 1"));
    assert_eq!(values(None), [7, 2]);
    run(&format!("delete from '{uri}' where a <= 3"));
    assert_eq!(values(None), [7]);
    run(&format!("insert into '{uri}' values (3, 4)"));
    assert_eq!(values(None), [7, 4]);
    assert_eq!(values(Some(TO_COME)), [3, 3, 4]);
}

#[cfg(unix)]
#[test]
fn a_file_that_copy_replaces_stays_as_private_as_it_was() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder();
    let file = folder.path().join("own file.csv");
    fs::write(&file, "a\n0\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let sql = Context::new().sql().unwrap();
    let url = file.display().to_string().replace(' ', "%20");
    let copy = format!("copy (select 1 as a) to 'file://{url}'");
    sql.run(&copy, |_| Ok::<_, tdb::Error>(())).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "a\n1\n");
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let names = fs::read_dir(folder.path()).unwrap();
    let left = names.filter(|name| {
        name.as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .contains(".part")
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn what_can_no_longer_be_read_of_a_time_is_told() {
    let folder = TempDir::new().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    copy(
        &fixtures.join("v22_merged_dense/array"),
        &folder.path().join("merged"),
    );
    let mut vacuum = Command::new(env!("CARGO_BIN_EXE_tdb"));
    let vacuum = vacuum.args(["vacuum", "merged", "--grace", "0s"]);
    assert!(
        vacuum
            .current_dir(folder.path())
            .output()
            .unwrap()
            .status
            .success()
    );
    let statement = "select count(a) from merged; select 1 from merged limit 1";
    insta::assert_snapshot!(said(folder.path(), &[statement, "--at", "125"], ""));
    let option = ["--config", "tdb.incomplete_history=error"];
    let refused = [&[statement, "--at", "125"], &option[..]].concat();
    insta::assert_snapshot!(said(folder.path(), &refused, ""));
    let whole = [&[statement, "--at", "145"], &option[..]].concat();
    insta::assert_snapshot!(said(folder.path(), &whole, ""));
}
