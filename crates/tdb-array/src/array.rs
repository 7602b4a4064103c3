use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tdb_fragment::{ConsolidatedMetadata, FragmentIndex, MetadataPart};
use tdb_rtree::RTree;
use tdb_schema::DimensionLabel;
use tdb_store::{Piece, Read, Store};
use tdb_tile::{Bug, Grant};

use crate::delete::read_deletes;
use crate::directory::{FRAGMENT_FOLDER, FragmentEntries};
use crate::early::Early;
use crate::fragment::Schemas;
use crate::fragment_parts::read_parts;
use crate::named_objects::{NamedObjects, open_schemas};
use crate::open::{ObjectReader, Tile};
use crate::opening::Opening;
use crate::settling::settle;
use crate::snapshot::{Snapshot, current};
use crate::uri::{Base, UriTarget};
use crate::{
    ArrayError, At, Directory, Fragment, Live, Location, Metadata, Names, OpenOptions, OpenedPart,
    TimeWindow, TimestampedName, Warning,
};

/// An array, seen at a time: what a query must know before it reads a tile.
///
/// It was read when it was opened and does not change; a delete or a fragment written since is not in it.
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
    /// Whether some of its fragments were left out since it was opened.
    pub(crate) is_part: bool,
}

/// An open array is what it was when it was opened, and where it is kept.
impl std::ops::Deref for Array {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.snapshot
    }
}

impl Array {
    /// Opens the array in a folder of a store, without a key and with the usual limits: [`Array::open_location`] takes both.
    ///
    /// What is seen is the array at one moment, though others merge and vacuum: as long as something vanishes, or a
    /// list of commits appears, while it is looked at, it is looked at anew ([`Array::tries`]).
    ///
    /// # Errors
    /// [`ArrayError::NoSuch`] where no array is; [`ArrayError::Unsettled`] where the changes do not end within a
    /// second; as the store reports; whatever breaks the format.
    pub fn open(
        store: Arc<dyn Store>,
        prefix: &str,
        options: OpenOptions,
    ) -> Result<Self, ArrayError> {
        Self::open_location(&Location::new(store, prefix), options)
    }

    /// Opens the array that is at a location.
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
            place,
            snapshot: Arc::new(snapshot),
            tries,
            is_part: false,
        };
        if array.place.options.whole_history
            && let Some(gap) = array.gaps()?.into_iter().next()
        {
            return Err(ArrayError::HistoryGap { gap });
        }
        Ok(array)
    }

    /// Opens the array again, for the same times: others may have merged and vacuumed its fragments. `None` for one that
    /// stands for [some of its fragments](Array::with_fragments).
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn again(&self) -> Result<Option<Self>, ArrayError> {
        if self.is_part {
            return Ok(None);
        }
        Self::open_location(self.location(), self.place.options.clone()).map(Some)
    }

    /// Looks at the array once; nothing is found if it changed meanwhile.
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
            let known = (footers, &mut early);
            open_fragments(place, &schemas, &live.fragments, known, &mut warnings)?
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

    /// What counts of the array now, for these times: others may have changed it since it was opened.
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

    /// How often the array was looked at until nothing changed meanwhile: 1 where nobody vacuums.
    pub fn tries(&self) -> u32 {
        self.tries
    }

    /// What the array was when it was opened, without its store.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    pub(crate) fn snapshot_mut(&mut self) -> &mut Snapshot {
        Arc::make_mut(&mut self.snapshot)
    }

    /// Where the array is.
    pub fn location(&self) -> &Location {
        &self.place.location
    }

    /// The store that the array is in.
    pub fn store(&self) -> &Arc<dyn Store> {
        self.place.location.store()
    }

    /// Opens the fragments that a consolidation has replaced.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn open_replaced(&self) -> Result<Vec<Fragment>, ArrayError> {
        self.open_entries(&self.snapshot.replaced)
    }

    /// Opens fragments of the array by their entries.
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
        let known = (footers, &mut Early::default());
        open_fragments(place, &self.snapshot.schemas, entries, known, warnings)
    }

    /// The array's metadata at the time it was opened for; read anew each time.
    ///
    /// # Errors
    /// As the store reports; objects that break the format.
    pub fn metadata(&self) -> Result<Metadata, ArrayError> {
        if self.place.options.whole_history
            && let Some(gap) = self.metadata_gaps()?.into_iter().next()
        {
            return Err(ArrayError::HistoryGap { gap });
        }
        self.place.metadata(self.directory().metadata())
    }

    /// Reads these together, near ranges of an object as one; the grant holds what they take.
    ///
    /// # Errors
    /// As the store reports; a limit.
    pub fn fetch(&self, reads: &[Read]) -> Result<(Grant, Vec<Piece>), ArrayError> {
        self.place.fetch(reads)
    }

    /// Opens the array that holds a dimension label, at the same time and with the same key.
    ///
    /// # Errors
    /// [`ArrayError::EscapesRoot`] if it lies outside of this one, and as [`Array::open`].
    pub fn open_label(&self, label: &DimensionLabel) -> Result<Self, ArrayError> {
        // Labels have fragments of their own.
        let options = OpenOptions {
            without_fragments: Vec::new(),
            ..self.place.options.clone()
        };
        Self::open_location(&self.label_location(label)?, options)
    }

    /// Where the array that holds a dimension label is.
    ///
    /// # Errors
    /// [`ArrayError::EscapesRoot`] if it lies outside of this one.
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

    /// Reads parts of the metadata of the fragment at this place in the list, in one batch, and opens them.
    ///
    /// # Errors
    /// A place that is not of this array; parts that it does not have; as the store reports.
    pub fn metadata_parts(
        &self,
        fragment: FragmentIndex,
        parts: &[MetadataPart],
    ) -> Result<Vec<OpenedPart>, ArrayError> {
        self.metadata_parts_of(self.fragment(fragment)?, parts)
    }

    /// As [`Array::metadata_parts`], for a fragment that may be one of [`Array::open_replaced`].
    ///
    /// # Errors
    /// Parts that the fragment does not have; as the store reports.
    pub fn metadata_parts_of(
        &self,
        fragment: &Fragment,
        parts: &[MetadataPart],
    ) -> Result<Vec<OpenedPart>, ArrayError> {
        let wanted = parts.iter().map(|part| (fragment, *part));
        read_parts(&self.place, wanted.collect())
    }

    /// Reads the R-tree over the tiles of the fragment at this place in the list.
    ///
    /// # Errors
    /// As [`Array::metadata_parts`].
    pub fn rtree(&self, fragment: FragmentIndex) -> Result<RTree, ArrayError> {
        self.rtree_of(self.fragment(fragment)?)
    }

    /// As [`Array::rtree`], for a fragment that may be one of [`Array::open_replaced`].
    ///
    /// # Errors
    /// As [`Array::metadata_parts`].
    pub fn rtree_of(&self, fragment: &Fragment) -> Result<RTree, ArrayError> {
        let parts = read_parts(&self.place, vec![(fragment, MetadataPart::RTree)])?;
        let part = parts.first();
        let part = part.ok_or_else(|| Bug::new("an R-tree that was read is not there"))?;
        let tree = fragment.metadata.rtree(&part.payload, self.limits());
        tree.at(&fragment.metadata_key)
    }
}

/// A warning about an array that has fragments, but no commit.
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

/// Forgets fragments of these names.
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

/// Asks fragments with delete times which deletes those stand for.
fn read_processed(place: &ObjectReader, fragments: &mut [Fragment]) -> Result<(), ArrayError> {
    let has_times = |fragment: &&Fragment| fragment.metadata.extra_fields.deletes;
    let asked = fragments.iter().filter(has_times);
    let parts = read_parts(
        place,
        asked
            .map(|f| (f, MetadataPart::ProcessedConditions))
            .collect(),
    )?;
    let timed = fragments.iter_mut();
    let timed = timed.filter(|fragment| fragment.metadata.extra_fields.deletes);
    for (fragment, part) in timed.zip(parts) {
        let limits = place.location.limits();
        let processed = fragment
            .metadata
            .processed_conditions(&part.payload, limits);
        fragment.processed = processed.at(&fragment.metadata_key)?.markers;
    }
    Ok(())
}

/// Opens fragments, by their consolidated footers where they have one there, and by what was read early.
pub(crate) fn open_fragments(
    place: &ObjectReader,
    schemas: &Schemas,
    entries: &FragmentEntries,
    (tiles, early): (Vec<(String, Tile)>, &mut Early),
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Fragment>, ArrayError> {
    let mut opening = Opening {
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
