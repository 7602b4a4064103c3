//! Store that makes the objects of an array on request, and counts the waits.

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use tdb_array::TimestampedName;
use tdb_array::commits::encode_consolidated;
use tdb_array::directory::{
    COMMITS_FOLDER, FRAGMENT_FOLDER, FRAGMENT_METADATA, FRAGMENT_METADATA_FOLDER, SCHEMA_FOLDER,
};
use tdb_fragment::ConsolidatedMetadata;
use tdb_store::{
    Distance, Listing, MemoryStore, Object, ObjectWriter, Page, Piece, Read, ReadAndListed, Store,
    StoreError,
};
use tdb_tile::FormatVersion;

use super::format::{self, Metadata};
use super::plan::{Plan, Upkeep};

/// Number of names per page, as in S3.
const PAGE: u64 = 1000;

/// Name of the attribute's file.
const DATA: &str = "a0.tdb";

/// Costs of the requests to a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// Number of calls; each may make many requests at once.
    pub(crate) waits: u64,
    /// Number of byte ranges and pages of names.
    pub(crate) requests: u64,
    /// Bytes of objects and of names.
    pub(crate) bytes: u64,
    /// Processor time for making the answers, in nanoseconds.
    pub(crate) nanoseconds: u64,
}

#[derive(Debug, Default)]
struct Counters {
    waits: AtomicU64,
    requests: AtomicU64,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

/// Far store of an array that keeps only what all fragments share.
#[derive(Debug)]
pub(crate) struct VastStore {
    plan: Plan,
    /// Schema, consolidated commits and consolidated footers.
    kept: MemoryStore,
    metadata: Metadata,
    tile_bytes: u64,
    counters: Counters,
}

impl VastStore {
    pub(crate) fn new(plan: Plan) -> Self {
        let schema = TimestampedName::unversioned(1, 1, 1).unwrap();
        let kept = MemoryStore::new();
        let tile = format::sealed(&format::schema().encode().unwrap());
        kept.overwrite(&format!("{SCHEMA_FOLDER}/{schema}"), tile);
        let tile_bytes = format::data_tile(0).len() as u64;
        // No other bytes of the metadata equal the domain of this block.
        let metadata = Metadata::new(
            schema.as_str(),
            &plan.block(plan.fragments() - 1),
            tile_bytes,
        );
        let store = Self {
            plan,
            kept,
            metadata,
            tile_bytes,
            counters: Counters::default(),
        };
        match plan.upkeep {
            Upkeep::Nothing => {}
            Upkeep::Commits => store.keep_commits(),
            Upkeep::Footers | Upkeep::Fragments(_) => {
                store.keep_commits();
                store.keep_footers();
            }
        }
        store
    }

    pub(crate) fn take(&self) -> Asked {
        let take = |counter: &AtomicU64| counter.swap(0, Ordering::Relaxed);
        Asked {
            waits: take(&self.counters.waits),
            requests: take(&self.counters.requests),
            bytes: take(&self.counters.bytes),
            nanoseconds: take(&self.counters.nanoseconds),
        }
    }

    /// Returns the name of a list of all fragments.
    fn list_name(&self) -> TimestampedName {
        let (start, end) = self.plan.times();
        TimestampedName::versioned(start, end, 1, FormatVersion::WRITTEN).unwrap()
    }

    fn keep_commits(&self) {
        let names = (0..self.plan.fragments()).map(|number| self.commit(number));
        let names: Vec<String> = names.collect();
        let list = encode_consolidated(names.iter().map(|name| (name.as_str(), None)));
        let key = format!("{COMMITS_FOLDER}/{}.con", self.list_name());
        self.kept.overwrite(&key, list);
    }

    fn keep_footers(&self) {
        let footer = |number| {
            let footer = self.metadata.footer(&self.plan.block(number));
            (self.plan.name(number), footer)
        };
        let footers: Vec<(String, Vec<u8>)> = (0..self.plan.fragments()).map(footer).collect();
        let all = footers
            .iter()
            .map(|(name, footer)| (name.as_str(), &footer[..]));
        let payload = ConsolidatedMetadata::encode(all).unwrap();
        drop(footers);
        let key = format!("{FRAGMENT_METADATA_FOLDER}/{}.meta", self.list_name());
        self.kept.overwrite(&key, format::sealed(&payload));
    }

    fn commit(&self, number: u64) -> String {
        format!("{COMMITS_FOLDER}/{}.wrt", self.plan.name(number))
    }

    /// Returns a page of the commits; with consolidated commits, only the list is left.
    fn commits(&self, page: Option<&Page>) -> Listing {
        let first: u64 = page.map_or(0, |page| page.token().parse().unwrap());
        let last = (first + PAGE).min(self.plan.fragments());
        let object = |number| Object {
            key: self.commit(number),
            size: Some(0),
        };
        Listing {
            objects: (first..last).map(object).collect(),
            next: (last < self.plan.fragments()).then(|| Page::new(last.to_string())),
            ..Listing::default()
        }
    }

    fn pages(&self, prefixes: &[&str]) -> Vec<Result<Listing, StoreError>> {
        let prefixes = prefixes.iter();
        prefixes.map(|prefix| self.page(prefix, None)).collect()
    }

    fn pieces(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        let answers = reads.iter().map(|read| {
            let piece = self.piece(read);
            let bytes = piece.as_ref().map_or(0, |piece| piece.bytes.len());
            self.count(1, bytes as u64);
            piece
        });
        answers.collect()
    }

    fn page(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        let listing = match prefix {
            "" => Listing {
                prefixes: [
                    COMMITS_FOLDER,
                    FRAGMENT_METADATA_FOLDER,
                    FRAGMENT_FOLDER,
                    SCHEMA_FOLDER,
                ]
                .map(str::to_owned)
                .to_vec(),
                ..Listing::default()
            },
            COMMITS_FOLDER if self.plan.upkeep == Upkeep::Nothing => self.commits(page),
            _ => self.kept.list(prefix, page)?,
        };
        let names = listing.objects.iter().map(|object| &object.key);
        let bytes = names.chain(&listing.prefixes).map(|name| name.len() as u64);
        self.count(1, bytes.sum());
        Ok(listing)
    }

    fn piece(&self, read: &Read) -> Result<Piece, StoreError> {
        let Some(path) = read.key.strip_prefix(FRAGMENT_FOLDER) else {
            return self.kept.read(std::slice::from_ref(read)).remove(0);
        };
        let missing = || StoreError::NotFound {
            key: read.key.to_string(),
        };
        let (name, file) = path
            .trim_start_matches('/')
            .split_once('/')
            .ok_or_else(missing)?;
        let number = self.plan.number(name).ok_or_else(missing)?;
        let block = self.plan.block(number);
        let at = |offset: u64| usize::try_from(offset).unwrap();
        let (offset, bytes) = if file == FRAGMENT_METADATA {
            let range = read.resolve(self.metadata.len())?;
            let bytes = self.metadata.slice(&block, at(range.start), at(range.end));
            (range.start, bytes)
        } else if file == DATA {
            let range = read.resolve(self.tile_bytes * block.tiles())?;
            let tiles = range.start / self.tile_bytes..range.end.div_ceil(self.tile_bytes);
            let first = tiles.start * self.tile_bytes;
            let mut bytes: Vec<u8> = tiles
                .flat_map(|tile| format::data_tile(number + tile))
                .collect();
            bytes.truncate(at(range.end - first));
            (range.start, bytes.split_off(at(range.start - first)))
        } else {
            return Err(missing());
        };
        Ok(Piece {
            offset,
            bytes: Bytes::from(bytes),
        })
    }

    fn count(&self, requests: u64, bytes: u64) {
        self.counters
            .requests
            .fetch_add(requests, Ordering::Relaxed);
        self.counters.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Runs a call, and counts it as one wait with its processor time.
    fn answering<T>(&self, answer: impl FnOnce() -> T) -> T {
        let begun = processor_time();
        let answer = answer();
        let taken = processor_time().saturating_sub(begun);
        self.counters.waits.fetch_add(1, Ordering::Relaxed);
        self.counters
            .nanoseconds
            .fetch_add(taken, Ordering::Relaxed);
        answer
    }
}

/// Returns the processor time of this thread in nanoseconds; Linux only.
fn processor_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split(' ').next();
    first.and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn never(key: &str) -> StoreError {
    StoreError::Permission {
        key: key.to_owned(),
    }
}

impl Store for VastStore {
    fn distance(&self) -> Distance {
        Distance::Far { gap: 1 << 19 }
    }

    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.answering(|| self.page(prefix, page))
    }

    fn list_many(&self, prefixes: &[&str]) -> Vec<Result<Listing, StoreError>> {
        self.answering(|| self.pages(prefixes))
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        Err(never(key))
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        if reads.is_empty() {
            return Vec::new();
        }
        self.answering(|| self.pieces(reads))
    }

    fn read_and_list(&self, reads: &[Read], prefixes: &[&str]) -> ReadAndListed {
        self.answering(|| ReadAndListed {
            pieces: self.pieces(reads),
            listings: self.pages(prefixes),
        })
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        let read = Read::bounded(key, offset, into.len() as u64);
        let piece = self.read(&[read]).remove(0)?;
        into.copy_from_slice(&piece.bytes);
        Ok(())
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        Err(never(key))
    }

    fn settle(&self, _: &str) -> Result<(), StoreError> {
        Ok(())
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        keys.iter().map(|key| Err(never(key))).collect()
    }
}
