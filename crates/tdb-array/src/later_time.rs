//! Writes that must move to a later time: see `docs/format/directory.md`, "Changes of what was read".
//!
//! A write takes its time before others can see it. If a change of cells that were read before (a read-modify-write)
//! commits in between, it has a later time, cannot know of the write, and would hide its cells. So such a change
//! announces itself before its commit, and a write looks for announcements after its own commit. Then either the write
//! sees the change, or the change, which checks again after its commit, sees the write. A write below such a change is
//! committed again with a later time. Changes that are further ahead than clocks can differ do not count: a write of
//! the present stays in the present.

use std::collections::HashSet;

use tdb_store::{StoreError, list_all, name};

use crate::directory::{CHANGED, changed_at};
use crate::read_modify_write::{AHEAD, TRIES, intersect};
use crate::{
    Array, ArrayError, CommittedNames, Location, NameSource, OpenOptions, SealedFragment,
    TimestampedName,
};

impl Location {
    /// Announces, before its commit, a change of cells that were read before. `time` is the time of the change.
    pub(crate) fn announce_change(&self, time: u64) -> Result<(), ArrayError> {
        let announced = self.announced_changes()?;
        // Writes of the present ignore announcements that are far ahead.
        let near = time.saturating_add(AHEAD);
        let mut others = announced.iter().filter(|(_, other)| *other <= near);
        if others.all(|(_, other)| *other < time) {
            // Not synced: the announcement need not survive a power failure, because the writes that would look for it
            // do not.
            let object = self
                .store()
                .create(&self.full(&format!("{CHANGED}{time}")))?;
            match object.place() {
                Ok(()) | Err(StoreError::Exists { .. }) => (),
                Err(error) => return Err(error.into()),
            }
        }
        let older: Vec<&str> = announced
            .iter()
            .filter(|(_, other)| *other < time)
            .map(|(key, _)| key.as_str())
            .collect();
        Ok(self.remove_all(&older)?)
    }

    fn announced_changes(&self) -> Result<Vec<(String, u64)>, ArrayError> {
        let listing = list_all(&**self.store(), self.prefix())?;
        let keys = listing.objects.into_iter().map(|object| object.key);
        let changes = keys.filter_map(|key| {
            let time = changed_at(name(&key))?;
            Some((key, time))
        });
        Ok(changes.collect())
    }
}

impl Array {
    /// Commits fragments, several of them in one step. If a concurrent read-modify-write could not know of them and
    /// hides their cells, they are committed again with new names of a later time.
    ///
    /// # Errors
    /// As [`Array::commit_together`]; [`ArrayError::Overtaken`] if another change hides them on every attempt, or if
    /// others have merged them meanwhile.
    pub fn commit_above_changes(
        &self,
        mut sealed: Vec<SealedFragment>,
        names: &dyn NameSource,
    ) -> Result<Vec<TimestampedName>, ArrayError> {
        for _ in 0..TRIES {
            let committed = CommittedNames {
                fragments: match (sealed.pop(), sealed.is_empty()) {
                    (Some(only), true) => vec![only.commit()?],
                    (last, _) => {
                        sealed.extend(last);
                        self.commit_together(sealed)?
                    }
                },
                delete: None,
            };
            let Some(time) = self.time_above_changes(&committed, names)? else {
                return Ok(committed.fragments);
            };
            let copies = committed
                .fragments
                .iter()
                .map(|original| {
                    let name = names.versioned((time, time), original.version())?;
                    SealedFragment::copy_of(original, name, self)
                })
                .collect::<Result<_, _>>();
            // If the fragments cannot be copied, they are taken back, and the caller gets the error.
            self.location().take_back(&committed)?;
            sealed = copies?;
        }
        Err(self.overtaken())
    }

    /// Returns a later time for what was committed, if a read-modify-write that cannot have known of it hides it;
    /// otherwise `None`.
    ///
    /// # Errors
    /// [`ArrayError::Overtaken`] if others have merged the committed fragments; as [`Array::open`].
    pub fn time_above_changes(
        &self,
        committed: &CommittedNames,
        names: &dyn NameSource,
    ) -> Result<Option<u64>, ArrayError> {
        let all = committed.fragments.iter().chain(&committed.delete);
        let Some(time) = all.map(TimestampedName::start).min() else {
            return Ok(None);
        };
        let changes = self.location().announced_changes()?;
        let near = names.now().max(time).saturating_add(AHEAD);
        let changes = changes.iter().map(|(_, time)| *time);
        let Some(change) = changes.filter(|time| *time <= near).max() else {
            return Ok(None);
        };
        if change < time {
            return Ok(None);
        }
        let ends = committed.fragments.iter().chain(&committed.delete);
        let last = ends.map(TimestampedName::end).fold(change, u64::max);
        let now = Self::open_location(self.location(), OpenOptions::at(last))?;
        let has_above = self.has_above(&now, committed, time)?;
        has_above.then(|| after(change, names)).transpose()
    }

    /// True if others have written the same cells at this time or later, or have deleted cells. If the commit contains
    /// a delete, any write counts.
    fn has_above(
        &self,
        now: &Self,
        committed: &CommittedNames,
        time: u64,
    ) -> Result<bool, ArrayError> {
        let names = committed.fragments.iter().map(TimestampedName::as_str);
        let own: HashSet<&str> = names.collect();
        let (mine, others): (Vec<_>, Vec<_>) = now
            .fragments()
            .iter()
            .partition(|fragment| own.contains(fragment.name.as_str()));
        if mine.len() < own.len() {
            return Err(self.overtaken());
        }
        let mut later = others
            .into_iter()
            .filter(|fragment| fragment.timestamps().1 >= time);
        let touches = |other| mine.iter().any(|mine| intersect(now, mine, other));
        if later.any(|other| committed.delete.is_some() || touches(other)) {
            return Ok(true);
        }
        let own = committed.delete.as_ref().map(TimestampedName::as_str);
        let mut deletes = now.deletes().iter();
        Ok(deletes.any(|delete| {
            let name = TimestampedName::of_key(&delete.marker).ok();
            let is_own = name.is_some_and(|name| Some(name.as_str()) == own);
            delete.timestamp >= time && !is_own
        }))
    }

    fn overtaken(&self) -> ArrayError {
        ArrayError::Overtaken {
            prefix: self.prefix().to_owned(),
            tries: TRIES,
        }
    }
}

/// Returns a time later than that of a change: the present, or later if the clock of the change was ahead.
fn after(change: u64, names: &dyn NameSource) -> Result<u64, ArrayError> {
    let next = change.checked_add(1).ok_or_else(|| ArrayError::Invalid {
        what: "note",
        name: format!("{CHANGED}{change}"),
        why: "no time is later than that of this change: remove the note",
    })?;
    Ok(names.now().max(next))
}
