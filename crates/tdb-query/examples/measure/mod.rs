//! What the examples that measure have in common.

use std::time::Instant;

use tdb_schema::ArraySchema;
use tdb_tile::{Range, Scalar, with_scalar};

/// What a process has used so far, and when.
pub(crate) struct Clock {
    memory: u64,
    processor: f64,
    started: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            memory: peak_memory(),
            processor: processor_time(),
            started: Instant::now(),
        }
    }

    /// Prints what has been used since, as a line of JSON.
    pub(crate) fn say(&self, cells: u64) {
        println!(
            "{{\"cells\":{cells},\"wall\":{:.4},\"cpu\":{:.4},\"peak\":{}}}",
            self.started.elapsed().as_secs_f64(),
            processor_time() - self.processor,
            peak_memory().saturating_sub(self.memory)
        );
    }
}

/// The interval that `DIM=LO..HI` stands for.
pub(crate) fn interval(schema: &ArraySchema, text: &str) -> Result<(String, Range), String> {
    const FORM: &str = "an interval is DIM=LO..HI";
    let (name, ends) = text.split_once('=').ok_or(FORM)?;
    let (lo, hi) = ends.split_once("..").ok_or(FORM)?;
    let datatype = schema.field(name).ok_or("no such dimension")?.datatype;
    let end = |text: &str| -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        with_scalar!(datatype, T => text.parse::<T>().map_err(|e| e.to_string())?.write(&mut out));
        Ok(out)
    };
    Ok((name.to_owned(), Range::new(end(lo)?, end(hi)?)))
}

/// Seconds that all threads of this process have had.
pub(crate) fn processor_time() -> f64 {
    let mut nanoseconds = 0_u64;
    for task in std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten()
    {
        let text = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        nanoseconds += text
            .split(' ')
            .next()
            .and_then(|n| n.parse::<u64>().ok())
            .unwrap_or(0);
    }
    nanoseconds as f64 / 1e9
}

/// Bytes of memory that this process had at most.
pub(crate) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}
