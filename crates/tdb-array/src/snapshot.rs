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

/// An array at a time, as a value: its schema, its fragments and its deletes. It has no store, and nothing
/// in it is loaded later.
///
/// [`Array::open`](crate::Array::open) makes it with a store; who fetches by other means makes it of
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
    /// Merged fragments, of whatever times, of which not all that was merged is there.
    pub(crate) merged: FragmentEntries,
    /// Spans of cells that were merged into fragments of the last of these times alone, of which the same holds.
    pub(crate) merged_spans: Vec<(u64, u64)>,
    /// The time of the last delete, also of one that is yet to come.
    pub(crate) last_delete: Option<u64>,
    pub(crate) later: Option<LaterObjects>,
    pub(crate) enumerations: KeptEnumerations,
}

impl Snapshot {
    /// An array in the folder `prefix` of a store, of what [`Directory::live`] says counts: later fragments
    /// over earlier ones, deletes by time. Without a key and with the usual limits: [`Snapshot::with_access`].
    ///
    /// # Errors
    /// [`ArrayError::NoSuch`] without a schema.
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

    /// The same with a key, if the array is encrypted, and with other caps.
    #[must_use]
    pub fn with_access(mut self, key: Option<EncryptionKey>, limits: Limits) -> Self {
        self.access = Access { key, limits };
        self
    }

    /// The schema at the time that the array was opened for.
    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.schema
    }

    /// The schema that the next write follows, and that evolution starts from: the newest, whatever time the
    /// array was opened for.
    pub fn newest_schema(&self) -> &Arc<ArraySchema> {
        let newest = self.newest_entry().map(SchemaEntry::schema_name);
        let found = newest.and_then(|name| self.schemas.get(name));
        found.unwrap_or(&self.schema)
    }

    pub(crate) fn newest_entry(&self) -> Option<&SchemaEntry> {
        self.directory.schemas().last()
    }

    /// The version in which all is written that this array gets: fragments, commits, lists and merged footers. It is
    /// that of the newest schema, unless that is too old for it, or newer than any release of TileDB reads.
    pub fn write_version(&self) -> FormatVersion {
        let version = self.newest_schema().version;
        if version < FormatVersion::OLDEST_WRITTEN {
            FormatVersion::WRITTEN
        } else {
            version.min(FormatVersion::WRITTEN)
        }
    }

    /// All schemas that the array ever had, by the names that fragments call them.
    pub fn schemas(&self) -> impl Iterator<Item = (&str, &Arc<ArraySchema>)> {
        let entries = self.directory.schemas().iter();
        entries.filter_map(|entry| {
            let name = entry.schema_name();
            Some((name, self.schemas.get(name)?))
        })
    }

    /// The fragments that count, later ones over earlier ones.
    pub fn fragments(&self) -> &[Fragment] {
        &self.fragments
    }

    /// The fragments that count, each with its place in the list.
    pub fn numbered_fragments(
        &self,
    ) -> impl DoubleEndedIterator<Item = (FragmentIndex, &Fragment)> + ExactSizeIterator + Clone
    {
        let numbered = self.fragments.iter().enumerate();
        numbered.map(|(index, fragment)| (FragmentIndex::new(index), fragment))
    }

    /// The fragment at this place in the list.
    ///
    /// # Errors
    /// A place that is not of this array.
    pub fn fragment(&self, index: FragmentIndex) -> Result<&Fragment, Bug> {
        let fragment = self.fragments.get(index.get());
        fragment.ok_or_else(|| Bug::new("a place in the list of fragments of another array"))
    }

    /// Fragments that a consolidation has replaced and nobody has removed yet, by name.
    pub fn replaced(&self) -> &FragmentEntries {
        &self.replaced
    }

    /// What is odd about the array, as far as opening it showed.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The deletes that count, by time.
    pub fn deletes(&self) -> &[Delete] {
        &self.deletes
    }

    /// Committed fragments and deletes that bear a later time than that for which the array was opened, also in part.
    pub fn later(&self) -> Option<LaterObjects> {
        self.later
    }

    /// Objects of the metadata that bear a later time than that for which the array was opened.
    pub fn later_metadata(&self) -> Option<LaterObjects> {
        LaterObjects::of_metadata(self.window.at, self.directory.metadata())
    }

    /// The span of time that the array was opened for.
    pub fn window(&self) -> TimeWindow {
        self.window
    }

    /// The caps in force.
    pub fn limits(&self) -> &Limits {
        &self.access.limits
    }

    /// The key, if the array is encrypted.
    pub fn key(&self) -> Option<&EncryptionKey> {
        self.access.key.as_ref()
    }

    /// The folder of the array in its store.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The names that the array consists of.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The box around all written cells, one range for each dimension; `None` without fragments.
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

    /// Whether all written cells lie in the current domain, where there is one. Cells of a sparse array may have been written
    /// before it had that one.
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

impl Snapshot {}

/// The schema of the array at its time.
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
