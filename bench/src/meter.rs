//! Resources used by the process: wall clock time, processor time and memory.

use std::fs;
use std::time::Instant;

use serde_json::{Value, json};

use crate::outcome::Result;
use crate::workload::Workload;

/// Processor seconds beyond which one timed run suffices.
const LONG: f64 = 2.0;

/// Number of timed runs.
const RUNS: usize = 3;

/// Measures times since its creation.
pub(crate) struct Stopwatch {
    started: Instant,
    processor: f64,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self {
            processor: processor_time(),
            started: Instant::now(),
        }
    }

    /// Returns wall clock seconds, and processor seconds of all threads.
    pub(crate) fn stop(&self) -> (f64, f64) {
        let wall = self.started.elapsed().as_secs_f64();
        (wall, processor_time() - self.processor)
    }
}

/// Runs and times a workload. `anew` runs before each run, and what a run keeps is dropped after it, both outside of
/// the measured time. The fastest run counts, since other load on the machine makes runs slower, never faster.
/// `memory` is the memory of the process before the workload.
pub(crate) fn timed<Kept>(
    workload: &Workload,
    memory: u64,
    mut anew: impl FnMut() -> Result<()>,
    mut once: impl FnMut() -> Result<(u64, Kept)>,
) -> Result<Value> {
    forget_peak()?;
    let mut runs = Vec::new();
    let mut cells = 0;
    while runs.len() < RUNS {
        anew()?;
        let watch = Stopwatch::start();
        let (count, kept) = once()?;
        let run = watch.stop();
        drop(kept);
        cells = count;
        runs.push(run);
        if run.1 > LONG {
            break;
        }
    }
    let peak = memory_at("VmHWM:")?.saturating_sub(memory);
    let times = if workload.each {
        workload.times as f64
    } else {
        1.0
    };
    let fastest = |of: fn(&(f64, f64)) -> f64| {
        let seconds = runs.iter().map(of).min_by(f64::total_cmp);
        seconds.map(|seconds| seconds / times)
    };
    Ok(
        json!({"wall": fastest(|run| run.0), "cpu": fastest(|run| run.1), "cells": cells, "peak": peak}),
    )
}

/// Returns the processor seconds used by all threads of this process, including those that have ended.
#[cfg(unix)]
pub(crate) fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns 0, since this system does not report it.
#[cfg(not(unix))]
pub(crate) fn processor_time() -> f64 {
    0.0
}

/// Returns memory in bytes: `VmRSS:` for the current use, `VmHWM:` for the peak. Only on Linux.
pub(crate) fn memory_at(key: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    Ok(kilobytes.ok_or("no such line")?.parse::<u64>()? * 1024)
}

/// Resets the peak memory.
pub(crate) fn forget_peak() -> Result<()> {
    Ok(fs::write("/proc/self/clear_refs", "5")?)
}
