use std::fmt::Debug;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use tdb_tile::FormatVersion;

use crate::{ArrayError, At, TimestampedName};

/// Where new objects get their times and their names from.
///
/// [`SystemNames`] is what programs use; [`CountedNames`] makes a write that can be repeated byte for byte.
pub trait NameSource: Send + Sync + Debug {
    /// The time now, in milliseconds since 1970.
    fn now(&self) -> u64;

    /// A number that no other object has, larger than all that this source gave before: of two
    /// objects with one time, the one written later counts, and that is told by their names.
    ///
    /// # Errors
    /// [`ArrayError::NoRandomness`], from sources that can run dry.
    fn id(&self) -> Result<u128, ArrayError>;

    /// The name of a fragment, of a commit or of a list, in the form that versions from 5 on have.
    ///
    /// # Errors
    /// A span that ends before it starts, and as [`NameSource::id`].
    fn versioned(
        &self,
        (start, end): (u64, u64),
        version: FormatVersion,
    ) -> Result<TimestampedName, ArrayError> {
        TimestampedName::versioned(start, end, self.id()?, version).at("name")
    }

    /// The name of a schema or of metadata.
    ///
    /// # Errors
    /// A span that ends before it starts, and as [`NameSource::id`].
    fn unversioned(&self, (start, end): (u64, u64)) -> Result<TimestampedName, ArrayError> {
        TimestampedName::unversioned(start, end, self.id()?).at("name")
    }

    /// The name of the object that holds an enumeration.
    ///
    /// # Errors
    /// As [`NameSource::id`].
    fn enumeration(&self) -> Result<String, ArrayError> {
        Ok(format!("__{:032x}_0", self.id()?))
    }
}

/// The clock of the system, and names that count up from the clock: of two changes at one time the one that was made
/// later has the later name, whichever processes made them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemNames;

/// Bits of a name that are random; above them stands the count.
const RANDOM_BITS: u32 = 64;

impl NameSource for SystemNames {
    fn now(&self) -> u64 {
        let since = since_1970();
        let seconds = since.as_secs().saturating_mul(1000);
        seconds.saturating_add(u64::from(since.subsec_millis()))
    }

    fn id(&self) -> Result<u128, ArrayError> {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let clock = nanoseconds();
        // Where the clock does not move, or moves back, the count goes on all the same.
        let next = |last: u64| last.saturating_add(1).max(clock);
        let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
            Some(next(last))
        });
        let count = next(last.unwrap_or_else(|last| last));
        Ok(u128::from(count).wrapping_shl(RANDOM_BITS) | u128::from(random()))
    }
}

/// Since 1970; enough bits for the year 2554.
fn nanoseconds() -> u64 {
    let since = since_1970();
    let seconds = since.as_secs().saturating_mul(1_000_000_000);
    seconds.saturating_add(u64::from(since.subsec_nanos()))
}

/// The time of the system's clock; zero where it is set to a time before 1970.
fn since_1970() -> Duration {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one source of times and names that asks the clock; callers may bring another"
    )]
    let now = SystemTime::now();
    now.duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
}

/// Random bits of the system's, by way of the keys that the standard library's hash maps take: names have to
/// differ, and keep no secret.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A time that stands still until it is set, and names that are counted: the same changes make the
/// same objects. Two of these must not write into one array with the same first number.
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
    /// A clock that shows `now`, in milliseconds since 1970, and names from `first` on.
    pub fn new(now: u64, first: u64) -> Self {
        Self {
            now: now.into(),
            next: first.into(),
        }
    }

    /// Sets the clock, in milliseconds since 1970.
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

/// How an array or a group is changed.
#[derive(Clone, Debug)]
pub struct ChangeOptions {
    /// The time of the change, in milliseconds since 1970; now, where none is given.
    pub timestamp: Option<u64>,
    /// Where names, and the time now, come from.
    pub names: Arc<dyn NameSource>,
}

impl Default for ChangeOptions {
    fn default() -> Self {
        Self {
            timestamp: None,
            names: Arc::new(SystemNames),
        }
    }
}

impl ChangeOptions {
    /// A change at a time, in milliseconds since 1970.
    pub fn at(time: u64) -> Self {
        Self {
            timestamp: Some(time),
            ..Self::default()
        }
    }

    /// The time of the change, in milliseconds since 1970.
    pub fn time(&self) -> u64 {
        self.timestamp.unwrap_or_else(|| self.names.now())
    }
}
