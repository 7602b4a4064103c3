//! Replacement of fragments by others. See `docs/format/directory.md`, "Commits".

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use tdb_store::{Read, StoreError, join, read_one};

use crate::commits::{parse_lines, rerooted};
use crate::directory::{COMMITS_FOLDER, REPLACES, merged_since_key};
use crate::{Array, ArrayError, Fragment, SealedFragment, TimeWindow, TimestampedName};

/// Age at which the list that claims fragments counts as abandoned. Normally it exists for only a moment.
const ABANDONED: Duration = Duration::from_secs(600);

impl Array {
    /// Returns the array restricted to the fragments that satisfy `keep`.
    #[must_use]
    pub fn with_fragments(&self, keep: impl FnMut(&Fragment) -> bool) -> Self {
        let mut array = self.clone();
        array.is_part = true;
        array.snapshot_mut().fragments.retain(keep);
        array
    }

    /// Returns the array restricted to the deletes up to a time, in milliseconds since 1970.
    #[must_use]
    pub fn with_deletes_until(&self, time: u64) -> Self {
        let mut array = self.clone();
        if self.deletes().iter().any(|delete| delete.timestamp > time) {
            array.is_part = true;
            let deletes = &mut array.snapshot_mut().deletes;
            deletes.retain(|delete| delete.timestamp <= time);
        }
        array
    }

    /// Commits fragments, all at once, and then stores a list of the fragments that they replace. A vacuum removes the
    /// latter.
    ///
    /// Between these two steps TileDB sees both, that is, the same cells twice if the array allows duplicates. In such
    /// an array a `.replaces` list is stored first and removed last. Only tdb knows it, and it takes effect with the
    /// commit. It also claims the fragments: of two programs that replace the same ones, at most one commits.
    ///
    /// `uri` is the URI of the array, needed in format versions whose lists contain whole URIs.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if a needed URI is missing, or for several fragments in a version that cannot commit
    /// them together; [`ArrayError::Superseded`] if others were faster, which changes nothing; or any error of the
    /// store.
    pub fn replace_fragments(
        &self,
        replaced: &[TimestampedName],
        by: Vec<SealedFragment>,
        uri: Option<&str>,
    ) -> Result<Vec<TimestampedName>, ArrayError> {
        let Some(first) = by.first().map(|fragment| fragment.name().clone()) else {
            return Ok(Vec::new());
        };
        let list = self.replaced_list(replaced, &first, uri)?;
        let early = self.early_list(&first);
        if let Some(key) = &early {
            self.store().put(key, list.clone())?;
        }
        if let Err(error) = self.check_unclaimed(replaced, early.as_deref()) {
            if let Some(key) = early {
                self.store().remove(&key)?;
            }
            return Err(error);
        }
        self.note_start(replaced, &first)?;
        let committed = match by.len() {
            1 => by.into_iter().map(SealedFragment::commit).collect(),
            _ => self.commit_together(by),
        }?;
        self.finish_replacing(&first, list)?;
        Ok(committed)
    }

    /// If the name of a merged fragment contains only the last of its times, stores a note with the first.
    fn note_start(
        &self,
        replaced: &[TimestampedName],
        merged: &TimestampedName,
    ) -> Result<(), ArrayError> {
        let start = replaced.iter().map(TimestampedName::start).min();
        let Some(start) = start.filter(|start| *start < merged.start()) else {
            return Ok(());
        };
        let key = join(self.prefix(), &merged_since_key(start, merged));
        Ok(self.store().put(&key, Bytes::new())?)
    }

    /// Fails if others have replaced or removed any of these fragments, or have claimed them; `own` is the claim of
    /// this merge. Each program stores its claim before it looks for others, so of two at least one finds the other.
    fn check_unclaimed(
        &self,
        replaced: &[TimestampedName],
        own: Option<&str>,
    ) -> Result<(), ArrayError> {
        let live: HashSet<TimestampedName> = self
            .live_now(TimeWindow::ALL)?
            .fragments
            .iter()
            .map(|entry| Ok(entry?.name))
            .collect::<Result<_, ArrayError>>()?;
        if let Some(name) = replaced.iter().find(|name| !live.contains(*name)) {
            return Err(superseded(name));
        }
        let Some(own) = own else {
            return Ok(());
        };
        let replaced: HashMap<String, &TimestampedName> = replaced
            .iter()
            .map(|name| (crate::directory::fragment_key(name), name))
            .collect();
        let listing = tdb_store::list_all(&**self.store(), &join(self.prefix(), COMMITS_FOLDER))?;
        let claims = listing
            .objects
            .into_iter()
            .map(|object| object.key)
            .filter(|key| key.ends_with(REPLACES) && key != own);
        for key in claims {
            if self.is_abandoned(&key)? {
                continue;
            }
            let read = Read::whole(key).at_most(self.limits().list_bytes);
            let lines = match read_one(&**self.store(), read) {
                Ok(piece) => piece.bytes,
                Err(error) if error.is_not_found() => continue,
                Err(error) => return Err(error.into()),
            };
            let mut lines = parse_lines(&lines).map(rerooted);
            if let Some(name) = lines.find_map(|line| replaced.get(line)) {
                return Err(superseded(name));
            }
        }
        Ok(())
    }

    /// True if a claim is gone, or so old that its program must have been stopped. If the store does not record times,
    /// no claim counts as abandoned: taking a living one would let both programs commit the same cells. A vacuum without
    /// a grace period removes it there.
    fn is_abandoned(&self, key: &str) -> Result<bool, ArrayError> {
        let made = match self.store().modified(key) {
            Ok(made) => made,
            Err(error) if error.is_not_found() => return Ok(true),
            Err(error) => return Err(error.into()),
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "how long ago an object was made, by the clock that the store goes by, not a time that is written"
        )]
        let now = SystemTime::now();
        let age = made.and_then(|made| now.duration_since(made).ok());
        Ok(age.is_some_and(|age| age > ABANDONED))
    }

    /// Completes replacements that were interrupted between the commit and the list of replaced fragments.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn finish_replacements(&self) -> Result<(), ArrayError> {
        let committed = |name: &TimestampedName| {
            let mut names = self.fragments().iter().map(|fragment| &fragment.name);
            names.any(|fragment| fragment == name)
        };
        let left = self.directory().replacing();
        for (key, name) in left.filter(|(_, name)| committed(name)) {
            let read = Read::whole(join(self.prefix(), key)).at_most(self.limits().list_bytes);
            match read_one(&**self.store(), read) {
                Ok(piece) => self.finish_replacing(name, piece.bytes)?,
                // The program has completed it in the meantime.
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Stores the list of replaced fragments, then removes the early `.replaces` list, which is no longer needed.
    fn finish_replacing(&self, name: &TimestampedName, list: Bytes) -> Result<(), ArrayError> {
        let key = if name.version().has_fragment_folder() {
            format!("{COMMITS_FOLDER}/{name}.vac")
        } else {
            format!("{name}.vac")
        };
        match self.store().put(&join(self.prefix(), &key), list) {
            // Another program has found the early list, and was faster.
            Ok(()) | Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        match self.early_list(name).map(|key| self.store().remove(&key)) {
            None | Some(Ok(()) | Err(StoreError::NotFound { .. })) => Ok(()),
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Returns the key of the early `.replaces` list. It is needed only if cells must not be seen twice, and not in
    /// old arrays: releases of TileDB do not accept it in the root.
    fn early_list(&self, name: &TimestampedName) -> Option<String> {
        let doubles = self.newest_schema().allows_duplicates;
        let key = format!("{COMMITS_FOLDER}/{name}.{REPLACES}");
        (doubles && name.version().has_fragment_folder()).then(|| join(self.prefix(), &key))
    }

    /// Returns the lines of the list that names these fragments.
    fn replaced_list(
        &self,
        replaced: &[TimestampedName],
        by: &TimestampedName,
        uri: Option<&str>,
    ) -> Result<Bytes, ArrayError> {
        let uri = match (by.version().lists_relative_names(), uri) {
            (true, _) => "",
            (false, Some(uri)) => uri.trim_end_matches('/'),
            (false, None) => {
                return Err(ArrayError::Invalid {
                    what: "consolidation",
                    name: format!("in format version {}", by.version()),
                    why: "lists of this version name fragments by the URI of the array: say which it is",
                });
            }
        };
        let mut lines = String::new();
        for name in replaced {
            let key = crate::directory::fragment_key(name);
            lines.push_str(&format!("{uri}/{key}\n"));
        }
        Ok(lines.into())
    }
}

fn superseded(name: &TimestampedName) -> ArrayError {
    ArrayError::Superseded {
        key: crate::directory::fragment_key(name),
    }
}
