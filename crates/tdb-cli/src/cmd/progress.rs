//! Progress of long operations, shown on a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tdb::{Activity, Context, Progress, Session};

use crate::global::Global;

/// Minimum time between two updates.
const STEP: Duration = Duration::from_millis(100);
const WIDTH: usize = 24;

/// A progress line on standard error that is overwritten in place. Nothing is shown with `--quiet`, or if standard
/// error is not a terminal.
pub(crate) struct Line {
    shown: Option<Arc<Mutex<Shown>>>,
}

/// State of the progress line.
struct Shown {
    /// The current activity, and when it started.
    activity: Option<(Activity, Instant)>,
    /// Time of the last report; a new activity starts at that time.
    told: Instant,
    last: Option<Instant>,
}

impl Line {
    pub(crate) fn new(global: &Global) -> Self {
        let is_shown = !global.quiet && io::stderr().is_terminal();
        let shown = Shown {
            activity: None,
            told: Instant::now(),
            last: None,
        };
        Self {
            shown: is_shown.then(|| Arc::new(Mutex::new(shown))),
        }
    }

    /// Returns the context with progress reports that update this line.
    pub(crate) fn of(&self, context: Context) -> Context {
        match &self.shown {
            None => context,
            Some(_) => {
                let session = self.of_session(context.shared_session());
                context.session(session)
            }
        }
    }

    /// Returns the session with progress reports that update this line.
    pub(crate) fn of_session(&self, session: &Session) -> Session {
        let Some(shown) = self.shown.clone() else {
            return session.clone();
        };
        session.with_progress(move |progress| {
            let now = Instant::now();
            let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            shown.tell(progress, now, &mut io::stderr());
        })
    }

    /// Erases the line before other output.
    pub(crate) fn clear(&self) {
        let Some(shown) = &self.shown else { return };
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.clear(&mut io::stderr());
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Shown {
    fn tell(&mut self, progress: &Progress, now: Instant, to: &mut dyn Write) {
        let since = match self.activity {
            Some((activity, since)) if activity == progress.activity => since,
            _ => {
                self.activity = Some((progress.activity, self.told));
                // Storing reports only once, so its report is shown immediately.
                if progress.activity == Activity::Storing {
                    self.last = None;
                }
                self.told
            }
        };
        self.told = now;
        let is_soon = |last: Instant| now.saturating_duration_since(last) < STEP;
        if self.last.is_some_and(is_soon) {
            return;
        }
        self.last = Some(now);
        let line = line(progress, now.saturating_duration_since(since));
        // If standard error is closed, there is nowhere left to report that.
        let _ = write!(to, "\r{line}\x1b[K");
    }

    fn clear(&mut self, to: &mut dyn Write) {
        if self.last.take().is_some() {
            let _ = write!(to, "\r\x1b[K");
        }
        self.activity = None;
    }
}

/// Formats a progress line: a bar if the total is known, the count, the rate, and the remaining time.
fn line(progress: &Progress, elapsed: Duration) -> String {
    let Progress {
        activity,
        cells,
        done,
        total,
        ..
    } = *progress;
    let millis = elapsed.as_millis().max(1);
    let mut line = format!("{activity} ");
    let total = total.filter(|total| *total > 0);
    if let Some(total) = total {
        let done = done.min(total);
        let part =
            |of: u64| u64::try_from(u128::from(done) * u128::from(of) / u128::from(total.max(1)));
        let full = part(WIDTH as u64)
            .ok()
            .and_then(|full| usize::try_from(full).ok())
            .unwrap_or(0);
        line += &format!(
            "[{}{}] {:3} % ",
            "#".repeat(full),
            "-".repeat(WIDTH.saturating_sub(full)),
            part(100).unwrap_or(0)
        );
    }
    let counted = match (cells, activity) {
        (Some(cells), _) => Some((cells, "cells")),
        (None, Activity::Verifying) => Some((done, "tiles")),
        (None, _) => None,
    };
    if let Some((count, unit)) = counted.filter(|_| activity != Activity::Storing) {
        let rate = u128::from(count) * 1000 / millis;
        line += &format!("{count} {unit}, {rate} a second, ");
    }
    if let Some(total) = total.filter(|total| done > 0 && done < *total) {
        let left = millis.saturating_mul(u128::from(total - done)) / u128::from(done) / 1000;
        line += &format!("{}:{:02} left", left / 60, left % 60);
    }
    line.trim_end_matches([',', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_rate_and_time_left() {
        let line = |cells, bytes, total| {
            let progress = Progress::new(Activity::Reading, bytes).of(total);
            line(&progress.with_cells(cells), Duration::from_secs(2))
        };
        insta::assert_snapshot!(line(1000, 25, Some(100)), @"reading [######------------------]  25 % 1000 cells, 500 a second, 0:06 left");
        insta::assert_snapshot!(line(1000, 25, None), @"reading 1000 cells, 500 a second");
        insta::assert_snapshot!(line(7, 100, Some(100)), @"reading [########################] 100 % 7 cells, 3 a second");
    }

    #[test]
    fn a_line_without_cells_counts_what_there_is() {
        let line = |activity, done| {
            let progress = Progress::new(activity, done).of(Some(8));
            line(&progress, Duration::from_secs(1))
        };
        insta::assert_snapshot!(line(Activity::Looking, 4), @"looking [############------------]  50 % 0:01 left");
        insta::assert_snapshot!(line(Activity::Verifying, 2), @"verifying [######------------------]  25 % 2 tiles, 2 a second, 0:03 left");
    }

    #[test]
    fn a_line_is_written_over_and_taken_away() {
        let (start, mut out) = (Instant::now(), Vec::new());
        let mut shown = Shown {
            activity: None,
            told: start,
            last: None,
        };
        let merged = |cells| Progress::new(Activity::Merging, cells).with_cells(cells);
        shown.tell(&merged(1), start + STEP, &mut out);
        // Too early for an update.
        shown.tell(&merged(2), start + STEP * 3 / 2, &mut out);
        shown.tell(&merged(3), start + STEP * 2, &mut out);
        shown.clear(&mut out);
        shown.clear(&mut out);
        let out = String::from_utf8(out).expect("text");
        let lines: Vec<&str> = out.split('\r').skip(1).collect();
        assert_eq!(
            lines,
            [
                "merging 1 cells, 10 a second\x1b[K",
                "merging 3 cells, 15 a second\x1b[K",
                "\x1b[K"
            ]
        );
    }
}
