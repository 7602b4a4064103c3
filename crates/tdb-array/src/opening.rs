//! Opens the fragments of an array, in few reads for all of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use tdb_fragment::{ConsolidatedMetadata, FooterBytes, MetadataPart, Next};
use tdb_schema::Field;
use tdb_store::{Piece, Read, StoreError};
use tdb_tile::Bug;

use crate::directory::{FragmentEntries, FragmentEntry};
use crate::early::Early;
use crate::fragment::{FragmentSteps, Schemas};
use crate::fragment_parts::read_parts;
use crate::open::ObjectReader;
use crate::{ArrayError, At, Fragment, Warning};

/// Bytes of metadata that all fragments together keep at most, to save reading them again.
const KEPT: u64 = 32 << 20;

/// They keep at most the memory budget divided by this.
const KEPT_SHARE: u64 = 8;

/// How many fragments are read at a time: an array that names many which are not there fails on one of
/// the first, and the ends of their metadata take 16 MiB at most.
const BATCH: usize = 256;

/// Fragments that are being opened.
pub(crate) struct Opening<'a> {
    pub(crate) place: &'a ObjectReader,
    pub(crate) schemas: &'a Schemas,
    /// Footers from consolidated metadata, by the names of their fragments; `None` where the footer of one lies outside
    /// of the bytes that there are.
    pub(crate) footers: HashMap<String, Option<Bytes>>,
    /// What was read early.
    pub(crate) early: &'a mut Early,
    /// What turned out to be odd.
    pub(crate) warnings: &'a mut Vec<Warning>,
}

/// What was read of the metadata of a fragment.
type Answer = Result<Piece, StoreError>;

impl Opening<'_> {
    /// Takes the footers of the fragments of these names out of consolidated metadata.
    pub(crate) fn add_consolidated(
        &mut self,
        consolidated: &ConsolidatedMetadata,
        wanted: &HashSet<&str>,
    ) {
        for entry in consolidated.entries() {
            // Old releases put down the whole URI.
            let name = tdb_store::name(entry.key.trim_end_matches('/'));
            if wanted.contains(name) {
                self.footers
                    .insert(name.to_owned(), consolidated.footer(entry));
            }
        }
    }

    /// Opens all fragments, in order. They count against the memory for as long as any of those that were opened at once is there.
    pub(crate) fn open(&mut self, entries: &FragmentEntries) -> Result<Vec<Fragment>, ArrayError> {
        let mut opened = Vec::new();
        let mut counted = 0_usize;
        let mut alone = Vec::new();
        let mut kept = 0;
        for (index, entry) in entries.iter().enumerate() {
            let entry = entry?;
            if let Some(fragment) = self.open_consolidated(&entry) {
                opened.push((index, fragment));
                if opened.len().saturating_sub(counted) >= BATCH {
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

    /// Counts the memory of the opened fragments from number `counted` on against the budget.
    fn hold(
        &self,
        opened: &mut [(usize, Fragment)],
        counted: &mut usize,
    ) -> Result<(), ArrayError> {
        let all = opened.len();
        let last = opened.get_mut(*counted..);
        let last = last.ok_or_else(|| Bug::new("more fragments are counted than were opened"))?;
        let bytes = last.iter().map(|(_, fragment)| fragment.memory());
        let bytes = bytes.fold(0, u64::saturating_add);
        let held = Arc::new(self.place.location.limits().budget.take(bytes)?);
        for (_, fragment) in last {
            fragment.held = Some(Arc::clone(&held));
        }
        *counted = all;
        Ok(())
    }

    /// Finds out whether a fragment lacks tiles, where its footer leaves that open: few do.
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
                lost: tiles.saturating_sub(first),
                tiles,
                first: fragment.tile_text(first),
                key,
            });
        }
        Ok(())
    }

    /// A fragment from consolidated metadata. Releases put down some footers so that none can read them:
    /// what does not make sense there is read where it belongs.
    fn open_consolidated(&self, entry: &FragmentEntry) -> Option<Fragment> {
        let footer = self.footers.get(entry.name.as_str())?.as_ref()?;
        self.steps().decode(entry, footer, u64::MAX, None).ok()
    }

    /// Opens fragments from their own metadata; `kept` counts the bytes that fragments keep of it.
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
            let bytes = fragment.tail.as_ref();
            let bytes = bytes.map_or(0, |tail| tail.bytes.len() as u64);
            match kept.saturating_add(bytes) {
                sum if sum <= most => *kept = sum,
                _ => fragment.tail = None,
            }
            fragments.push((*index, fragment));
        }
        Ok(fragments)
    }

    fn first_reads(&mut self, entries: &[&FragmentEntry]) -> Vec<Answer> {
        let steps = self.steps();
        let wanted = entries.iter();
        let wanted: Vec<(String, Read)> = wanted
            .map(|entry| (entry.metadata_key(), steps.first_read(entry)))
            .collect();
        self.early.or_read(self.place, wanted)
    }

    /// Reads again, from further back, where the footer turned out to be longer than what was read.
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

/// A fragment without metadata, where it is known to be committed.
fn unread(entry: &FragmentEntry, error: &StoreError) -> ArrayError {
    match error {
        StoreError::NotFound { .. } => ArrayError::Missing {
            key: entry.metadata_key(),
            by: "committed",
        },
        error => error.clone().into(),
    }
}
