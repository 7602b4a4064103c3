use std::sync::Arc;

use tdb_filters::EncryptionKey;
use tdb_fragment::FragmentIndex;
use tdb_schema::ArraySchema;
use tdb_tile::{Bug, FormatVersion, Limits, Range};

use crate::fragment::Schemas;
use crate::kept_enumerations::KeptEnumerations;
use crate::location::Access;
use crate::{
    ArrayError, Delete, Directory, Fragment, FragmentEntries, LaterObjects, SchemaEntry,
    TimeWindow, Warning,
};

/// The state of an array as of a time, as a value: its schema, fragments and deletes. It has no store and loads
/// nothing later.
///
/// [`Array::open`](crate::Array::open) creates it from a store; programs that fetch by other means create it from a
/// [`Directory`], schemas and fragments.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) prefix: String,
    pub(crate) window: TimeWindow,
    pub(crate) access: Access,
    pub(crate) directory: Directory,
    pub(crate) schemas: Schemas,
    pub(crate) schema: Arc<ArraySchema>,
    pub(crate) fragments: Vec<Fragment>,
    pub(crate) replaced: FragmentEntries,
    pub(crate) deletes: Vec<Delete>,
    pub(crate) warnings: Vec<Warning>,
    /// Merged fragments of any time whose sources no longer all exist.
    pub(crate) merged: FragmentEntries,
    /// The time ranges of those merged fragments whose names contain only the last time.
    pub(crate) merged_spans: Vec<(u64, u64)>,
    /// The time of the last delete, even if it is after the window.
    pub(crate) last_delete: Option<u64>,
    pub(crate) later: Option<LaterObjects>,
    pub(crate) enumerations: KeptEnumerations,
}

impl Snapshot {
    /// Creates the state of an array in the folder `prefix` from what [`Directory::live`] returns: fragments with
    /// later ones last, deletes by time. It has no encryption key and default limits; see [`Snapshot::with_access`].
    ///
    /// # Errors
    /// [`ArrayError::NoSuch`] if there is no schema.
    pub fn new(
        prefix: &str,
        window: TimeWindow,
        directory: Directory,
        schemas: Schemas,
        fragments: Vec<Fragment>,
        deletes: Vec<Delete>,
    ) -> Result<Self, ArrayError> {
        let schema = Arc::clone(current(prefix, &directory, &schemas)?);
        Ok(Self {
            prefix: prefix.to_owned(),
            window,
            access: Access::default(),
            directory,
            schemas,
            schema,
            fragments,
            replaced: FragmentEntries::default(),
            deletes,
            warnings: Vec::new(),
            merged: FragmentEntries::default(),
            merged_spans: Vec::new(),
            last_delete: None,
            later: None,
            enumerations: KeptEnumerations::default(),
        })
    }

    /// Sets the encryption key, if the array is encrypted, and the limits.
    #[must_use]
    pub fn with_access(mut self, key: Option<EncryptionKey>, limits: Limits) -> Self {
        self.access = Access { key, limits };
        self
    }

    /// Returns the schema as of the time for which the array was opened.
    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.schema
    }

    /// Returns the newest schema, whatever the time for which the array was opened: the next write uses it, and schema
    /// evolution starts from it.
    pub fn newest_schema(&self) -> &Arc<ArraySchema> {
        let newest = self.newest_entry().map(SchemaEntry::schema_name);
        let found = newest.and_then(|name| self.schemas.get(name));
        found.unwrap_or(&self.schema)
    }

    pub(crate) fn newest_entry(&self) -> Option<&SchemaEntry> {
        self.directory.schemas().last()
    }

    /// Returns the format version of new objects: fragments, commits, lists and consolidated footers. It is that of
    /// the newest schema, unless that is too old to be written, or newer than any release of TileDB can read.
    pub fn write_version(&self) -> FormatVersion {
        let version = self.newest_schema().version;
        if version < FormatVersion::OLDEST_WRITTEN {
            FormatVersion::WRITTEN
        } else {
            version.min(FormatVersion::WRITTEN)
        }
    }

    /// Returns all schemas of the array's history, with the names under which fragments refer to them.
    pub fn schemas(&self) -> impl Iterator<Item = (&str, &Arc<ArraySchema>)> {
        let entries = self.directory.schemas().iter();
        entries.filter_map(|entry| {
            let name = entry.schema_name();
            Some((name, self.schemas.get(name)?))
        })
    }

    /// Returns the live fragments; later ones overwrite earlier ones.
    pub fn fragments(&self) -> &[Fragment] {
        &self.fragments
    }

    /// Returns the live fragments with their indexes.
    pub fn numbered_fragments(
        &self,
    ) -> impl DoubleEndedIterator<Item = (FragmentIndex, &Fragment)> + ExactSizeIterator + Clone
    {
        let numbered = self.fragments.iter().enumerate();
        numbered.map(|(index, fragment)| (FragmentIndex::new(index), fragment))
    }

    /// Returns the fragment with this index.
    ///
    /// # Errors
    /// An index that is not one of the array's fragments.
    pub fn fragment(&self, index: FragmentIndex) -> Result<&Fragment, Bug> {
        let fragment = self.fragments.get(index.get());
        fragment.ok_or_else(|| Bug::new("a place in the list of fragments of another array"))
    }

    /// Returns the fragments that a consolidation has replaced, but no vacuum has removed yet, by name.
    pub fn replaced(&self) -> &FragmentEntries {
        &self.replaced
    }

    /// Returns the warnings of opening the array.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the live deletes, by time.
    pub fn deletes(&self) -> &[Delete] {
        &self.deletes
    }

    /// Returns the committed fragments and deletes that are at least partly later than the time for which the array
    /// was opened; `None` if there are none.
    pub fn later(&self) -> Option<LaterObjects> {
        self.later
    }

    /// Returns the metadata objects that are later than the time for which the array was opened; `None` if there are
    /// none.
    pub fn later_metadata(&self) -> Option<LaterObjects> {
        LaterObjects::of_metadata(self.window.at, self.directory.metadata())
    }

    /// Returns the time window for which the array was opened.
    pub fn window(&self) -> TimeWindow {
        self.window
    }

    /// Returns the limits in force.
    pub fn limits(&self) -> &Limits {
        &self.access.limits
    }

    /// Returns the encryption key; `None` if the array is not encrypted.
    pub fn key(&self) -> Option<&EncryptionKey> {
        self.access.key.as_ref()
    }

    /// Returns the folder of the array in its store.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the names of the array's objects.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Returns the bounding box of all written cells, one range per dimension; `None` if there are no fragments.
    pub fn non_empty_domain(&self) -> Option<Vec<Range>> {
        let mut all = self.fragments.iter();
        let first = all.next()?.metadata.non_empty_domain.clone();
        Some(all.fold(first, |domain, fragment| {
            let other = &fragment.metadata.non_empty_domain;
            let ranges = domain.iter().zip(other).zip(&self.schema.dimensions);
            ranges
                .map(|((a, b), dimension)| a.union(dimension.datatype, b))
                .collect()
        }))
    }

    /// True if all written cells are in the current domain, or if there is no current domain. A sparse array may
    /// contain cells that were written before its current domain was set.
    pub fn is_within_current_domain(&self) -> bool {
        let Some((bounds, filled)) = self
            .schema
            .current_domain
            .as_ref()
            .zip(self.non_empty_domain())
        else {
            return true;
        };
        let mut sides = self.schema.dimensions.iter().zip(bounds).zip(&filled);
        sides.all(|((dimension, bounds), filled)| {
            let holds = |end| bounds.contains(dimension.datatype, end);
            holds(&filled.lo) && holds(&filled.hi)
        })
    }
}

/// Returns the schema of the array as of its time.
pub(crate) fn current<'a>(
    prefix: &str,
    directory: &Directory,
    schemas: &'a Schemas,
) -> Result<&'a Arc<ArraySchema>, ArrayError> {
    let name = directory.schema().map(|entry| entry.schema_name());
    let schema = name.and_then(|name| schemas.get(name));
    schema.ok_or_else(|| ArrayError::NoSuch {
        what: "array",
        prefix: prefix.to_owned(),
    })
}
