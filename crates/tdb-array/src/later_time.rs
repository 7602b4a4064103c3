//! Writes that take another time: `docs/format/directory.md`, "Changes of what was read".
//!
//! A write takes its time before others can see anything of it. A change of what was read that is committed in between
//! has a later time, cannot know of the write, and would hide it. So whoever makes such a change announces it before its
//! commit, and a write looks for announcements after its own: it sees the change, or the change, which looks again after its
//! commit, sees the write. A write that has such a change above it is committed again, under a later time. A change that lies further
//! ahead than clocks may differ is no reason for that: a write of now stays one.

use std::collections::HashSet;

use tdb_store::{StoreError, list_all, name};

use crate::directory::{CHANGED, changed_at};
use crate::read_modify_write::{AHEAD, TRIES, intersect};
use crate::{
    Array, ArrayError, Committed, Location, NameSource, OpenOptions, SealedFragment,
    TimestampedName,
};

impl Location {
    /// Notes that a change of what was read is about to be committed, at a time.
    pub(crate) fn announce_change(&self, time: u64) -> Result<(), ArrayError> {
        let announced = self.announced_changes()?;
        // One that lies far ahead is not looked at by writes of now.
        let near = time.saturating_add(AHEAD);
        let mut others = announced.iter().filter(|(_, other)| *other <= near);
        if others.all(|(_, other)| *other < time) {
            // It need not outlive a loss of power: no write does that it is meant for.
            let object = self
                .store()
                .create(&self.full(&format!("{CHANGED}{time}")))?;
            match object.place() {
                Ok(()) | Err(StoreError::Exists { .. }) => (),
                Err(error) => return Err(error.into()),
            }
        }
        let older = announced.iter().filter(|(_, other)| *other < time);
        let older: Vec<&str> = older.map(|(key, _)| key.as_str()).collect();
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
    /// Makes fragments part of the array, several of them at once, and sees to it that no change of what was read hides them
    /// which could not know of them: those that one hides are committed again, under names of a later time.
    ///
    /// # Errors
    /// As [`Array::commit_together`]; [`ArrayError::Overtaken`] where each time another change lies above them, or where others
    /// have merged them meanwhile.
    pub fn commit_above_changes(
        &self,
        mut sealed: Vec<SealedFragment>,
        names: &dyn NameSource,
    ) -> Result<Vec<TimestampedName>, ArrayError> {
        for _ in 0..TRIES {
            let committed = Committed {
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
            let copies = committed.fragments.iter().map(|original| {
                let name = names.versioned((time, time), original.version())?;
                SealedFragment::copy_of(original, name, self)
            });
            let copies = copies.collect::<Result<_, _>>();
            // Cells that cannot be copied are not written, and the caller gets the error.
            self.location().take_back(&committed)?;
            sealed = copies?;
        }
        Err(self.overtaken())
    }

    /// A later time for what was committed, where a change of what was read lies above it that cannot have known of it.
    ///
    /// # Errors
    /// [`ArrayError::Overtaken`] where others have merged what was committed; as [`Array::open`].
    pub fn time_above_changes(
        &self,
        committed: &Committed,
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

    /// Whether others have written the same cells at this time or later, or deleted any.
    fn has_above(&self, now: &Self, committed: &Committed, time: u64) -> Result<bool, ArrayError> {
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

/// A time later than that of a change: now, unless the clock of the change was ahead.
fn after(change: u64, names: &dyn NameSource) -> Result<u64, ArrayError> {
    let next = change.checked_add(1).ok_or_else(|| ArrayError::Invalid {
        what: "note",
        name: format!("{CHANGED}{change}"),
        why: "no time is later than that of this change: remove the note",
    })?;
    Ok(names.now().max(next))
}
