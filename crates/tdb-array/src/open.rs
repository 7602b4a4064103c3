//! What opening an array and opening a group have in common.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tdb_filters::{Scratch, open_generic_tile_with};
use tdb_store::{Listing, Piece, Read, StoreError, list_each};
use tdb_tile::{FormatVersion, GenericTile, Grant, LimitError};

use crate::directory::{Lists, Settled};
use crate::{ArrayError, At, Directory, Live, Location, Names, TimeWindow, Warning, held};

/// How often commits are listed after the first time, at most, while there are new ones.
const LISTINGS: usize = 4;

/// Bytes that a name takes in memory besides its own.
const NAME_COST: u64 = 64;

/// How an array or a group is opened.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The span of time that is seen; all by default. Who wants "now" gives the time.
    pub window: TimeWindow,
    /// Fragments to leave out, by name, as if they had never been written: what is damaged keeps an array from being
    /// opened or read. It is an error if the array does not have one of them.
    pub without_fragments: Vec<String>,
    /// Passes over empty schemas, metadata and consolidated fragment metadata, as a crash of an
    /// old release leaves them. An empty delete is an error all the same.
    pub tolerate_torn: bool,
    /// Fails where what is seen of the times is not all that there was: see [`Array::gaps`](crate::Array::gaps).
    pub whole_history: bool,
}

impl OpenOptions {
    /// As of a time, in milliseconds since 1970.
    pub fn at(time: u64) -> Self {
        Self {
            window: TimeWindow::until(time),
            ..Self::default()
        }
    }
}

/// Where an array or a group is, and how it is read.
#[derive(Clone, Debug)]
pub(crate) struct ObjectReader {
    pub(crate) location: Location,
    pub(crate) options: OpenOptions,
    /// What opening a tile leaves for the next: the state of a decompressor is large beside most metadata.
    pub(crate) scratch: Arc<Mutex<Scratch>>,
}

/// What was read of one object. Errors name it by its key within the place.
pub(crate) type Object = (String, Result<Bytes, StoreError>);

impl ObjectReader {
    pub(crate) fn new(location: &Location, options: OpenOptions) -> Self {
        Self {
            location: location.clone(),
            options,
            scratch: Arc::default(),
        }
    }

    /// The names in these folders, which are relative to the place.
    pub(crate) fn names(&self, folders: &[&str]) -> Result<Names, ArrayError> {
        let prefixes = self.full(folders);
        let all: Vec<&str> = prefixes.iter().map(String::as_str).collect();
        self.names_of(folders, self.location.store().list_many(&all))
    }

    /// The names in these folders, of which the first pages were listed.
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

    /// The keys of folders within the store.
    fn full(&self, folders: &[&str]) -> Vec<String> {
        let folders = folders.iter();
        folders.map(|folder| self.location.full(folder)).collect()
    }

    /// Takes memory for the names of a page: how many pages there are is for the store to say.
    fn names_fit(&self, page: &Listing) -> Result<Grant, LimitError> {
        let objects = page.objects.iter().map(|object| &object.key);
        let names = objects.chain(&page.prefixes).chain(&page.foreign);
        let bytes = names.map(|name| (name.len() as u64).saturating_add(NAME_COST));
        let bytes = bytes.fold(0, u64::saturating_add);
        self.location.limits().budget.take(bytes)
    }

    /// Reads whole objects of at most `limit` bytes, together, as far as memory allows.
    pub(crate) fn read(&self, keys: impl IntoIterator<Item = String>, limit: u64) -> Vec<Object> {
        let keys: Vec<String> = keys.into_iter().collect();
        let reads = keys.iter().map(|key| self.whole(key, limit));
        let pieces = self.read_held(&reads.collect::<Vec<Read>>());
        as_objects(keys, pieces)
    }

    /// Reads whole objects, each of at most so many bytes, and lists the names in these folders meanwhile.
    ///
    /// Objects do not change. Names that are listed after those of the objects were show that all of these were there at one
    /// moment, whether the objects were read by then or not: those that cannot be read any more are missed.
    pub(crate) fn read_and_list(
        &self,
        wanted: impl IntoIterator<Item = (String, u64)>,
        folders: &[&str],
    ) -> (Vec<Object>, Result<Names, ArrayError>) {
        let (keys, limits): (Vec<String>, Vec<u64>) = wanted.into_iter().unzip();
        let reads = keys.iter().zip(limits);
        let reads = reads.map(|(key, limit)| self.whole(key, limit));
        let (pieces, names) = self.read_held_and_list(&reads.collect::<Vec<Read>>(), folders);
        (as_objects(keys, pieces), names)
    }

    /// Reads one object that is a generic tile.
    pub(crate) fn read_one(&self, key: &str) -> Result<Bytes, ArrayError> {
        let read = self.whole(key, self.tile_limit());
        let missing = || ArrayError::Missing {
            key: key.to_owned(),
            by: "asked for",
        };
        let answer = self.read_held(&[read]).pop().ok_or_else(missing)?;
        Ok(answer?.bytes)
    }

    /// Reads what counts against the budget for as long as it is kept.
    pub(crate) fn read_held(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        held::read(
            &**self.location.store(),
            reads,
            &self.location.limits().budget,
        )
    }

    /// As [`ObjectReader::read_held`], with the names in these folders, which are listed meanwhile.
    pub(crate) fn read_held_and_list(
        &self,
        reads: &[Read],
        folders: &[&str],
    ) -> (Vec<Result<Piece, StoreError>>, Result<Names, ArrayError>) {
        let (store, budget) = (&**self.location.store(), &self.location.limits().budget);
        let prefixes = self.full(folders);
        let prefixes: Vec<&str> = prefixes.iter().map(String::as_str).collect();
        let answers = held::read_and_list(store, reads, &prefixes, budget);
        (answers.pieces, self.names_of(folders, answers.listings))
    }

    /// All of an object of at most so many bytes.
    pub(crate) fn whole(&self, key: &str, limit: u64) -> Read {
        Read::whole(self.location.full(key)).at_most(limit)
    }

    pub(crate) fn tile_limit(&self) -> u64 {
        self.location.tile_limit()
    }

    /// Reads the objects that hold lists of names.
    pub(crate) fn lists<'a>(
        &self,
        keys: impl Iterator<Item = &'a str>,
    ) -> Result<Lists, ArrayError> {
        let limit = self.location.limits().list_bytes;
        Self::as_lists(self.read(keys.map(str::to_owned), limit))
    }

    /// Reads the objects that hold lists of names, and lists the names in these folders meanwhile.
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

    /// Objects that were read, as lists of names.
    pub(crate) fn as_lists(objects: Vec<Object>) -> Result<Lists, ArrayError> {
        let mut lists = Lists::new();
        for (key, answer) in objects {
            lists.insert(key, answer?);
        }
        Ok(lists)
    }

    /// The directory with all that was committed at one moment, if nothing was merged or vacuumed meanwhile; `again` are the
    /// names in [`Directory::COMMIT_PREFIXES`], listed after `names` were.
    ///
    /// It is listed until no commit is new. Where others write faster than that, commits of the same moment may be
    /// missing among the last ones; none that was there before the array was looked at is.
    pub(crate) fn settled(
        &self,
        mut directory: Directory,
        names: &Names,
        mut again: Names,
    ) -> Result<Option<Directory>, ArrayError> {
        let mut names = Cow::Borrowed(names);
        for _ in 1..LISTINGS {
            match directory.settled(&names, &again)? {
                Settled::Same(directory) => return Ok(Some(directory)),
                Settled::Changed => return Ok(None),
                Settled::Grown(grown) => directory = grown,
            }
            names = Cow::Owned(again);
            again = self.names(&Directory::COMMIT_PREFIXES)?;
        }
        let compared = directory.clone().settled(&names, &again)?;
        Ok((compared != Settled::Changed).then_some(directory))
    }

    /// Which of the objects that the directory asks about are there: their folders are listed, all at once.
    pub(crate) fn probe(&self, directory: &Directory) -> Result<BTreeSet<String>, ArrayError> {
        let wanted: BTreeSet<String> = directory.probes().collect();
        if wanted.is_empty() {
            return Ok(wanted);
        }
        let folders = wanted
            .iter()
            .filter_map(|key| Some(key.rsplit_once('/')?.0));
        let folders: BTreeSet<&str> = folders.collect();
        let prefixes = folders.iter().map(|folder| self.location.full(folder));
        let prefixes: Vec<String> = prefixes.collect();
        let all: Vec<&str> = prefixes.iter().map(String::as_str).collect();
        let mut present = BTreeSet::new();
        for listing in list_each(&**self.location.store(), &all) {
            present.extend(listing?.objects.into_iter().map(|object| object.key));
        }
        let is_there = |key: &String| present.contains(&self.location.full(key));
        Ok(wanted.into_iter().filter(is_there).collect())
    }

    /// What is committed, if that did not change while it was looked at.
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

    /// Reads objects that are generic tiles, and opens each; empty ones are left out if that is asked for,
    /// with a warning.
    pub(crate) fn tiles(
        &self,
        keys: impl IntoIterator<Item = String>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<(String, Tile)>, ArrayError> {
        self.open_tiles(self.read(keys, self.tile_limit()), warnings)
    }

    /// Opens objects that were read, as [`ObjectReader::tiles`] does.
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

    /// Opens the generic tile that an object is; none where it is empty and that is to be passed over.
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

    /// Opens the generic tile at the start of these bytes.
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

/// What was read of objects, with their keys.
pub(crate) fn as_objects(keys: Vec<String>, pieces: Vec<Result<Piece, StoreError>>) -> Vec<Object> {
    let answers = pieces.into_iter();
    let answers = answers.map(|answer| answer.map(|piece| piece.bytes));
    keys.into_iter().zip(answers).collect()
}

/// The content of a generic tile.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    /// The version in its header.
    pub(crate) version: FormatVersion,
    pub(crate) payload: Bytes,
}
