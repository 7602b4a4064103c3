//! Statements with little memory: they end, with an answer or an error, and take no more than they are given. A program
//! of its own, since it measures its process.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests, which may fail so"
)]

use std::fs;
use std::io::Write;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::TryStreamExt;
use tdb_cells::{Session, SessionOptions};
use tdb_datafusion::{Answer, Arrays, Database, SqlError};
use tdb_open::Context;
use tokio::runtime::{Builder, Runtime};

/// Time after which a statement counts as endless.
const END: Duration = Duration::from_secs(120);

/// Statements run with an amount of memory, in MB.
struct Limited {
    database: Database,
    runtime: Runtime,
}

impl Limited {
    fn to(megabytes: u64) -> Self {
        let options = SessionOptions::default()
            .memory(Some(megabytes * 1_000_000))
            .threads(NonZero::new(2));
        let context = Context::new().session(Session::new(options));
        let mut runtime = Builder::new_multi_thread();
        Self {
            database: Database::new(Arc::new(Arrays::new(context))).unwrap(),
            runtime: runtime.worker_threads(2).enable_all().build().unwrap(),
        }
    }

    /// Runs statements, and returns the first column of the last one, or its error.
    fn run(&self, sql: &str) -> Result<Vec<String>, SqlError> {
        let mut rows = Vec::new();
        for statement in self.database.statements(sql)? {
            let run = async {
                rows.clear();
                if let Answer::Rows(mut batches) = self.database.run(statement).await? {
                    while let Some(batch) = batches.try_next().await? {
                        let options = FormatOptions::default();
                        let shown = ArrayFormatter::try_new(batch.column(0), &options).unwrap();
                        rows.extend((0..batch.num_rows()).map(|row| shown.value(row).to_string()));
                    }
                }
                Ok::<_, SqlError>(())
            };
            let ended = self
                .runtime
                .block_on(async { tokio::time::timeout(END, run).await });
            ended.unwrap_or_else(|_| panic!("no end: {sql}"))?;
        }
        Ok(rows)
    }

    fn one(&self, sql: &str) -> String {
        let rows = self
            .run(sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        rows.join(" ")
    }
}

/// Most memory that this process had so far, in MiB.
#[cfg(target_os = "linux")]
fn most() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let number = line.unwrap().split_whitespace().nth(1);
    number.unwrap().parse::<u64>().unwrap() >> 10
}

#[cfg(not(target_os = "linux"))]
fn most() -> u64 {
    0
}

#[test]
fn what_functions_make_asks_for_memory() {
    let limited = Limited::to(50);
    let long = "(select repeat('x', 2000000) as a)";
    for call in [
        "length(concat(a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a))",
        "length(a || a || a || a || a || a || a || a || a || a || a || a || a)",
        "length(concat_ws(a, 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x'))",
        "length(replace(a, 'x', a))",
        "length(regexp_replace(a, 'x', a, 'g'))",
        "cardinality([a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a])",
        "length(array_to_string(range(0, 100000), a))",
        "cardinality(array_replace_all(array_repeat(1, 100), 1, 2)), length(array_to_string(array_replace_all(array_repeat('y', 100), 'y', a), ''))",
        "cardinality(array_resize([1], 1000000000))",
        "cardinality(array_repeat(range(0, 100000), 100000))",
        "cardinality(range(timestamp '2024-01-01', timestamp '2024-01-02', interval '1 nanosecond'))",
        "cardinality(string_to_array(repeat(a, 5), NULL))",
    ] {
        let sql = format!("select {call} from {long}");
        let error = limited.run(&sql).map(|_| call).unwrap_err();
        assert!(error.to_string().contains("bytes more"), "{call}: {error}");
    }
    // Each statement doubles what it has.
    let mut doubled = long.to_owned();
    let mut name = "a".to_owned();
    for _ in 0..8 {
        doubled = format!("(select concat({name}, {name}) as {name}a from {doubled})");
        name.push('a');
    }
    let sql = format!("select length({name}) from {doubled}");
    let error = limited
        .run(&sql)
        .map(|_| "doubled")
        .unwrap_err()
        .to_string();
    assert!(error.contains("bytes more"), "{error}");
    for list in ["array_agg(s)", "string_agg(s, ',')"] {
        let rows = "(select repeat('y', 1000) as s from generate_series(1, 200000))";
        let error = limited.run(&format!("select {list} from {rows}"));
        let error = error.map(|_| list).unwrap_err().to_string();
        assert!(error.contains("bytes more"), "{error}");
    }
    assert!(most() < 400, "{} MiB", most());
}

#[test]
fn bounds_change_no_answers() {
    // With little memory, rows of 2000 letters are handled in pieces, others at once.
    let (little, much) = (Limited::to(80), Limited::to(2000));
    for letters in [4, 2000] {
        let rows = format!(
            "(select i, repeat('ab', {letters} / 2) as s, case when i % 7 = 0 then null else 'x' || i end as n from generate_series(1, 1500) t(i))"
        );
        for call in [
            "sum(length(replace(s, 'a', n)))",
            "sum(length(regexp_replace(s, '(b)', '<\\1>', 'g')))",
            "sum(length(s || n)), count(s || n)",
            "sum(length(concat_ws(n, s, s, null)))",
            "sum(cardinality(string_to_array(s, 'b')))",
            "sum(length(array_to_string(array_replace(string_to_array(s, 'b'), 'a', n), '-')))",
            "max(upper(s)), min(initcap(n))",
            "max(to_char(to_timestamp(i * 86400), '%Y-%m-%d'))",
            "max(translate(s, 'ab', 'é'))",
            "sum(cardinality(arrays_zip(string_to_array(s, 'b'), [1, i])))",
        ] {
            let sql = format!("select {call} from {rows}");
            assert_eq!(little.one(&sql), much.one(&sql), "{sql}");
        }
    }
}

#[test]
fn groups_beyond_memory_end() {
    let limited = Limited::to(20);
    let rows = "(select concat('text number ', x * 7919 % 400009) as s, x % 3 as t from generate_series(1, 800000) as r(x))";
    for _ in 0..3 {
        let count = limited.one(&format!("select count(distinct s) from {rows}"));
        assert_eq!(count, "400009");
    }
    let pairs = format!("select count(*) from (select distinct s, t from {rows})");
    assert_eq!(limited.one(&pairs), "800000");
}

/// A gzip file of "a,b\n1,x\n2,y\n".
const PACKED: [u8; 32] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0xd4, 0x49, 0xe2, 0x32, 0xd4,
    0xa9, 0xe0, 0x32, 0xd2, 0xa9, 0xe4, 0x02, 0x00, 0xc2, 0x96, 0x7e, 0x9d, 0x0c, 0x00, 0x00, 0x00,
];

#[test]
fn lines_of_objects_and_compressed_text_are_tables() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let write = |name: &str, bytes: &[u8]| fs::write(Path::new(&at(name)), bytes).unwrap();
    write("t.csv.gz", &PACKED);
    // The name says that it may be compressed; the bytes, whether it is.
    write("plain.csv.gz", b"a,b\n1,x\n2,y\n");
    let objects = b"{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}\n";
    for name in ["t.json", "t.jsonl", "t.ndjson", "t.NDJSON", "t.jsonl.gz"] {
        write(name, objects);
    }
    let limited = Limited::to(50);
    for name in [
        "t.csv.gz",
        "plain.csv.gz",
        "t.json",
        "t.jsonl",
        "t.ndjson",
        "t.NDJSON",
        "t.jsonl.gz",
    ] {
        let sql = format!("select concat(sum(a), max(b)) from '{}'", at(name));
        assert_eq!(limited.one(&sql), "3y", "{name}");
    }
    for (table, kind, name) in [
        ("one", "csv", "t.csv.gz"),
        ("two", "json", "t.jsonl"),
        ("three", "jsonl", "t.jsonl.gz"),
    ] {
        let compressed = if name.ends_with("gz") {
            "options ('format.compression' 'gzip')"
        } else {
            ""
        };
        let sql = format!(
            "create external table {table} stored as {kind} location '{}' {compressed}; select count(*) from {table}",
            at(name)
        );
        assert_eq!(limited.one(&sql), "2", "{name}");
    }
    let error = |sql: &str| limited.run(sql).unwrap_err().to_string();
    write("t.csv.xz", b"\xfd7zXZ\0");
    let text = error(&format!("select * from '{}'", at("t.csv.xz")));
    assert!(text.contains("gzip (.gz) or zstd (.zst)"), "{text}");
    let text = error(&format!(
        "create external table x stored as csv location '{}' options ('format.compression' 'gzip')",
        at("t.json")
    ));
    assert!(text.contains("ends with .gz"), "{text}");
    let text = error(&format!(
        "create external table x stored as csv location '{}' options ('format.compression' 'bzip2')",
        at("t.csv.gz")
    ));
    assert!(text.contains("not with bzip2"), "{text}");
    write("cut.csv.gz", &PACKED[..25]);
    let text = error(&format!("select * from '{}'", at("cut.csv.gz")));
    assert!(text.contains("not valid gzip"), "{text}");
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(b"a,b\n1,").unwrap();
    packed.write_all(&vec![b'x'; 20 << 20]).unwrap();
    write("long.csv.gz", &packed.finish().unwrap());
    let text = error(&format!("select count(*) from '{}'", at("long.csv.gz")));
    assert!(
        text.contains("a line has more than 3125000 bytes"),
        "{text}"
    );
    let copied = format!(
        "copy (select 7 as a) to '{0}'; select a from '{0}'",
        at("out.jsonl")
    );
    assert_eq!(limited.one(&copied), "7");
}
