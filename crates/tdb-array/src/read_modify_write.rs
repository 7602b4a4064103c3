//! Changes that depend on what was read: nothing that others commit meanwhile is lost.
//!
//! A program that reads cells and writes them back overwrites what another one wrote in between. Against programs that do
//! the same, it holds a claim from before the first look until after the last. Against those that just write, it looks
//! twice: before its commit and after it. A new commit that is *older* than its own, in the order of times and names, was
//! not seen and would be hidden: the change takes its own commit back and begins anew. A newer commit does no harm: it
//! counts as a later write.
//!
//! A change sees what a read sees at its time: what bears a later time lies above it, and is left alone. But the clocks of other
//! machines may be a little ahead, and a change made by one of them would hide this one, which could not have seen it. So a change
//! waits until its own clock has passed what bears a time less than [`AHEAD`] to come.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tdb_store::list_all;

use crate::claim::Claim;
use crate::directory::{COMMITS_FOLDER, FRAGMENT_FOLDER};
use crate::{
    Array, ArrayError, ChangeOptions, Committed, Delete, Fragment, LaterObjects, Location,
    OpenOptions, TimeWindow, TimestampedName,
};

/// How often a change begins anew.
pub(crate) const TRIES: u32 = 32;

/// A write that was begun no longer ago than this, and is not committed, may be committed soon.
const RECENT: u64 = 60_000;

/// How long such a write is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// A write bears a time from before its first file is there to be seen. So the last look is no sooner than this after the time of
/// the change: what bears an older time is likely to be seen by then.
const UNSEEN: Duration = Duration::from_millis(50);

/// Milliseconds that the clocks of machines may differ by: what bears a time so little ahead of the time now is taken for a change
/// made just now. What lies further ahead was dated, or comes from a clock that is wrong.
pub(crate) const AHEAD: u64 = 2_000;

/// A pause between two looks whether such a time has passed.
const TICK: Duration = Duration::from_millis(100);

/// A pause between two looks for such a write.
const PAUSE: Duration = Duration::from_millis(10);

/// A change of an array that depends on what is read of it.
///
/// ```no_run
/// # use tdb_array::{Array, ArrayError, ChangeOptions, Committed, Location, Reach, ReadModifyWrite};
/// # fn write_by_what_is_read(array: &Array, time: u64) -> Result<Committed, ArrayError> { Ok(Committed::default()) }
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
    /// How often claims of others were waited for.
    waits: u32,
}

/// The array as a change reads it.
#[derive(Clone, Debug)]
pub struct View {
    array: Arc<Array>,
    time: u64,
    looked: Instant,
}

/// Which commits of other programs conflict with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those with cells in the non-empty domains of the fragments that the change writes.
    Domain,
    /// All: for changes that also delete cells.
    Everything,
}

impl View {
    /// The array that the change is made by: what was written up to the time of the change.
    pub fn array(&self) -> &Arc<Array> {
        &self.array
    }

    /// The time of the change. It is from before the look, so that whatever others begin to write after the look lies above
    /// it.
    pub fn time(&self) -> u64 {
        self.time
    }
}

impl ReadModifyWrite {
    /// Waits until no other program changes the array in this way.
    ///
    /// # Errors
    /// [`ArrayError::Claimed`] where others do so for too long; as the store reports.
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

    /// The array, as it is to be read for the change: what was written up to its time. Where the time is not given, and something
    /// bears one that is less than two seconds to come, it is waited for.
    ///
    /// # Errors
    /// [`ArrayError::Overtaken`] after many views that were not current; as [`Array::open`].
    pub fn view(&mut self) -> Result<View, ArrayError> {
        self.tries = self.tries.saturating_add(1);
        if self.tries > TRIES {
            return Err(self.overtaken());
        }
        let mut waited = Duration::ZERO;
        let mut before = None;
        loop {
            self.renew()?;
            let (time, looked) = (self.options.time(), Instant::now());
            let array = self.open(TimeWindow::until(time))?;
            // A clock that stands still is not waited for.
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
            waited = waited.saturating_add(TICK);
        }
    }

    /// Whether others have changed the array at a time that is a little ahead: their clocks may be.
    fn must_wait(&self, array: &Array, time: u64) -> Result<bool, ArrayError> {
        if self.options.timestamp.is_some() || array.later().is_none() {
            return Ok(false);
        }
        let soon = self.open(TimeWindow::until(time.saturating_add(AHEAD)))?;
        let count = |later: Option<LaterObjects>| {
            later.map_or(0, |later| later.fragments.saturating_add(later.deletes))
        };
        Ok(count(soon.later()) < count(array.later()))
    }

    /// Says that work goes on, as others take a claim that does not change for one that was left behind. A thread says so by
    /// itself; where the system gives none, work that takes seconds has to call this now and then.
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
            self.waits = self.waits.saturating_add(1);
        }
        Ok(())
    }

    /// How often it gave way to others that changed the array at the same moment: it waited for them, or began anew.
    pub fn yielded(&self) -> u32 {
        self.waits.saturating_add(self.tries.saturating_sub(1))
    }

    /// Whether the view shows all that a change at its time would lie above: to be asked right before the commit. What bears a later
    /// time counts as a later write.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn is_current(&self, view: &View) -> Result<bool, ArrayError> {
        let is_held = match &self.claim {
            Some(claim) => claim.is_held()?,
            None => false,
        };
        let now = self.open(view.array.window())?;
        let nothing = Committed::default();
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

    /// Tells programs that just write of the change, which is about to be committed with this as its last time: a write that
    /// took its time before, and is committed later than [`ReadModifyWrite::keep`] looks, takes a later time then. Not where the
    /// time of the change was given.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn announce(&self, time: u64) -> Result<(), ArrayError> {
        match self.options.timestamp {
            Some(_) => Ok(()),
            None => self.location.announce_change(time),
        }
    }

    /// Looks again after the commit. False if it lies above something that the view does not show: then it was taken back, and
    /// the change has to begin anew.
    ///
    /// # Errors
    /// [`ArrayError::Overtaken`] where others have merged what was committed; as [`Array::open`].
    pub fn keep(
        &self,
        view: &View,
        committed: &Committed,
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
            waited = waited.saturating_add(PAUSE);
        }
    }

    /// Whether what was committed lies above something that the view does not show.
    fn hides(
        &self,
        view: &View,
        now: &Array,
        committed: &Committed,
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
        // A delete alone has no fragment, and nothing that lies below one.
        let last = now.fragments().iter().rposition(is_own).unwrap_or(0);
        let mut below = now.fragments().iter().take(last).filter(is_new);
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

    /// Whether others have begun to write below what was committed, and not finished.
    fn has_unfinished(
        &self,
        view: &View,
        now: &Array,
        committed: &Committed,
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

/// The names of the fragments that an array shows, or that others have replaced in it, and these.
fn known<'a>(array: &'a Array, committed: &'a Committed) -> Result<HashSet<&'a str>, ArrayError> {
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

/// Whether a view shows a delete.
fn shows(view: &View, delete: &Delete) -> bool {
    let mut shown = view.array.deletes().iter();
    shown.any(|shown| shown.marker == delete.marker)
}

/// Whether the non-empty domains of two fragments have cells in common.
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
