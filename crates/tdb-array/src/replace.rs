//! Fragments in the place of others: `docs/format/directory.md`, "Commits".

use bytes::Bytes;
use tdb_store::join;

use crate::commits::encode_consolidated;
use crate::directory::COMMITS_FOLDER;
use crate::{Array, ArrayError, Fragment, NameSource, SealedFragment, TimestampedName};

impl Array {
    /// The array as if it had no other fragments than those that `keep` says yes to.
    #[must_use]
    pub fn with_fragments(&self, keep: impl FnMut(&Fragment) -> bool) -> Self {
        let mut array = self.clone();
        array.snapshot_mut().fragments.retain(keep);
        array
    }

    /// Makes fragments part of the array in the place of others: commits them, all at once, and then says in a list
    /// that the others are replaced. A vacuum removes those.
    ///
    /// Between these two steps readers see both, as with TileDB: the same cells, twice in an array that allows
    /// duplicates.
    ///
    /// `uri` is that of the array; it is needed where the format version puts whole URIs into lists.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] without a URI that is needed, and for several fragments of a version that cannot
    /// commit them together; as the store reports.
    pub fn replace_fragments(
        &self,
        replaced: &[TimestampedName],
        by: Vec<SealedFragment>,
        uri: Option<&str>,
        names: &dyn NameSource,
    ) -> Result<Vec<TimestampedName>, ArrayError> {
        let Some(first) = by.first().map(|fragment| fragment.name().clone()) else {
            return Ok(Vec::new());
        };
        let list = self.replaced_list(replaced, &first, uri)?;
        let committed = match by.len() {
            1 => by.into_iter().map(SealedFragment::commit).collect(),
            _ => self.commit_together(by, names),
        }?;
        let key = match first.version().has_fragment_folder() {
            true => format!("{COMMITS_FOLDER}/{first}.vac"),
            false => format!("{first}.vac"),
        };
        self.store().put(&join(self.prefix(), &key), list)?;
        Ok(committed)
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

    /// Several fragments become part of the array at once, by one list of commits.
    fn commit_together(
        &self,
        sealed: Vec<SealedFragment>,
        names: &dyn NameSource,
    ) -> Result<Vec<TimestampedName>, ArrayError> {
        let all: Vec<TimestampedName> = sealed.iter().map(|f| f.name().clone()).collect();
        let span = all.iter().map(|name| (name.start(), name.end()));
        let span = span.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let version = all.iter().map(TimestampedName::version).max();
        let (Some(span), Some(version)) = (span, version) else {
            return Ok(all);
        };
        if !version.has_fragment_folder() {
            return Err(ArrayError::Invalid {
                what: "consolidation",
                name: format!("in format version {version}"),
                why: "this version cannot commit several fragments at once: set no size for them",
            });
        }
        let keys: Vec<String> = all
            .iter()
            .map(|name| format!("{COMMITS_FOLDER}/{name}.wrt"))
            .collect();
        let bytes = encode_consolidated(keys.iter().map(|key| (key.as_str(), None)));
        let list = format!("{COMMITS_FOLDER}/{}.con", names.versioned(span, version)?);
        // From here on they may be committed.
        sealed.into_iter().for_each(SealedFragment::keep);
        self.store()
            .put(&join(self.prefix(), &list), Bytes::from(bytes))?;
        Ok(all)
    }
}
