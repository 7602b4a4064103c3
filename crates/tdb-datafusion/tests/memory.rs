//! What statements take beside the memory that they are given. A program of its own, since it measures its process.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, thread};

use datafusion::arrow::array::RecordBatch;
use futures_util::TryStreamExt;
use tdb_cells::{Session, SessionOptions};
use tdb_datafusion::{Answer, Arrays, Database, SqlError};
use tdb_open::Context;

fn rss() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
}

#[test]
fn play() {
    let Ok(sql) = std::env::var("SQL") else { return };
    let memory: u64 = std::env::var("MEM").map_or(50, |m| m.parse().unwrap());
    let threads = std::env::var("THREADS").map_or(2, |m| m.parse().unwrap());
    let options = SessionOptions::default().memory(Some(memory * 1_000_000)).threads(std::num::NonZero::new(threads));
    let session = Session::new(options);
    let context = Context::new().session(session);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let database = Database::new(Arc::new(Arrays::new(context))).unwrap();
    let base = rss();
    for statement in database.statements(&sql).unwrap() {
        let begun = Instant::now();
        let shown = statement.to_string();
        let done = runtime.block_on(async {
            let run = async {
                match database.run(statement).await? {
                    Answer::Rows(rows) => {
                        let (mut rows, mut n, mut b) = (rows, 0, None);
                        while let Some(batch) = rows.try_next().await? {
                            n += batch.num_rows();
                            b = Some(batch);
                        }
                        let last = b.filter(|b: &RecordBatch| b.get_array_memory_size() < 10000).map(|b| format!("{:?}", b.columns().iter().map(|c| c.slice(0, 1.min(c.len()))).collect::<Vec<_>>()).replace('\n', ""));
                        Ok::<_, SqlError>(format!("{n} rows {last:?}"))
                    }
                    _ => Ok("done".to_owned()),
                }
            };
            tokio::time::timeout(Duration::from_secs(60), run).await
        });
        let done = match done { Ok(Ok(t)) => t, Ok(Err(e)) => format!("ERROR {e}"), Err(_) => "TIMEOUT".to_owned() };
        println!("{:.1}s hwm {} MiB (base {base}) {} -> {done}", begun.elapsed().as_secs_f64(), rss(), &shown[..shown.len().min(300)]);
    }
    let _ = thread::current();
}
