//! Changes that depend on cells read before (read-modify-write), without losing concurrent commits.
//!
//! A program that reads cells and writes them back could overwrite what another program wrote in between. Against
//! programs that do the same, it holds a claim from before the first read until after the last check. Against programs
//! that only write, it checks twice: before its commit and after it. A new commit that is *older* than its own, in the
//! order of times and names, was not seen and would be hidden: then the change takes its own commit back and starts
//! over. A newer commit does no harm: it counts as a later write.
//!
//! A change sees what a read at its time sees; objects with a later time are above it and are left alone. But the
//! clocks of other machines may be slightly ahead, and a change made there would hide this one without having seen it.
//! So a change waits until its own clock has passed the times of objects that are at most [`AHEAD`] in the future.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tdb_store::list_all;

use tdb_tile::Exact;

use crate::claim::Claim;
use crate::directory::{COMMITS_FOLDER, FRAGMENT_FOLDER};
use crate::{
    Array, ArrayError, ChangeOptions, CommittedNames, Delete, Fragment, LaterObjects, Location,
    OpenOptions, TimeWindow, TimestampedName,
};

/// Maximum number of attempts of a change.
pub(crate) const TRIES: u32 = 32;

/// Maximum age in milliseconds of an uncommitted write that is expected to be committed soon.
const RECENT: u64 = 60_000;

/// Maximum time to wait for such a write.
const PATIENCE: Duration = Duration::from_secs(2);

/// A write takes its time before its first file is visible. So the last check is made at least this long after the
/// time of the change: writes with an older time are probably visible by then.
const UNSEEN: Duration = Duration::from_millis(50);

/// Maximum difference between the clocks of machines, in milliseconds. A time that is at most this far in the future
/// counts as the present of another machine; a later one was set on purpose, or comes from a wrong clock.
pub(crate) const AHEAD: u64 = 2_000;

/// Pause between two checks whether such a time has passed.
const TICK: Duration = Duration::from_millis(100);

/// Pause between two checks for an uncommitted write.
const PAUSE: Duration = Duration::from_millis(10);

/// A change of an array that depends on what is read from it.
///
/// ```no_run
/// # use tdb_array::{Array, ArrayError, ChangeOptions, CommittedNames, Location, Reach, ReadModifyWrite};
/// # fn write_by_what_is_read(array: &Array, time: u64) -> Result<CommittedNames, ArrayError> { Ok(CommittedNames::default()) }
/// # fn change(location: &Location) -> Result<(), ArrayError> {
/// let mut change = ReadModifyWrite::begin(location, &ChangeOptions::default())?;
/// loop {
///     let view = change.view()?;
///     // Everything up to the commit goes here.
///     if !change.is_current(&view)? {
///         continue;
///     }
///     change.announce(view.time())?;
///     let committed = write_by_what_is_read(view.array(), view.time())?;
///     if change.keep(&view, &committed, Reach::Domain)? {
///         return Ok(());
///     }
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct ReadModifyWrite {
    location: Location,
    options: ChangeOptions,
    claim: Option<Claim>,
    tries: u32,
    /// How often the change waited for claims of other programs.
    waits: u32,
}

/// The state of the array from which a change is computed.
#[derive(Clone, Debug)]
pub struct View {
    array: Arc<Array>,
    time: u64,
    looked: Instant,
}

/// The commits of other programs that conflict with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those with cells in the non-empty domain of a fragment that the change writes.
    Domain,
    /// All commits: for changes that also delete cells.
    Everything,
}

impl View {
    /// Returns the array as of the time of the change.
    pub fn array(&self) -> &Arc<Array> {
        &self.array
    }

    /// Returns the time of the change. It is taken before the array is opened, so that writes begun after that are
    /// above the change.
    pub fn time(&self) -> u64 {
        self.time
    }
}

impl ReadModifyWrite {
    /// Waits until no other program changes the array in this way, and takes the claim.
    ///
    /// # Errors
    /// [`ArrayError::Claimed`] if others hold the claim for too long, or any error of the store.
    pub fn begin(location: &Location, options: &ChangeOptions) -> Result<Self, ArrayError> {
        let claim = Claim::take(location)?;
        Ok(Self {
            location: location.clone(),
            options: options.clone(),
            waits: claim.has_waited().into(),
            claim: Some(claim),
            tries: 0,
        })
    }

    /// Opens the array as of the time of the change. If that time is not specified, and objects have a time at most
    /// two seconds in the future, waits until it has passed.
    ///
    /// # Errors
    /// [`ArrayError::Overtaken`] after too many attempts; as [`Array::open`].
    pub fn view(&mut self) -> Result<View, ArrayError> {
        self.tries = self.tries.exact_add(1)?;
        if self.tries > TRIES {
            return Err(self.overtaken());
        }
        let mut waited = Duration::ZERO;
        let mut before = None;
        loop {
            self.renew()?;
            let (time, looked) = (self.options.time(), Instant::now());
            let array = self.open(TimeWindow::until(time))?;
            // Do not wait for a clock that stands still.
            let is_over = waited.as_millis() >= u128::from(AHEAD) || before == Some(time);
            if is_over || !self.must_wait(&array, time)? {
                return Ok(View {
                    array: Arc::new(array),
                    time,
                    looked,
                });
            }
            before = Some(time);
            std::thread::sleep(TICK);
            waited = [waited, TICK].iter().sum();
        }
    }

    /// True if others have changed the array at a time slightly in the future, perhaps because their clocks are ahead.
    fn must_wait(&self, array: &Array, time: u64) -> Result<bool, ArrayError> {
        if self.options.timestamp.is_some() || array.later().is_none() {
            return Ok(false);
        }
        let soon = self.open(TimeWindow::until(time.saturating_add(AHEAD)))?;
        let count = |later: Option<LaterObjects>| -> u64 {
            later.map_or(0, |later| [later.fragments, later.deletes].iter().sum())
        };
        Ok(count(soon.later()) < count(array.later()))
    }

    /// Renews the claim, which others would take for abandoned if it did not change. A thread does so regularly; if
    /// the system could not start one, work that takes seconds must call this from time to time.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn renew(&mut self) -> Result<(), ArrayError> {
        let is_held = match &self.claim {
            Some(claim) => claim.renew()?,
            None => false,
        };
        if !is_held {
            self.claim = None;
            self.claim = Some(Claim::take(&self.location)?);
            self.waits = self.waits.exact_add(1)?;
        }
        Ok(())
    }

    /// Returns how often the change gave way to others: it waited for them, or started over.
    pub fn yielded(&self) -> u32 {
        // Before the first try, nothing was started over.
        [self.waits, self.tries.saturating_sub(1)].iter().sum()
    }

    /// True if the view shows everything that a commit at its time would be above. Call this right before the commit.
    /// Objects with a later time count as later writes.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn is_current(&self, view: &View) -> Result<bool, ArrayError> {
        let is_held = match &self.claim {
            Some(claim) => claim.is_held()?,
            None => false,
        };
        let now = self.open(view.array.window())?;
        let nothing = CommittedNames::default();
        let known = known(&view.array, &nothing)?;
        let mut fragments = now.fragments().iter();
        let mut deletes = now.deletes().iter();
        let is_new = |fragment: &Fragment| {
            !known.contains(fragment.name.as_str()) && fragment.timestamps().0 <= view.time
        };
        let is_hidden = fragments.any(is_new)
            || deletes.any(|delete| !shows(view, delete) && delete.timestamp <= view.time);
        Ok(is_held && !is_hidden)
    }

    /// Announces the change, right before its commit, to programs that only write; `time` is its last time. A write
    /// that took its time before, and is committed too late for the check in [`ReadModifyWrite::keep`], then moves to
    /// a later time. Does nothing if the time of the change was specified.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn announce(&self, time: u64) -> Result<(), ArrayError> {
        match self.options.timestamp {
            Some(_) => Ok(()),
            None => self.location.announce_change(time),
        }
    }

    /// Checks again after the commit. Returns false if the commit is above something that the view does not show: it
    /// was then taken back, and the change must start over.
    ///
    /// # Errors
    /// [`ArrayError::Overtaken`] if others have merged what was committed; as [`Array::open`].
    pub fn keep(
        &self,
        view: &View,
        committed: &CommittedNames,
        reach: Reach,
    ) -> Result<bool, ArrayError> {
        std::thread::sleep(UNSEEN.saturating_sub(view.looked.elapsed()));
        let ends = committed.fragments.iter().chain(&committed.delete);
        let last = ends.map(TimestampedName::end).fold(view.time, u64::max);
        let mut waited = Duration::ZERO;
        loop {
            let now = self.open(TimeWindow::until(last))?;
            if self.hides(view, &now, committed, reach)? {
                self.location.take_back(committed)?;
                return Ok(false);
            }
            if waited >= PATIENCE || !self.has_unfinished(view, &now, committed)? {
                return Ok(true);
            }
            std::thread::sleep(PAUSE);
            waited = [waited, PAUSE].iter().sum();
        }
    }

    /// True if the commit is above something that the view does not show.
    fn hides(
        &self,
        view: &View,
        now: &Array,
        committed: &CommittedNames,
        reach: Reach,
    ) -> Result<bool, ArrayError> {
        let own: HashSet<&str> = committed
            .fragments
            .iter()
            .map(TimestampedName::as_str)
            .collect();
        let is_own = |fragment: &Fragment| own.contains(fragment.name.as_str());
        let mine: Vec<&Fragment> = now.fragments().iter().filter(|f| is_own(f)).collect();
        if mine.len() < own.len() {
            return Err(self.overtaken());
        }
        let known = known(&view.array, committed)?;
        let is_new = |fragment: &&Fragment| !known.contains(fragment.name.as_str());
        if let Some(delete) = &committed.delete {
            let mut fragments = now.fragments().iter().filter(is_new);
            if fragments.any(|fragment| fragment.timestamps().0 <= delete.end()) {
                return Ok(true);
            }
        }
        // A delete without fragments has no position among the fragments: nothing is below it.
        let last = now.fragments().iter().rposition(is_own);
        let mut below = last
            .and_then(|last| now.fragments().get(..last))
            .into_iter()
            .flatten()
            .filter(is_new);
        let touches = |other: &Fragment| mine.iter().any(|mine| intersect(now, mine, other));
        if below.any(|other| reach == Reach::Everything || touches(other)) {
            return Ok(true);
        }
        let time = committed.fragments.iter().map(TimestampedName::start).min();
        let marker = committed
            .delete
            .as_ref()
            .map(|name| format!("{COMMITS_FOLDER}/{name}.del"));
        let mut deletes = now.deletes().iter();
        Ok(deletes.any(|delete| {
            time.is_some_and(|time| delete.timestamp < time)
                && marker.as_ref() != Some(&delete.marker)
                && !shows(view, delete)
        }))
    }

    /// True if others have begun, but not finished, to write with a time before that of the change.
    fn has_unfinished(
        &self,
        view: &View,
        now: &Array,
        committed: &CommittedNames,
    ) -> Result<bool, ArrayError> {
        let known = known(now, committed)?;
        let folder = if now.write_version().has_fragment_folder() {
            FRAGMENT_FOLDER
        } else {
            ""
        };
        let folder = self.location.full(folder);
        let listing = list_all(&**self.location.store(), &folder)?;
        let folders = listing.prefixes.iter().map(|key| tdb_store::name(key));
        let mut names = folders.filter_map(|name| TimestampedName::parse(name).ok());
        Ok(names.any(|name| {
            let age = view.time.checked_sub(name.start());
            age.is_some_and(|age| age < RECENT) && !known.contains(name.as_str())
        }))
    }

    fn open(&self, window: TimeWindow) -> Result<Array, ArrayError> {
        let options = OpenOptions {
            window,
            ..OpenOptions::default()
        };
        Array::open_location(&self.location, options)
    }

    fn overtaken(&self) -> ArrayError {
        ArrayError::Overtaken {
            prefix: self.location.prefix().to_owned(),
            tries: self.tries.min(TRIES),
        }
    }
}

/// Returns the names of the fragments that the array shows or knows as replaced, and those of the commit.
fn known<'a>(
    array: &'a Array,
    committed: &'a CommittedNames,
) -> Result<HashSet<&'a str>, ArrayError> {
    let shown = array
        .fragments()
        .iter()
        .map(|fragment| fragment.name.as_str());
    let own = committed.fragments.iter().map(TimestampedName::as_str);
    let mut known: HashSet<&str> = shown.chain(own).collect();
    for name in array.replaced().names() {
        known.insert(name?);
    }
    Ok(known)
}

/// True if the view shows a delete.
fn shows(view: &View, delete: &Delete) -> bool {
    let mut shown = view.array.deletes().iter();
    shown.any(|shown| shown.marker == delete.marker)
}

/// True if the non-empty domains of two fragments intersect.
pub(crate) fn intersect(array: &Array, a: &Fragment, b: &Fragment) -> bool {
    let dimensions = &array.schema().dimensions;
    let domains = a
        .metadata
        .non_empty_domain
        .iter()
        .zip(&b.metadata.non_empty_domain);
    let mut sides = dimensions.iter().zip(domains);
    sides.all(|(dimension, (a, b))| a.intersects(dimension.datatype, b))
}
