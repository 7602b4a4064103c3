use std::time::{Duration, SystemTime};

use tdb_array::{ArrayError, ChangeOptions, Location, TimeWindow, TimestampedName};
use tdb_schema::value::rfc3339;

/// Options of a vacuum: what it may remove.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VacuumOptions {
    /// The grace period. Objects that were replaced more recently stay, since a program that opened the array before
    /// may still read them.
    pub grace: Duration,
    /// The current time.
    pub now: SystemTime,
    /// Sources stay if the object into which they were merged is later than this time, since they are read until then.
    /// In milliseconds since 1970; the current time if `None`.
    pub until: Option<u64>,
    /// The source of names.
    pub change: ChangeOptions,
}

impl VacuumOptions {
    /// Sets [`grace`](field@Self::grace).
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets [`now`](field@Self::now).
    #[must_use]
    pub fn now(mut self, now: SystemTime) -> Self {
        self.now = now;
        self
    }

    /// Sets [`until`](field@Self::until).
    #[must_use]
    pub fn until(mut self, until: Option<u64>) -> Self {
        self.until = until;
        self
    }

    /// Sets [`change`](field@Self::change).
    #[must_use]
    pub fn change(mut self, change: ChangeOptions) -> Self {
        self.change = change;
        self
    }
}

impl Default for VacuumOptions {
    fn default() -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "the default of a setting, which callers may give"
        )]
        let now = SystemTime::now();
        Self {
            grace: Duration::from_secs(600),
            now,
            until: None,
            change: ChangeOptions::default(),
        }
    }
}

impl VacuumOptions {
    /// True if an object is older than the grace period. If the store does not record times, objects are removed only
    /// without a grace period.
    pub(crate) fn is_over(&self, location: &Location, key: &str) -> Result<bool, ArrayError> {
        if self.grace.is_zero() {
            return Ok(true);
        }
        let written = match location.store().modified(&location.full(key)) {
            Ok(written) => written,
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(error.into()),
        };
        let age = written.and_then(|written| self.now.duration_since(written).ok());
        Ok(age.is_some_and(|age| age >= self.grace))
    }
}

impl VacuumOptions {
    fn newest_time(&self) -> u64 {
        // A clock before 1970 counts as 1970, as for the times of changes.
        let now = self
            .now
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| {
                u64::try_from(since.as_millis()).unwrap_or(TimeWindow::ALL.at)
            });
        self.until.unwrap_or(now)
    }

    /// Returns a note if the sources in a list must stay for now, because the object into which they were merged has a
    /// future time.
    pub(crate) fn told_as_later(&self, list: &str, merged: &TimestampedName) -> Option<String> {
        let end = merged.end();
        (end > self.newest_time()).then(|| {
            let until = rfc3339(end);
            format!("what {list} lists stays: it is read until {until}, the time of what it was merged into")
        })
    }
}

pub(crate) fn young(key: &str) -> String {
    format!("{key} stays for now: it is younger than the grace period")
}
