//! How far a long change has come, on a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use super::input::ReadSoFar;
use crate::global::Global;

/// Time between two looks.
const STEP: Duration = Duration::from_millis(100);
const WIDTH: usize = 24;

/// A line on standard error that is written over and over.
pub(crate) struct Progress {
    is_shown: bool,
    started: Instant,
    shown: Option<Instant>,
    /// Bytes of the input, where that is known.
    total: Option<u64>,
}

impl Progress {
    pub(crate) fn new(global: &Global, total: Option<u64>) -> Self {
        Self {
            is_shown: !global.quiet && io::stderr().is_terminal(),
            started: Instant::now(),
            shown: None,
            total: total.filter(|total| *total > 0),
        }
    }

    /// So many cells were in so many bytes of the input.
    pub(crate) fn tell(&mut self, what: &str, cells: u64, bytes: u64) {
        let now = Instant::now();
        let is_soon = |shown: Instant| now.saturating_duration_since(shown) < STEP;
        if self.is_shown && !self.shown.is_some_and(is_soon) {
            self.show(|total, elapsed| line(what, Some(cells), bytes, total, elapsed));
        }
    }

    /// Shows how far the input has been read while it is looked through, if the system has a thread for it.
    pub(crate) fn watch<R>(self, what: &str, read: &ReadSoFar, work: impl FnOnce() -> R) -> R {
        if !self.is_shown {
            return work();
        }
        let (done, is_done) = mpsc::channel::<()>();
        let mut progress = self;
        std::thread::scope(|scope| {
            let watcher = move || {
                while is_done.recv_timeout(STEP) == Err(mpsc::RecvTimeoutError::Timeout) {
                    progress.show(|total, elapsed| line(what, None, read.bytes(), total, elapsed));
                }
            };
            let watcher = std::thread::Builder::new().spawn_scoped(scope, watcher);
            let result = work();
            drop(done);
            // A watcher that failed has shown nothing, which harms nobody.
            let _ = watcher.map(ScopedJoinHandle::join);
            result
        })
    }

    fn show(&mut self, line: impl FnOnce(Option<u64>, Duration) -> String) {
        let now = Instant::now();
        self.shown = Some(now);
        let line = line(self.total, now.saturating_duration_since(self.started));
        // There is nowhere left to tell that standard error is gone.
        let _ = write!(io::stderr(), "\r{line}\x1b[K");
    }

    /// Something of unknown length has begun.
    pub(crate) fn say(&mut self, what: &str) {
        if self.is_shown {
            self.shown = Some(Instant::now());
            let _ = write!(io::stderr(), "\r{what}\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// A bar where the end is known, cells, rate, and the time left.
fn line(
    what: &str,
    cells: Option<u64>,
    bytes: u64,
    total: Option<u64>,
    elapsed: Duration,
) -> String {
    let millis = elapsed.as_millis().max(1);
    let mut line = format!("{what} ");
    if let Some(total) = total {
        let bytes = bytes.min(total);
        let part =
            |of: u64| u64::try_from(u128::from(bytes) * u128::from(of) / u128::from(total.max(1)));
        let full = part(WIDTH as u64)
            .ok()
            .and_then(|full| usize::try_from(full).ok());
        let full = full.unwrap_or(0);
        line += &format!(
            "[{}{}] {:3} % ",
            "#".repeat(full),
            "-".repeat(WIDTH.saturating_sub(full)),
            part(100).unwrap_or(0)
        );
    }
    if let Some(cells) = cells {
        let rate = u128::from(cells).saturating_mul(1000) / millis;
        line += &format!("{cells} cells, {rate} a second, ");
    }
    if let Some(total) = total.filter(|total| bytes > 0 && bytes < *total) {
        let left = millis.saturating_mul(u128::from(total - bytes)) / u128::from(bytes) / 1000;
        line += &format!("{}:{:02} left", left / 60, left % 60);
    }
    line.trim_end_matches([',', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_rate_and_time_left() {
        let elapsed = Duration::from_secs(2);
        insta::assert_snapshot!(line("reading", Some(1000), 25, Some(100), elapsed), @"reading [######------------------]  25 % 1000 cells, 500 a second, 0:06 left");
        insta::assert_snapshot!(line("reading", Some(1000), 25, None, elapsed), @"reading 1000 cells, 500 a second");
        insta::assert_snapshot!(line("reading", Some(7), 100, Some(100), elapsed), @"reading [########################] 100 % 7 cells, 3 a second");
    }
}
