//! Common parts of opening arrays and groups.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tdb_filters::{Scratch, open_generic_tile_with};
use tdb_store::{Listing, Piece, Read, StoreError, list_each};
use tdb_tile::{FormatVersion, GenericTile, Grant, LimitError};

use crate::directory::{ListingComparison, Lists};
use crate::{ArrayError, At, Directory, Live, Location, Names, TimeWindow, Warning, granted_reads};

/// Maximum number of times that commits are listed again while new ones appear.
const LISTINGS: usize = 4;

/// Approximate overhead of a name in memory, in bytes.
const NAME_COST: u64 = 64;

/// Options for opening an array or a group.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The visible time window; all times by default. To exclude future writes, pass the current time.
    pub window: TimeWindow,
    /// Names of fragments to leave out, as if they had never been written. A damaged fragment otherwise prevents
    /// opening or reading. It is an error if the array has no fragment of such a name.
    pub without_fragments: Vec<String>,
    /// Skips empty schemas, metadata and consolidated fragment metadata, such as a crash of an old release of TileDB
    /// leaves. An empty delete is still an error.
    pub tolerate_torn: bool,
    /// Fails if the requested time cannot be read completely: see [`Array::gaps`](crate::Array::gaps).
    pub whole_history: bool,
}

impl OpenOptions {
    /// Sets [`window`](field@Self::window).
    #[must_use]
    pub fn window(mut self, window: TimeWindow) -> Self {
        self.window = window;
        self
    }

    /// Sets [`without_fragments`](field@Self::without_fragments).
    #[must_use]
    pub fn without_fragments(mut self, without_fragments: Vec<String>) -> Self {
        self.without_fragments = without_fragments;
        self
    }

    /// Sets [`tolerate_torn`](field@Self::tolerate_torn).
    #[must_use]
    pub fn tolerate_torn(mut self, tolerate_torn: bool) -> Self {
        self.tolerate_torn = tolerate_torn;
        self
    }

    /// Sets [`whole_history`](field@Self::whole_history).
    #[must_use]
    pub fn whole_history(mut self, whole_history: bool) -> Self {
        self.whole_history = whole_history;
        self
    }

    /// Opens as of a time, in milliseconds since 1970.
    pub fn at(time: u64) -> Self {
        Self {
            window: TimeWindow::until(time),
            ..Self::default()
        }
    }
}

/// Reads the objects of an array or a group.
#[derive(Clone, Debug)]
pub(crate) struct ObjectReader {
    pub(crate) location: Location,
    pub(crate) options: OpenOptions,
    /// Scratch memory that is reused between tiles: the state of a decompressor is large compared with most metadata.
    pub(crate) scratch: Arc<Mutex<Scratch>>,
}

/// The key of an object, relative to the array or group, and its bytes.
pub(crate) type Object = (String, Result<Bytes, StoreError>);

impl ObjectReader {
    pub(crate) fn new(location: &Location, options: OpenOptions) -> Self {
        Self {
            location: location.clone(),
            options,
            scratch: Arc::default(),
        }
    }

    /// Lists the given folders, which are relative to the array or group.
    pub(crate) fn names(&self, folders: &[&str]) -> Result<Names, ArrayError> {
        let prefixes = self.full(folders);
        let all: Vec<&str> = prefixes.iter().map(String::as_str).collect();
        self.names_of(folders, self.location.store().list_many(&all))
    }

    /// Collects the names in these folders from their first pages, and lists the remaining pages.
    fn names_of(
        &self,
        folders: &[&str],
        listings: Vec<Result<Listing, StoreError>>,
    ) -> Result<Names, ArrayError> {
        let prefixes = self.full(folders);
        let all: Vec<&str> = prefixes.iter().map(String::as_str).collect();
        let mut names = Names::new();
        let mut held = Vec::new();
        let listings = tdb_store::answers(all.iter().copied(), listings);
        for ((folder, prefix), first) in folders.iter().zip(&all).zip(listings) {
            let mut listing = first?;
            held.push(self.names_fit(&listing)?);
            while let Some(page) = listing.next.take() {
                names.add(listing, self.location.prefix(), folder);
                listing = self.location.store().list(prefix, Some(&page))?;
                held.push(self.names_fit(&listing)?);
            }
            names.add(listing, self.location.prefix(), folder);
        }
        Ok(names)
    }

    /// Returns the keys of folders within the store.
    fn full(&self, folders: &[&str]) -> Vec<String> {
        let folders = folders.iter();
        folders.map(|folder| self.location.full(folder)).collect()
    }

    /// Takes memory from the budget for the names of a page; the number of pages is up to the store.
    fn names_fit(&self, page: &Listing) -> Result<Grant, LimitError> {
        let objects = page.objects.iter().map(|object| &object.key);
        let names = objects.chain(&page.prefixes).chain(&page.foreign);
        let costs = names.flat_map(|name| [name.len() as u64, NAME_COST]);
        // The names are in memory already: that their sizes overflow is impossible.
        let bytes = costs.sum();
        self.location.limits().budget.take(bytes)
    }

    /// Reads whole objects of at most `limit` bytes, together as far as memory allows.
    pub(crate) fn read(&self, keys: impl IntoIterator<Item = String>, limit: u64) -> Vec<Object> {
        let keys: Vec<String> = keys.into_iter().collect();
        let reads = keys.iter().map(|key| self.whole(key, limit));
        let pieces = self.read_held(&reads.collect::<Vec<Read>>());
        as_objects(keys, pieces)
    }

    /// Reads whole objects, each with a limit in bytes, and at the same time lists the names in some folders.
    ///
    /// Objects never change. So a listing begun after the objects were listed shows that all of them existed at one
    /// moment, no matter whether they are read before or after it. An object that has gone meanwhile is an error.
    pub(crate) fn read_and_list(
        &self,
        wanted: impl IntoIterator<Item = (String, u64)>,
        folders: &[&str],
    ) -> (Vec<Object>, Result<Names, ArrayError>) {
        let (keys, limits): (Vec<String>, Vec<u64>) = wanted.into_iter().unzip();
        let reads = keys
            .iter()
            .zip(limits)
            .map(|(key, limit)| self.whole(key, limit));
        let (pieces, names) = self.read_held_and_list(&reads.collect::<Vec<Read>>(), folders);
        (as_objects(keys, pieces), names)
    }

    /// Reads one object that contains a generic tile.
    pub(crate) fn read_one(&self, key: &str) -> Result<Bytes, ArrayError> {
        let read = self.whole(key, self.tile_limit());
        let missing = || ArrayError::Missing {
            key: key.to_owned(),
            by: "asked for",
        };
        let answer = self.read_held(&[read]).pop().ok_or_else(missing)?;
        Ok(answer?.bytes)
    }

    /// Performs reads whose bytes count against the budget as long as they are kept.
    pub(crate) fn read_held(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        granted_reads::read(
            &**self.location.store(),
            reads,
            &self.location.limits().budget,
        )
    }

    /// Performs reads like [`ObjectReader::read_held`], and at the same time lists the names in some folders.
    pub(crate) fn read_held_and_list(
        &self,
        reads: &[Read],
        folders: &[&str],
    ) -> (Vec<Result<Piece, StoreError>>, Result<Names, ArrayError>) {
        let (store, budget) = (&**self.location.store(), &self.location.limits().budget);
        let full = self.full(folders);
        let prefixes: Vec<&str> = full.iter().map(String::as_str).collect();
        let answers = granted_reads::read_and_list(store, reads, &prefixes, budget);
        (answers.pieces, self.names_of(folders, answers.listings))
    }

    /// Returns the read of a whole object of at most `limit` bytes.
    pub(crate) fn whole(&self, key: &str, limit: u64) -> Read {
        Read::whole(self.location.full(key)).at_most(limit)
    }

    pub(crate) fn tile_limit(&self) -> u64 {
        self.location.tile_limit()
    }

    /// Reads the objects with lists of names.
    pub(crate) fn lists<'a>(
        &self,
        keys: impl Iterator<Item = &'a str>,
    ) -> Result<Lists, ArrayError> {
        let limit = self.location.limits().list_bytes;
        Self::as_lists(self.read(keys.map(str::to_owned), limit))
    }

    /// Reads the objects that hold lists of names, and at the same time lists the names in some folders.
    pub(crate) fn lists_and_names<'a>(
        &self,
        keys: impl Iterator<Item = &'a str>,
        folders: &[&str],
    ) -> Result<(Lists, Names), ArrayError> {
        let limit = self.location.limits().list_bytes;
        let wanted = keys.map(|key| (key.to_owned(), limit));
        let (lists, names) = self.read_and_list(wanted, folders);
        Ok((Self::as_lists(lists)?, names?))
    }

    /// Collects objects with lists of names; the first error is returned.
    pub(crate) fn as_lists(objects: Vec<Object>) -> Result<Lists, ArrayError> {
        let mut lists = Lists::new();
        for (key, answer) in objects {
            lists.insert(key, answer?);
        }
        Ok(lists)
    }

    /// Confirms a directory as the state at one moment. `again` are the names in [`Directory::COMMIT_PREFIXES`], from a
    /// listing begun after `names` was complete. Returns `None` if objects were merged or vacuumed meanwhile.
    ///
    /// The commits are listed again until none is new. If others write faster than that, some of the last commits may
    /// be missing, but none that existed before opening began.
    pub(crate) fn settled(
        &self,
        mut directory: Directory,
        names: &Names,
        mut again: Names,
    ) -> Result<Option<Directory>, ArrayError> {
        let mut names = Cow::Borrowed(names);
        for _ in 1..LISTINGS {
            match directory.settled(&names, &again)? {
                ListingComparison::Same(directory) => return Ok(Some(directory)),
                ListingComparison::Changed => return Ok(None),
                ListingComparison::Grown(grown) => directory = grown,
            }
            names = Cow::Owned(again);
            again = self.names(&Directory::COMMIT_PREFIXES)?;
        }
        let compared = directory.clone().settled(&names, &again)?;
        Ok((compared != ListingComparison::Changed).then_some(directory))
    }

    /// Returns those of the directory's probes that exist. Their folders are listed, all at once.
    pub(crate) fn probe(&self, directory: &Directory) -> Result<BTreeSet<String>, ArrayError> {
        let wanted: BTreeSet<String> = directory.probes().collect();
        if wanted.is_empty() {
            return Ok(wanted);
        }
        let folders: BTreeSet<&str> = wanted
            .iter()
            .filter_map(|key| Some(key.rsplit_once('/')?.0))
            .collect();
        let prefixes: Vec<String> = folders
            .iter()
            .map(|folder| self.location.full(folder))
            .collect();
        let all: Vec<&str> = prefixes.iter().map(String::as_str).collect();
        let mut present = BTreeSet::new();
        for listing in list_each(&**self.location.store(), &all) {
            present.extend(listing?.objects.into_iter().map(|object| object.key));
        }
        let is_there = |key: &String| present.contains(&self.location.full(key));
        Ok(wanted.into_iter().filter(is_there).collect())
    }

    /// Determines what is live; returns `None` if it changed meanwhile.
    pub(crate) fn live(
        &self,
        names: &Names,
        window: TimeWindow,
        is_sparse: bool,
    ) -> Result<Option<Live>, ArrayError> {
        let directory = Directory::from_names(names, window)?;
        let (lists, again) =
            self.lists_and_names(directory.lists(), &Directory::COMMIT_PREFIXES)?;
        let Some(directory) = self.settled(directory, names, again)? else {
            return Ok(None);
        };
        let present = self.probe(&directory)?;
        let live = directory.live(&lists, &present, is_sparse, self.location.limits())?;
        Ok(Some(live))
    }

    /// Reads and opens objects that contain generic tiles. Empty ones are skipped with a warning if torn objects are
    /// tolerated.
    pub(crate) fn tiles(
        &self,
        keys: impl IntoIterator<Item = String>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<(String, Tile)>, ArrayError> {
        self.open_tiles(self.read(keys, self.tile_limit()), warnings)
    }

    /// Opens objects that have been read: see [`ObjectReader::tiles`].
    pub(crate) fn open_tiles(
        &self,
        objects: Vec<Object>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<(String, Tile)>, ArrayError> {
        let mut tiles = Vec::new();
        for (key, answer) in objects {
            if let Some(tile) = self.open_whole(&key, &answer?, warnings)? {
                tiles.push((key, tile));
            }
        }
        Ok(tiles)
    }

    /// Opens the generic tile of an object; `None` if it is empty and torn objects are tolerated.
    pub(crate) fn open_whole(
        &self,
        key: &str,
        bytes: &Bytes,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Tile>, ArrayError> {
        if bytes.is_empty() && self.options.tolerate_torn {
            let key = key.to_owned();
            warnings.push(Warning::Torn { key });
            return Ok(None);
        }
        self.open_tile(key, bytes).map(Some)
    }

    /// Opens the generic tile at the beginning of `bytes`.
    pub(crate) fn open_tile(&self, key: &str, bytes: &Bytes) -> Result<Tile, ArrayError> {
        let limits = self.location.limits();
        let tile = GenericTile::parse(bytes, limits).at(key)?;
        let mut spare = Scratch::default();
        let mut kept = self.scratch.try_lock();
        let scratch = kept.as_deref_mut().unwrap_or(&mut spare);
        let key_of_tile = self.location.key();
        let payload = open_generic_tile_with(&tile, key_of_tile, scratch, limits).at(key)?;
        Ok(Tile {
            version: tile.version(),
            payload,
        })
    }
}

/// Pairs the bytes of objects with their keys.
pub(crate) fn as_objects(keys: Vec<String>, pieces: Vec<Result<Piece, StoreError>>) -> Vec<Object> {
    let answers = pieces
        .into_iter()
        .map(|answer| answer.map(|piece| piece.bytes));
    keys.into_iter().zip(answers).collect()
}

/// The decoded payload of a generic tile.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    /// The format version in the header of the tile.
    pub(crate) version: FormatVersion,
    pub(crate) payload: Bytes,
}
