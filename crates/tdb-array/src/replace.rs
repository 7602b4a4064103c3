//! Fragments in the place of others: `docs/format/directory.md`, "Commits".

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use tdb_store::{Read, StoreError, join, read_one};

use crate::commits::{parse_lines, rerooted};
use crate::directory::{COMMITS_FOLDER, REPLACES, merged_since_key};
use crate::{Array, ArrayError, Fragment, SealedFragment, TimeWindow, TimestampedName};

/// A claim to fragments stands for a moment before they are replaced. One that is older was left by who was stopped.
const ABANDONED: Duration = Duration::from_secs(600);

impl Array {
    /// The array as if it had no other fragments than those that `keep` says yes to.
    #[must_use]
    pub fn with_fragments(&self, keep: impl FnMut(&Fragment) -> bool) -> Self {
        let mut array = self.clone();
        array.is_part = true;
        array.snapshot_mut().fragments.retain(keep);
        array
    }

    /// The array as if it had no other deletes than those up to a time.
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

    /// Makes fragments part of the array in the place of others: commits them, all at once, and then says in a list
    /// that the others are replaced. A vacuum removes those.
    ///
    /// Between these two steps TileDB sees both: the same cells, twice in an array that allows duplicates. There
    /// another list comes first, and goes last, which only tdb knows, and which counts from the commit on. It is also
    /// the claim to these fragments: of two who replace the same ones, one at most commits.
    ///
    /// `uri` is that of the array; it is needed where the format version puts whole URIs into lists.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] without a URI that is needed, and for several fragments of a version that cannot
    /// commit them together; [`ArrayError::Superseded`] where others were faster, which changes nothing; as the store
    /// reports.
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

    /// Where the name of a merged fragment bears the last of the times alone, notes the first.
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

    /// Fails where others have replaced or removed any of these fragments, or are about to: `own` is the list that says
    /// so of this merge. Whoever claims looks for other claims afterwards, so that of two at least one finds the other.
    fn check_unclaimed(
        &self,
        replaced: &[TimestampedName],
        own: Option<&str>,
    ) -> Result<(), ArrayError> {
        let live = self.live_now(TimeWindow::ALL)?;
        let live = live.fragments.iter().map(|entry| Ok(entry?.name));
        let live: HashSet<TimestampedName> = live.collect::<Result<_, ArrayError>>()?;
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
        let claims = listing.objects.into_iter().map(|object| object.key);
        let claims = claims.filter(|key| key.ends_with(REPLACES) && key != own);
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

    /// Whether a claim is so old that who made it was stopped. Where the store keeps no times, it counts for nothing.
    fn is_abandoned(&self, key: &str) -> Result<bool, ArrayError> {
        let made = match self.store().modified(key) {
            Ok(made) => made,
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(error.into()),
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "how long ago an object was made, by the clock that the store goes by, not a time that is written"
        )]
        let now = SystemTime::now();
        let age = made.and_then(|made| now.duration_since(made).ok());
        Ok(made.is_none() || age.is_some_and(|age| age > ABANDONED))
    }

    /// Goes on where somebody was stopped between a commit and the list of what it replaces.
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
                // Who was at it has gone on.
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Stores the list that a fragment is named after, after which the early one is not needed any more.
    fn finish_replacing(&self, name: &TimestampedName, list: Bytes) -> Result<(), ArrayError> {
        let key = if name.version().has_fragment_folder() {
            format!("{COMMITS_FOLDER}/{name}.vac")
        } else {
            format!("{name}.vac")
        };
        match self.store().put(&join(self.prefix(), &key), list) {
            // Somebody else has found the early list, and was faster.
            Ok(()) | Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        match self.early_list(name).map(|key| self.store().remove(&key)) {
            None | Some(Ok(()) | Err(StoreError::NotFound { .. })) => Ok(()),
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// The list that counts from the commit of a fragment on, where cells must not be seen twice. In the root of old
    /// arrays no release suffers it.
    fn early_list(&self, name: &TimestampedName) -> Option<String> {
        let doubles = self.newest_schema().allows_duplicates;
        let key = format!("{COMMITS_FOLDER}/{name}.{REPLACES}");
        (doubles && name.version().has_fragment_folder()).then(|| join(self.prefix(), &key))
    }

    /// The lines that name these fragments.
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
