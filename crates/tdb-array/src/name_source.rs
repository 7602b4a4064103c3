use std::fmt::Debug;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use tdb_tile::{Bug, FormatVersion};

use crate::{ArrayError, At, TimestampedName};

/// Source of the times and names of new objects.
///
/// Programs use [`SystemNames`]; with [`CountedNames`], writes can be repeated byte for byte.
pub trait NameSource: Send + Sync + Debug {
    /// Returns the current time, in milliseconds since 1970.
    fn now(&self) -> u64;

    /// Returns a unique number, greater than all earlier ones of this source. It is part of names: of two objects with
    /// the same time, the one with the greater name counts as the later.
    ///
    /// # Errors
    /// [`ArrayError::NoRandomness`] if the source fails.
    fn id(&self) -> Result<u128, ArrayError>;

    /// Returns a new name for a fragment, a commit or a list, in the form of versions from 5 on.
    ///
    /// # Errors
    /// An end before the start, and as [`NameSource::id`].
    fn versioned(
        &self,
        (start, end): (u64, u64),
        version: FormatVersion,
    ) -> Result<TimestampedName, ArrayError> {
        TimestampedName::versioned(start, end, self.id()?, version).at("name")
    }

    /// Returns a new name for a schema or a metadata object.
    ///
    /// # Errors
    /// An end before the start, and as [`NameSource::id`].
    fn unversioned(&self, (start, end): (u64, u64)) -> Result<TimestampedName, ArrayError> {
        TimestampedName::unversioned(start, end, self.id()?).at("name")
    }

    /// Returns a new name for the object of an enumeration.
    ///
    /// # Errors
    /// As [`NameSource::id`].
    fn enumeration(&self) -> Result<String, ArrayError> {
        Ok(format!("__{:032x}_0", self.id()?))
    }
}

/// Names from the system clock, with ids that increase with the clock: of two changes with the same time, the one made
/// later has the greater name, even in different processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemNames;

/// Number of random bits of an id; the count is above them.
const RANDOM_BITS: u32 = 64;

impl NameSource for SystemNames {
    fn now(&self) -> u64 {
        let since = since_1970();
        parts_of_seconds(since.as_secs(), 1000, since.subsec_millis())
    }

    fn id(&self) -> Result<u128, ArrayError> {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let clock = nanoseconds();
        // If the clock stands still or moves back, the count still increases.
        let next = |last: u64| Some(last.checked_add(1)?.max(clock));
        let count = LAST
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
            .ok()
            .and_then(next)
            .ok_or_else(|| Bug::new("a clock at the end of its time"))?;
        Ok((u128::from(count) << RANDOM_BITS) | u128::from(random()))
    }
}

/// Returns the nanoseconds since 1970; 64 bits suffice until the year 2554.
fn nanoseconds() -> u64 {
    let since = since_1970();
    parts_of_seconds(since.as_secs(), 1_000_000_000, since.subsec_nanos())
}

/// Returns a time in parts of a second. Clamped: a clock that is set centuries ahead shows the last time.
fn parts_of_seconds(seconds: u64, parts: u64, rest: u32) -> u64 {
    seconds.saturating_mul(parts).saturating_add(rest.into())
}

/// Returns the time since 1970; zero if the clock is set to an earlier time.
fn since_1970() -> Duration {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one source of times and names that asks the clock; callers may bring another"
    )]
    let now = SystemTime::now();
    now.duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
}

/// Returns random bits from the seeds of the standard library's hash maps. They suffice to make names unique; nothing
/// here is secret.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A fixed time, and names with consecutive numbers: the same changes produce the same objects. Two such sources must
/// not write into one array with the same first number.
///
/// ```
/// use tdb_array::{CountedNames, NameSource};
/// let names = CountedNames::new(1_700_000_000_000, 7);
/// let first = names.unversioned((10, names.now()))?;
/// assert_eq!(first.as_str(), "__10_1700000000000_00000000000000000000000000000007");
/// assert!(names.unversioned((10, names.now()))? > first);
/// # Ok::<(), tdb_array::ArrayError>(())
/// ```
#[derive(Debug, Default)]
pub struct CountedNames {
    now: AtomicU64,
    next: AtomicU64,
}

impl CountedNames {
    /// Creates a source with the time `now`, in milliseconds since 1970, and ids from `first` on.
    pub fn new(now: u64, first: u64) -> Self {
        Self {
            now: now.into(),
            next: first.into(),
        }
    }

    /// Sets the time, in milliseconds since 1970.
    pub fn set_now(&self, now: u64) {
        self.now.store(now, Ordering::Relaxed);
    }
}

impl NameSource for CountedNames {
    fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    fn id(&self) -> Result<u128, ArrayError> {
        Ok(self.next.fetch_add(1, Ordering::Relaxed).into())
    }
}

/// The time and the names of a change.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChangeOptions {
    /// The time of the change, in milliseconds since 1970; the current time if `None`.
    pub timestamp: Option<u64>,
    /// True if a schema may get an earlier time than the newest one has. Who opens the array at a time in between sees
    /// it; who opens the array as it is now does not.
    pub earlier_schemas: bool,
    /// The source of names and of the current time.
    pub names: Arc<dyn NameSource>,
}

impl ChangeOptions {
    /// Sets [`timestamp`](field@Self::timestamp).
    #[must_use]
    pub fn timestamp(mut self, timestamp: Option<u64>) -> Self {
        self.timestamp = timestamp;
        self
    }

    /// Sets [`earlier_schemas`](field@Self::earlier_schemas).
    #[must_use]
    pub fn earlier_schemas(mut self, allowed: bool) -> Self {
        self.earlier_schemas = allowed;
        self
    }

    /// Sets [`names`](field@Self::names).
    #[must_use]
    pub fn names(mut self, names: Arc<dyn NameSource>) -> Self {
        self.names = names;
        self
    }
}

impl Default for ChangeOptions {
    fn default() -> Self {
        Self {
            timestamp: None,
            earlier_schemas: false,
            names: Arc::new(SystemNames),
        }
    }
}

impl ChangeOptions {
    /// Creates options for a change at a time, in milliseconds since 1970.
    pub fn at(time: u64) -> Self {
        Self {
            timestamp: Some(time),
            ..Self::default()
        }
    }

    /// Returns the time of the change, in milliseconds since 1970.
    pub fn time(&self) -> u64 {
        self.timestamp.unwrap_or_else(|| self.names.now())
    }
}
