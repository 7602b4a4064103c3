use std::time::{Duration, SystemTime};

use tdb_array::{ArrayError, ChangeOptions, Location};

/// What a vacuum may remove.
#[derive(Clone, Debug)]
pub struct VacuumOptions {
    /// What was merged within this time stays: who opened the array before may still read it.
    pub grace: Duration,
    /// The time now.
    pub now: SystemTime,
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

pub(crate) fn young(key: &str) -> String {
    format!("{key} stays for now: it is younger than the grace period")
}
