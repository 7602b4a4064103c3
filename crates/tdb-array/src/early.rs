//! Reads of a far store before the objects are known to be live; this saves a wait.

use std::collections::{BTreeSet, HashMap};

use tdb_store::{Distance, Piece, Read, StoreError};

use crate::Directory;
use crate::directory::{DeleteLocation, FragmentEntry, Lists};
use crate::fragment::{FragmentSteps, Schemas};
use crate::open::ObjectReader;

/// Maximum number of fragments whose metadata tails are read early: they take 16 MiB.
const MOST: usize = 256;

/// Objects that are probably live.
#[derive(Default)]
pub(crate) struct Likely {
    fragments: Vec<FragmentEntry>,
    /// Keys of deletes, relative to the array.
    deletes: Vec<String>,
}

/// Bytes of objects that are probably live, by key. Those that could not be read are requested again if they are
/// live.
#[derive(Default)]
pub(crate) struct Early {
    found: HashMap<String, Piece>,
}

impl Likely {
    /// Chooses the objects that are live by their names alone. None in a near store, or if lists decide what is live,
    /// or if footers were consolidated.
    pub(crate) fn of(place: &ObjectReader, directory: &Directory) -> Self {
        let is_near = place.location.store().distance() == Distance::Near;
        let is_told_elsewhere = directory.lists().next().is_some()
            || directory.probes().next().is_some()
            || !directory.fragment_metadata().is_empty();
        if is_near || is_told_elsewhere {
            return Self::default();
        }
        // More objects are live in sparse arrays than in dense ones; only the schema tells which this is.
        let limits = place.location.limits();
        let live = directory.live(&Lists::new(), &BTreeSet::new(), true, limits);
        // Errors are reported when the live objects are determined.
        let Ok(live) = live else {
            return Self::default();
        };
        let fragments = live.fragments.iter().take(MOST).collect();
        let deletes = live
            .deletes
            .into_iter()
            .filter_map(|delete| match delete.stored {
                DeleteLocation::Object(key) => Some(key),
                DeleteLocation::Within { .. } => None,
            });
        Self {
            fragments: Result::unwrap_or(fragments, Vec::new()),
            deletes: deletes.take(MOST).collect(),
        }
    }

    /// Returns the reads for these objects.
    pub(crate) fn reads(&self, place: &ObjectReader) -> Vec<Read> {
        let schemas = Schemas::new();
        let steps = FragmentSteps {
            prefix: place.location.prefix(),
            schemas: &schemas,
            key: place.location.key(),
            limits: place.location.limits(),
        };
        let fragments = self.fragments.iter().map(|entry| steps.first_read(entry));
        let deletes = self
            .deletes
            .iter()
            .map(|key| place.whole(key, place.tile_limit()));
        fragments.chain(deletes).collect()
    }

    /// Accepts the answers to these reads, in order.
    pub(crate) fn answered(self, answers: Vec<Result<Piece, StoreError>>) -> Early {
        let fragments = self.fragments.iter().map(FragmentEntry::metadata_key);
        let keys = fragments.chain(self.deletes.iter().cloned());
        let found = keys.zip(answers);
        Early {
            found: found
                .filter_map(|(key, answer)| Some((key, answer.ok()?)))
                .collect(),
        }
    }
}

impl Early {
    /// Returns the answers to the first read of each of the `wanted` objects; those that were not read early are read
    /// now, together.
    pub(crate) fn or_read(
        &mut self,
        place: &ObjectReader,
        wanted: impl IntoIterator<Item = (String, Read)>,
    ) -> Vec<Result<Piece, StoreError>> {
        let wanted: Vec<(String, Read)> = wanted.into_iter().collect();
        let is_missing = |(key, _): &&(String, Read)| !self.found.contains_key(key);
        let missing: Vec<Read> = wanted
            .iter()
            .filter(is_missing)
            .map(|(_, read)| read.clone())
            .collect();
        let mut read = place.read_held(&missing).into_iter();
        let answers: Vec<_> = wanted
            .iter()
            .filter_map(|(key, _)| {
                let early = self.found.remove(key);
                early.map(Ok).or_else(|| read.next())
            })
            .collect();
        let keys = wanted.iter().map(|(key, _)| key.as_str());
        tdb_store::answers(keys, answers).collect()
    }
}
