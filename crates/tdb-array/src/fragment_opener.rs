//! Opens the fragments of an array with few reads in total.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use tdb_fragment::{ConsolidatedMetadata, FooterBytes, MetadataPart, Next};
use tdb_schema::Field;
use tdb_store::{Piece, Read, StoreError};
use tdb_tile::{Bug, Exact};

use crate::directory::{FragmentEntries, FragmentEntry};
use crate::early::Early;
use crate::fragment::{FragmentSteps, Schemas};
use crate::fragment_parts::read_parts;
use crate::open::{ObjectReader, Tile};
use crate::{ArrayError, At, Fragment, Warning};

/// Maximum bytes of metadata that all fragments together keep to avoid reading them again.
const KEPT: u64 = 32 << 20;

/// The kept metadata takes at most 1/KEPT_SHARE of the memory budget.
const KEPT_SHARE: u64 = 8;

/// Number of fragments read at a time. The tails of their metadata have 16 MiB at most, and if an array names many
/// fragments that do not exist, the first batch fails.
const BATCH: usize = 256;

/// Metadata that was read before the fragments are opened.
pub(crate) struct PrefetchedMetadata<'a> {
    /// Tiles of consolidated footers, with the keys of their objects.
    pub(crate) footers: Vec<(String, Tile)>,
    /// Objects that were read early.
    pub(crate) early: &'a mut Early,
}

/// The state of opening fragments.
pub(crate) struct FragmentOpener<'a> {
    pub(crate) place: &'a ObjectReader,
    pub(crate) schemas: &'a Schemas,
    /// Footers from consolidated metadata, by fragment name; `None` if a footer's position is outside of the bytes.
    pub(crate) footers: HashMap<String, Option<Bytes>>,
    /// Objects that were read early.
    pub(crate) early: &'a mut Early,
    /// Warnings collected so far.
    pub(crate) warnings: &'a mut Vec<Warning>,
}

/// The result of reading a fragment's metadata.
type Answer = Result<Piece, StoreError>;

impl FragmentOpener<'_> {
    /// Takes the footers of the wanted fragments out of consolidated metadata.
    pub(crate) fn add_consolidated(
        &mut self,
        consolidated: &ConsolidatedMetadata,
        wanted: &HashSet<&str>,
    ) {
        for entry in consolidated.entries() {
            // Old releases of TileDB stored the whole URI.
            let name = tdb_store::name(entry.key.trim_end_matches('/'));
            if wanted.contains(name) {
                self.footers
                    .insert(name.to_owned(), consolidated.footer(entry));
            }
        }
    }

    /// Opens all fragments, in order. The fragments of a batch share one grant of the memory budget, which is returned
    /// when all of them are dropped.
    pub(crate) fn open(&mut self, entries: &FragmentEntries) -> Result<Vec<Fragment>, ArrayError> {
        let mut opened = Vec::new();
        let mut counted = 0_usize;
        let mut alone = Vec::new();
        let mut kept = 0;
        for (index, entry) in entries.iter().enumerate() {
            let entry = entry?;
            if let Some(fragment) = self.open_consolidated(&entry) {
                opened.push((index, fragment));
                if opened.len().exact_sub(counted)? >= BATCH {
                    self.hold(&mut opened, &mut counted)?;
                }
                continue;
            }
            if self.footers.contains_key(entry.name.as_str()) {
                let key = entry.metadata_key();
                self.warnings.push(Warning::ConsolidatedFooter { key });
            }
            alone.push((index, entry));
            if alone.len() == BATCH {
                opened.append(&mut self.open_alone(&std::mem::take(&mut alone), &mut kept)?);
                self.hold(&mut opened, &mut counted)?;
            }
        }
        opened.append(&mut self.open_alone(&alone, &mut kept)?);
        self.hold(&mut opened, &mut counted)?;
        opened.sort_by_key(|(index, _)| *index);
        let mut opened: Vec<Fragment> = opened.into_iter().map(|(_, fragment)| fragment).collect();
        for fragment in &mut opened {
            self.settle_tiles(fragment)?;
        }
        Ok(opened)
    }

    /// Takes the memory of the opened fragments from index `counted` on from the budget.
    fn hold(
        &self,
        opened: &mut [(usize, Fragment)],
        counted: &mut usize,
    ) -> Result<(), ArrayError> {
        let all = opened.len();
        let last = opened
            .get_mut(*counted..)
            .ok_or_else(|| Bug::new("more fragments are counted than were opened"))?;
        let bytes = last.iter().map(|(_, fragment)| fragment.memory()).sum();
        let held = Arc::new(self.place.location.limits().budget.take(bytes)?);
        for (_, fragment) in last {
            fragment.held = Some(Arc::clone(&held));
        }
        *counted = all;
        Ok(())
    }

    /// Determines whether a fragment lacks tiles, if its footer leaves that open. Few footers do.
    fn settle_tiles(&mut self, fragment: &mut Fragment) -> Result<(), ArrayError> {
        let mut fields = fragment.schema.fields();
        let stored = |field: &Field<'_>| fragment.metadata.stored_field(field.kind).is_some();
        let Some(field) = fields
            .find(stored)
            .filter(|_| fragment.metadata.may_lack_tiles())
        else {
            return Ok(());
        };
        let offsets = MetadataPart::TileOffsets(field.kind);
        let key = fragment.metadata_key.clone();
        for part in read_parts(self.place, vec![(&*fragment, offsets)])? {
            let limits = self.place.location.limits();
            let settled = fragment.metadata.settle_tiles(&part.payload, limits);
            settled.at(&key)?;
        }
        if let Some(first) = fragment.metadata.lost_from() {
            let tiles = fragment.metadata.tile_count();
            self.warnings.push(Warning::LostTiles {
                lost: tiles.exact_sub(first)?,
                tiles,
                first: fragment.tile_text(first),
                key,
            });
        }
        Ok(())
    }

    /// Opens a fragment from consolidated metadata; `None` if there is no valid footer. Some releases of TileDB stored
    /// footers there that cannot be decoded, so the fragment's own metadata is read instead.
    fn open_consolidated(&self, entry: &FragmentEntry) -> Option<Fragment> {
        let footer = self.footers.get(entry.name.as_str())?.as_ref()?;
        self.steps().decode(entry, footer, u64::MAX, None).ok()
    }

    /// Opens fragments from their own metadata; `kept` counts the bytes of metadata that fragments keep.
    fn open_alone(
        &mut self,
        numbered: &[(usize, FragmentEntry)],
        kept: &mut u64,
    ) -> Result<Vec<(usize, Fragment)>, ArrayError> {
        let memory = self.place.location.limits().budget.limit();
        let most = KEPT.min(memory / KEPT_SHARE);
        let entries: Vec<&FragmentEntry> = numbered.iter().map(|(_, entry)| entry).collect();
        let mut answers = self.first_reads(&entries);
        let mut places = Vec::with_capacity(entries.len());
        for (entry, answer) in entries.iter().zip(&answers) {
            let piece = answer.as_ref().map_err(|error| unread(entry, error))?;
            places.push(self.steps().locate(entry, piece)?);
        }
        self.second_reads(&entries, &mut answers, &places)?;
        let mut fragments = Vec::with_capacity(entries.len());
        for ((index, entry), answer) in numbered.iter().zip(answers) {
            let mut fragment = self.open_one(entry, answer)?;
            let bytes = fragment
                .tail
                .as_ref()
                .map_or(0, |tail| tail.bytes.len() as u64);
            match kept.checked_add(bytes) {
                Some(sum) if sum <= most => *kept = sum,
                _ => fragment.tail = None,
            }
            fragments.push((*index, fragment));
        }
        Ok(fragments)
    }

    fn first_reads(&mut self, entries: &[&FragmentEntry]) -> Vec<Answer> {
        let steps = self.steps();
        let wanted: Vec<(String, Read)> = entries
            .iter()
            .map(|entry| (entry.metadata_key(), steps.first_read(entry)))
            .collect();
        self.early.or_read(self.place, wanted)
    }

    /// Reads a longer tail of those fragments whose footer did not fit.
    fn second_reads(
        &self,
        entries: &[&FragmentEntry],
        answers: &mut [Answer],
        places: &[Next<FooterBytes>],
    ) -> Result<(), ArrayError> {
        let mut reads = Vec::new();
        let mut slots = Vec::new();
        for ((entry, place), slot) in entries.iter().zip(places).zip(answers) {
            if let Next::Need(range) = place {
                reads.push(self.steps().second_read(entry, range));
                slots.push(slot);
            }
        }
        for (slot, answer) in slots.into_iter().zip(self.place.read_held(&reads)) {
            *slot = Ok(answer?);
        }
        Ok(())
    }

    fn open_one(&self, entry: &FragmentEntry, answer: Answer) -> Result<Fragment, ArrayError> {
        let steps = self.steps();
        let is_sparse = match steps.probe(entry) {
            Some(key) => tdb_store::exists(&**self.place.location.store(), &key)?,
            None => false,
        };
        match steps.open(entry, answer?, is_sparse)? {
            Next::Done(fragment) => Ok(fragment),
            Next::Need(_) => Err(ArrayError::Missing {
                key: entry.metadata_key(),
                by: "said to have a footer",
            }),
        }
    }

    fn steps(&self) -> FragmentSteps<'_> {
        FragmentSteps {
            prefix: self.place.location.prefix(),
            schemas: self.schemas,
            key: self.place.location.key(),
            limits: self.place.location.limits(),
        }
    }
}

/// Converts the error of reading a committed fragment's metadata.
fn unread(entry: &FragmentEntry, error: &StoreError) -> ArrayError {
    match error {
        StoreError::NotFound { .. } => ArrayError::Missing {
            key: entry.metadata_key(),
            by: "committed",
        },
        error => error.clone().into(),
    }
}
