use std::time::{Duration, SystemTime};

use tdb_array::{ArrayError, ChangeOptions, Location, TimeWindow, TimestampedName};
use tdb_schema::value::rfc3339;

/// What a vacuum may remove.
#[derive(Clone, Debug)]
pub struct VacuumOptions {
    /// What was merged within this time stays: who opened the array before may still read it.
    pub grace: Duration,
    /// The time now.
    pub now: SystemTime,
    /// What was merged into something of a later time than this stays, as it is read until then; in milliseconds since 1970, and the
    /// time now, where none is given.
    pub until: Option<u64>,
    /// Where names come from.
    pub change: ChangeOptions,
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
    /// Whether an object is older than the grace period. Where the store does not tell, only a vacuum without
    /// one removes anything.
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
    fn until(&self) -> u64 {
        let now = self.now.duration_since(SystemTime::UNIX_EPOCH);
        // Where the clock stands before 1970, as for the times of changes, it is 1970.
        let now = now.map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(TimeWindow::ALL.at)
        });
        self.until.unwrap_or(now)
    }

    /// Why what a list says was replaced stays for now: what it was merged into bears a time to come, until which it is read.
    pub(crate) fn told_as_later(&self, list: &str, merged: &TimestampedName) -> Option<String> {
        let end = merged.end();
        (end > self.until()).then(|| {
            let until = rfc3339(end);
            format!("what {list} lists stays: it is read until {until}, the time of what it was merged into")
        })
    }
}

pub(crate) fn young(key: &str) -> String {
    format!("{key} stays for now: it is younger than the grace period")
}
