use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tdb_fragment::{ConsolidatedMetadata, FragmentIndex, MetadataPart};
use tdb_rtree::RTree;
use tdb_schema::DimensionLabel;
use tdb_store::{JoinedReads, Piece, Read, Store};
use tdb_tile::{Bug, Grant};

use crate::delete::read_deletes;
use crate::directory::{FRAGMENT_FOLDER, FragmentEntries};
use crate::early::Early;
use crate::fragment::Schemas;
use crate::fragment_opener::{FragmentOpener, PrefetchedMetadata};
use crate::fragment_parts::read_parts;
use crate::named_objects::{NamedObjects, open_schemas};
use crate::open::ObjectReader;
use crate::settling::settle;
use crate::snapshot::{Snapshot, current};
use crate::uri::{Base, UriTarget};
use crate::{
    ArrayError, At, Directory, Fragment, Live, Location, Metadata, Names, OpenOptions, OpenedPart,
    TimeWindow, TimestampedName, Warning,
};

/// An array, opened as of a time: everything that a query must know before it reads a tile.
///
/// All of it was read on opening and does not change: fragments and deletes written later are not visible.
///
/// ```
/// use std::sync::Arc;
/// use tdb_array::{Array, OpenOptions, TimestampedName};
/// use tdb_filters::seal_generic_tile;
/// use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
/// use tdb_store::{MemoryStore, Store};
/// use tdb_tile::Datatype;
///
/// // An array needs no more than a schema.
/// let day = Dimension::numbers("day", Datatype::Int32, (1, 365), 7);
/// let rain = Attribute::new("rain", Datatype::Float32);
/// let schema = ArraySchema::new(ArrayType::Dense, vec![day], vec![rain]);
/// let name = TimestampedName::unversioned(10, 10, 0)?;
/// let store = MemoryStore::new();
/// let tile = seal_generic_tile(&schema.encode()?, schema.version, None)?;
/// store.put(&format!("weather/__schema/{name}"), tile.into())?;
///
/// let array = Array::open(Arc::new(store), "weather", OpenOptions::at(20))?;
/// assert_eq!(array.schema().attributes[0].name, "rain");
/// assert!(array.fragments().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Array {
    pub(crate) place: ObjectReader,
    snapshot: Arc<Snapshot>,
    tries: u32,
    /// True if some fragments were left out after opening.
    pub(crate) is_part: bool,
}

/// Access to the state of the array when it was opened.
impl std::ops::Deref for Array {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.snapshot
    }
}

impl Array {
    /// Opens the array in a folder of a store, without encryption key and with default limits.
    /// [`Array::open_location`] takes both.
    ///
    /// The array is opened as of one moment, even while other programs merge and vacuum it: if an object vanishes or a
    /// list of commits appears during the listing, opening starts over ([`Array::tries`]).
    ///
    /// # Errors
    /// [`ArrayError::NoSuch`] if there is no array; [`ArrayError::Unsettled`] if it keeps changing for a second; an
    /// object that breaks the format; or any other error of the store.
    pub fn open(
        store: Arc<dyn Store>,
        prefix: &str,
        options: OpenOptions,
    ) -> Result<Self, ArrayError> {
        Self::open_location(&Location::new(store, prefix), options)
    }

    /// Opens the array at a location.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn open_location(location: &Location, options: OpenOptions) -> Result<Self, ArrayError> {
        let place = ObjectReader::new(location, options);
        let look = || place.names(&Directory::PREFIXES);
        let (snapshot, tries) = settle(location.prefix(), look, |names| {
            Self::open_once(&place, names)
        })?;
        let array = Self {
            tries,
            ..Self::of_snapshot(place, snapshot)
        };
        if array.place.options.whole_history
            && let Some(gap) = array.gaps()?.into_iter().next()
        {
            return Err(ArrayError::HistoryGap { gap });
        }
        Ok(array)
    }

    pub(crate) fn of_snapshot(place: ObjectReader, snapshot: Snapshot) -> Self {
        Self {
            place,
            snapshot: Arc::new(snapshot),
            tries: 1,
            is_part: false,
        }
    }

    /// Opens the array again as of the same times: other programs may have merged and vacuumed its fragments. Returns
    /// `None` if this one is restricted to [some of its fragments](Array::with_fragments).
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn again(&self) -> Result<Option<Self>, ArrayError> {
        if self.is_part {
            return Ok(None);
        }
        Self::open_location(self.location(), self.place.options.clone()).map(Some)
    }

    /// Makes one attempt to open the array; returns `None` if it changed meanwhile.
    fn open_once(place: &ObjectReader, names: &Names) -> Result<Option<Snapshot>, ArrayError> {
        let options = &place.options;
        let mut directory = Directory::from_names(names, options.window)?;
        if directory.schemas().is_empty() {
            return Err(ArrayError::NoSuch {
                what: "array",
                prefix: place.location.prefix().to_owned(),
            });
        }
        let mut warnings = Vec::new();
        let NamedObjects {
            schemas,
            lists,
            footers,
            mut early,
            again,
        } = NamedObjects::read(place, &directory);
        let schemas = open_schemas(place, schemas, &mut directory, &mut warnings)?;
        let is_dense = current(place.location.prefix(), &directory, &schemas)?.is_dense();
        let lists = ObjectReader::as_lists(lists)?;
        let Some(directory) = place.settled(directory, names, again?)? else {
            return Ok(None);
        };
        let strays = directory.strays().map(str::to_owned);
        warnings.extend(strays.map(|key| Warning::Stray { key }));
        warnings.extend(damaged_commits(&directory));
        let restores = directory.unfinished_restores().iter();
        warnings.extend(restores.map(|to| Warning::UnfinishedRestore { to: *to }));
        let present = place.probe(&directory)?;
        let mut live = directory.live(&lists, &present, !is_dense, place.location.limits())?;
        leave_out(&mut live.fragments, &options.without_fragments)?;
        let mut fragments = if live.fragments.is_empty() {
            Vec::new()
        } else {
            let footers = place.open_tiles(footers, &mut warnings)?;
            let prefetched = PrefetchedMetadata {
                footers,
                early: &mut early,
            };
            open_fragments(place, &schemas, &live.fragments, prefetched, &mut warnings)?
        };
        let deletes = read_deletes(place, &live, &lists, &mut early, &mut warnings)?;
        if !deletes.is_empty() {
            read_processed(place, &mut fragments)?;
        }
        warnings.extend(nothing_committed(place, live.committed)?);
        let idle = live.idle.into_iter();
        warnings.extend(idle.map(|key| Warning::IdleList { key }));
        let snapshot = Snapshot::new(
            place.location.prefix(),
            options.window,
            directory,
            schemas,
            fragments,
            deletes,
        )?;
        Ok(Some(Snapshot {
            access: place.location.access.clone(),
            replaced: live.replaced,
            merged: live.merged,
            merged_spans: live.merged_spans,
            last_delete: live.last_delete,
            later: live.later,
            warnings,
            ..snapshot
        }))
    }

    /// Determines what is live in the window now. Unlike the state of this array, it includes changes by others since
    /// it was opened.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn live_now(&self, window: TimeWindow) -> Result<Live, ArrayError> {
        let is_sparse = !self.schema().is_dense();
        let place = &self.place;
        let look = || place.names(&Directory::COMMIT_PREFIXES);
        let attempt = |names: &Names| place.live(names, window, is_sparse);
        let (live, _) = settle(place.location.prefix(), look, attempt)?;
        Ok(live)
    }

    /// Returns the number of attempts needed to open the array: 1 unless others change it at the same time.
    pub fn tries(&self) -> u32 {
        self.tries
    }

    /// Returns the state of the array when it was opened, without access to its store.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    pub(crate) fn snapshot_mut(&mut self) -> &mut Snapshot {
        Arc::make_mut(&mut self.snapshot)
    }

    /// Returns the location of the array.
    pub fn location(&self) -> &Location {
        &self.place.location
    }

    /// Returns the store of the array.
    pub fn store(&self) -> &Arc<dyn Store> {
        self.place.location.store()
    }

    /// Opens the fragments in the window that a consolidation has replaced.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn open_replaced(&self) -> Result<Vec<Fragment>, ArrayError> {
        self.open_entries(&self.snapshot.replaced)
    }

    /// Opens the fragments with the given entries.
    pub(crate) fn open_entries(
        &self,
        entries: &FragmentEntries,
    ) -> Result<Vec<Fragment>, ArrayError> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let (place, warnings) = (&self.place, &mut Vec::new());
        let footers = self.snapshot.directory.fragment_metadata().iter().cloned();
        let footers = place.tiles(footers, warnings)?;
        let prefetched = PrefetchedMetadata {
            footers,
            early: &mut Early::default(),
        };
        open_fragments(place, &self.snapshot.schemas, entries, prefetched, warnings)
    }

    /// Reads the array's metadata as of the time for which it was opened. Each call reads it from the store.
    ///
    /// # Errors
    /// [`ArrayError::HistoryGap`] if the whole history was requested and is incomplete; objects that break the format;
    /// or any other error of the store.
    pub fn metadata(&self) -> Result<Metadata, ArrayError> {
        if self.place.options.whole_history
            && let Some(gap) = self.metadata_gaps()?.into_iter().next()
        {
            return Err(ArrayError::HistoryGap { gap });
        }
        self.place.metadata(self.directory().metadata())
    }

    /// Performs several reads together; joins ranges of an object that are near each other. The returned grant
    /// accounts for their memory.
    ///
    /// # Errors
    /// A limit that is exceeded, or any error of the store.
    pub fn fetch(&self, reads: &[Read]) -> Result<(Grant, Vec<Piece>), ArrayError> {
        self.place.fetch(reads)
    }

    /// Joins byte ranges as [`Array::fetch`] does, for callers that fetch them by other means. The returned grant
    /// accounts for the memory of the bytes.
    ///
    /// # Errors
    /// A limit that is exceeded.
    pub fn join(&self, reads: &[Read]) -> Result<(Grant, JoinedReads), ArrayError> {
        self.place.join(reads)
    }

    /// Opens the array of a dimension label, as of the same time and with the same key.
    ///
    /// # Errors
    /// [`ArrayError::EscapesRoot`] if it is outside of this array; otherwise as [`Array::open`].
    pub fn open_label(&self, label: &DimensionLabel) -> Result<Self, ArrayError> {
        // The fragments to leave out are those of this array, not of the label's.
        let options = OpenOptions {
            without_fragments: Vec::new(),
            ..self.place.options.clone()
        };
        Self::open_location(&self.label_location(label)?, options)
    }

    /// Returns the location of the array of a dimension label.
    ///
    /// # Errors
    /// [`ArrayError::EscapesRoot`] if it is outside of this array.
    pub fn label_location(&self, label: &DimensionLabel) -> Result<Location, ArrayError> {
        let prefix = self.prefix();
        let target = Base::new("", prefix).resolve(prefix, &label.uri, label.relative);
        match target {
            UriTarget::Inside(prefix) => Ok(self.location().at(&prefix)),
            UriTarget::Outside(uri) => Err(ArrayError::EscapesRoot {
                key: format!("label {:?}", label.name),
                uri,
            }),
        }
    }

    /// Reads parts of a fragment's metadata in one batch, and opens them.
    ///
    /// # Errors
    /// An index that is not one of the array's fragments, a part that the fragment does not have, or any error of the
    /// store.
    pub fn metadata_parts(
        &self,
        fragment: FragmentIndex,
        parts: &[MetadataPart],
    ) -> Result<Vec<OpenedPart>, ArrayError> {
        self.metadata_parts_of(self.fragment(fragment)?, parts)
    }

    /// Like [`Array::metadata_parts`], for a fragment that may come from [`Array::open_replaced`].
    ///
    /// # Errors
    /// A part that the fragment does not have, or any error of the store.
    pub fn metadata_parts_of(
        &self,
        fragment: &Fragment,
        parts: &[MetadataPart],
    ) -> Result<Vec<OpenedPart>, ArrayError> {
        let wanted = parts.iter().map(|part| (fragment, *part));
        read_parts(&self.place, wanted.collect())
    }

    /// Reads the R-tree over the MBRs of a fragment's tiles.
    ///
    /// # Errors
    /// As [`Array::metadata_parts`].
    pub fn rtree(&self, fragment: FragmentIndex) -> Result<RTree, ArrayError> {
        self.rtree_of(self.fragment(fragment)?)
    }

    /// Like [`Array::rtree`], for a fragment that may come from [`Array::open_replaced`].
    ///
    /// # Errors
    /// As [`Array::metadata_parts`].
    pub fn rtree_of(&self, fragment: &Fragment) -> Result<RTree, ArrayError> {
        let parts = read_parts(&self.place, vec![(fragment, MetadataPart::RTree)])?;
        let part = parts
            .first()
            .ok_or_else(|| Bug::new("an R-tree that was read is not there"))?;
        let tree = fragment.metadata.rtree(&part.payload, self.limits());
        tree.at(&fragment.metadata_key)
    }
}

/// Returns a warning if the array has folders of fragments, but no commit.
fn nothing_committed(place: &ObjectReader, committed: u64) -> Result<Option<Warning>, ArrayError> {
    if committed > 0 {
        return Ok(None);
    }
    let names = place.names(&[FRAGMENT_FOLDER])?;
    let folders = names.folders_in(FRAGMENT_FOLDER);
    let is_fragment = |folder: &&str| TimestampedName::parse(tdb_store::name(folder)).is_ok();
    let fragments = folders.filter(is_fragment).count() as u64;
    Ok((fragments > 0).then_some(Warning::NothingCommitted { fragments }))
}

fn damaged_commits(directory: &Directory) -> impl Iterator<Item = Warning> {
    let damaged = directory.damaged_commits().iter().cloned();
    damaged.map(|(key, problem)| Warning::DamagedCommit { key, problem })
}

/// Removes the fragments with the given names; each must be a fragment of the array.
fn leave_out(fragments: &mut FragmentEntries, names: &[String]) -> Result<(), ArrayError> {
    if names.is_empty() {
        return Ok(());
    }
    let known: HashSet<&str> = fragments.names().collect::<Result<_, _>>()?;
    if let Some(name) = names.iter().find(|name| !known.contains(name.as_str())) {
        return Err(ArrayError::Invalid {
            what: "fragment",
            name: name.clone(),
            why: "the array has none of that name",
        });
    }
    fragments.retain(|name| !names.iter().any(|left_out| left_out == name))
}

/// Reads which deletes have been applied to the fragments that store delete times.
fn read_processed(place: &ObjectReader, fragments: &mut [Fragment]) -> Result<(), ArrayError> {
    let has_times = |fragment: &&Fragment| fragment.metadata.extra_fields.deletes;
    let asked = fragments.iter().filter(has_times);
    let parts = read_parts(
        place,
        asked
            .map(|f| (f, MetadataPart::ProcessedConditions))
            .collect(),
    )?;
    let timed = fragments
        .iter_mut()
        .filter(|fragment| fragment.metadata.extra_fields.deletes);
    for (fragment, part) in timed.zip(parts) {
        let limits = place.location.limits();
        let processed = fragment
            .metadata
            .processed_conditions(&part.payload, limits);
        fragment.processed = processed.at(&fragment.metadata_key)?.markers;
    }
    Ok(())
}

/// Opens fragments; uses consolidated footers and objects that were read early, where available.
pub(crate) fn open_fragments(
    place: &ObjectReader,
    schemas: &Schemas,
    entries: &FragmentEntries,
    prefetched: PrefetchedMetadata<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Fragment>, ArrayError> {
    let PrefetchedMetadata {
        footers: tiles,
        early,
    } = prefetched;
    let mut opening = FragmentOpener {
        place,
        schemas,
        footers: HashMap::new(),
        early,
        warnings,
    };
    let wanted: HashSet<&str> = if tiles.is_empty() {
        HashSet::new()
    } else {
        entries.names().collect::<Result<_, _>>()?
    };
    for (key, tile) in tiles {
        let limits = place.location.limits();
        let consolidated = ConsolidatedMetadata::decode(&tile.payload, limits).at(&key)?;
        opening.add_consolidated(&consolidated, &wanted);
    }
    opening.open(entries)
}
