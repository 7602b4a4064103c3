use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use tdb_fragment::{
    ConsolidatedMetadata, FieldLayout, FooterBytes, FooterStart, FragmentMetadata, LegacyMetadata,
    Next,
};
use tdb_schema::ArraySchema;
use tdb_store::{Piece, Read, StoreError, join};
use tdb_tile::Limits;

use crate::directory::{FragmentEntry, LEGACY_SCHEMA};
use crate::open::Place;
use crate::{ArrayError, At, NameForm, TimestampedName, Warning};

/// How much of the end of a fragment's metadata is read at first: most often all of it.
const TAIL: u64 = 64 << 10;

/// How many bytes of metadata all fragments together keep, to save reading them again.
const KEPT: usize = 32 << 20;

/// How many fragments are read at a time: an array that names many which are not there fails on one of
/// the first, and the ends of their metadata take 16 MiB at most.
const BATCH: usize = 256;

/// Coordinates before version 5: a fragment of version 1 or 2 without them is dense.
const COORDS_FILE: &str = "__coords.tdb";

/// The schemas of an array, by the names that fragments call them.
pub(crate) type Schemas = HashMap<String, Arc<ArraySchema>>;

/// One fragment of an open array.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// Its name.
    pub name: TimestampedName,
    /// The key of its folder, within the store.
    pub prefix: String,
    /// The key of its metadata, relative to the array: errors call it so.
    pub metadata_key: String,
    /// The schema that it was written with.
    pub schema: Arc<ArraySchema>,
    /// What is known of it before its tiles are read.
    pub metadata: FragmentMetadata,
    /// The last bytes of its metadata object.
    pub(crate) tail: Option<Piece>,
    pub(crate) processed: Vec<String>,
}

impl Fragment {
    /// The first and the last time that it holds cells of.
    pub fn timestamps(&self) -> (u64, u64) {
        (self.name.start(), self.name.end())
    }

    /// The markers of deletes that its own delete times tell of already. Known for fragments with such
    /// times, if the array has deletes.
    pub fn processed_conditions(&self) -> &[String] {
        &self.processed
    }

    /// Whether a delete has nothing more to say about this fragment.
    pub fn has_processed(&self, marker: &str) -> bool {
        let same = |other: &String| other.trim_start_matches('/') == marker;
        self.processed.iter().any(same)
    }
}

/// Opens fragments, in few reads for all of them.
pub(crate) struct Opening<'a> {
    pub(crate) place: &'a Place,
    pub(crate) schemas: &'a Schemas,
    /// Footers from consolidated metadata, by the names of their fragments.
    pub(crate) footers: HashMap<String, Bytes>,
    /// What turned out to be odd.
    pub(crate) warnings: &'a mut Vec<Warning>,
}

/// What was read of the metadata of a fragment.
type Answer = Result<Piece, StoreError>;

impl Opening<'_> {
    /// Takes the footers of these fragments out of consolidated metadata.
    pub(crate) fn add_consolidated(
        &mut self,
        consolidated: &ConsolidatedMetadata,
        entries: &[FragmentEntry],
    ) {
        let wanted: HashSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        for entry in consolidated.entries() {
            // Old releases put down the whole URI.
            let name = tdb_store::name(entry.key.trim_end_matches('/'));
            if wanted.contains(name) {
                let footer = consolidated.footer(entry).unwrap_or_default();
                self.footers.insert(name.to_owned(), footer);
            }
        }
    }

    /// Opens all fragments, in order.
    pub(crate) fn open(&mut self, entries: &[FragmentEntry]) -> Result<Vec<Fragment>, ArrayError> {
        let mut opened: Vec<Option<Fragment>> = entries
            .iter()
            .map(|entry| self.open_consolidated(entry))
            .collect();
        let missing = entries.iter().zip(&opened);
        let missing: Vec<&FragmentEntry> = missing
            .filter(|(_, fragment)| fragment.is_none())
            .map(|(entry, _)| entry)
            .collect();
        let unreadable = missing
            .iter()
            .filter(|entry| self.footers.contains_key(entry.name.as_str()));
        let warnings = unreadable.map(|entry| Warning::ConsolidatedFooter {
            key: entry.metadata_key(),
        });
        self.warnings.extend(warnings);
        let mut alone = Vec::new();
        let mut kept = 0;
        for batch in missing.chunks(BATCH) {
            alone.append(&mut self.open_alone(batch, &mut kept)?);
        }
        let mut alone = alone.into_iter();
        for slot in opened.iter_mut().filter(|slot| slot.is_none()) {
            *slot = alone.next();
        }
        Ok(opened.into_iter().flatten().collect())
    }

    /// A fragment from consolidated metadata. Releases put down some footers so that none can read them:
    /// what does not make sense there is read where it belongs.
    fn open_consolidated(&self, entry: &FragmentEntry) -> Option<Fragment> {
        let footer = self.footers.get(entry.name.as_str())?;
        let (schema, metadata) = self.decode(entry, footer, u64::MAX).ok()?;
        Some(self.fragment(entry, schema, metadata, None))
    }

    /// Opens fragments from their own metadata; `kept` counts the bytes that fragments keep of it.
    fn open_alone(
        &self,
        entries: &[&FragmentEntry],
        kept: &mut usize,
    ) -> Result<Vec<Fragment>, ArrayError> {
        let mut answers = self.first_reads(entries);
        let mut places = Vec::with_capacity(entries.len());
        for (entry, answer) in entries.iter().zip(&answers) {
            places.push(self.locate(entry, answer)?);
        }
        self.second_reads(entries, &mut answers, &places)?;
        let mut fragments = Vec::with_capacity(entries.len());
        for (entry, answer) in entries.iter().zip(answers) {
            let mut fragment = self.open_one(entry, answer)?;
            let bytes = fragment.tail.as_ref().map_or(0, |tail| tail.bytes.len());
            match kept.saturating_add(bytes) {
                sum if sum <= KEPT => *kept = sum,
                _ => fragment.tail = None,
            }
            fragments.push(fragment);
        }
        Ok(fragments)
    }

    fn first_reads(&self, entries: &[&FragmentEntry]) -> Vec<Answer> {
        let limit = self.place.options.limits.metadata_tile;
        let reads: Vec<Read> = entries
            .iter()
            .map(|entry| {
                let key = join(&self.place.prefix, &entry.metadata_key());
                match entry.name.version().has_single_tile_metadata() {
                    true => Read::whole(key).at_most(limit),
                    false => Read::tail(key, TAIL).at_most(TAIL),
                }
            })
            .collect();
        self.place.read_held(&reads)
    }

    /// Reads again, from further back, where the footer turned out to be longer than what was read.
    fn second_reads(
        &self,
        entries: &[&FragmentEntry],
        answers: &mut [Answer],
        places: &[Next<FooterBytes>],
    ) -> Result<(), ArrayError> {
        let limit = self.place.options.limits.metadata_tile;
        let mut reads = Vec::new();
        let mut slots = Vec::new();
        for ((entry, place), slot) in entries.iter().zip(places).zip(answers) {
            if let Next::Need(range) = place {
                let key = join(&self.place.prefix, &entry.metadata_key());
                let len = range.end.saturating_sub(range.start);
                reads.push(Read::bounded(key, range.start, len).at_most(limit));
                slots.push(slot);
            }
        }
        for (slot, answer) in slots.into_iter().zip(self.place.read_held(&reads)) {
            *slot = Ok(answer?);
        }
        Ok(())
    }

    fn locate(
        &self,
        entry: &FragmentEntry,
        answer: &Answer,
    ) -> Result<Next<FooterBytes>, ArrayError> {
        let piece = match answer {
            Ok(piece) => piece,
            Err(StoreError::NotFound { .. }) => {
                return Err(ArrayError::Missing {
                    key: entry.metadata_key(),
                    by: "committed",
                });
            }
            Err(error) => return Err(error.clone().into()),
        };
        let version = entry.name.version();
        if version.has_single_tile_metadata() {
            return Ok(Next::Done(FooterBytes {
                start: 0,
                bytes: piece.bytes.clone(),
            }));
        }
        let layout = match version.names_schema() {
            true => None,
            false => Some(FieldLayout::of(self.schema(LEGACY_SCHEMA)?)),
        };
        let size = piece.offset.saturating_add(piece.bytes.len() as u64);
        FooterBytes::locate(&piece.bytes, size, version, layout.as_ref()).at(&entry.metadata_key())
    }

    fn open_one(&self, entry: &FragmentEntry, answer: Answer) -> Result<Fragment, ArrayError> {
        let Next::Done(footer) = self.locate(entry, &answer)? else {
            return Err(ArrayError::Missing {
                key: entry.metadata_key(),
                by: "said to have a footer",
            });
        };
        if entry.name.form() == NameForm::UuidFirst {
            return self.open_legacy(entry, &footer.bytes);
        }
        let (schema, metadata) = self.decode(entry, &footer.bytes, footer.start)?;
        Ok(self.fragment(entry, schema, metadata, answer.ok()))
    }

    /// Opens a fragment of version 1 or 2, whose metadata is one generic tile.
    fn open_legacy(&self, entry: &FragmentEntry, bytes: &Bytes) -> Result<Fragment, ArrayError> {
        let key = entry.metadata_key();
        let schema = self.schema(LEGACY_SCHEMA)?;
        let tile = self.place.open_tile(&key, bytes)?;
        let layout = FieldLayout::of(schema);
        let legacy = LegacyMetadata::read(&tile.payload, &layout, self.limits()).at(&key)?;
        let coords = join(&join(&self.place.prefix, &entry.key), COORDS_FILE);
        let has_coordinates = tdb_store::exists(&*self.place.store, &coords)?;
        let metadata = FragmentMetadata::from_legacy(legacy, has_coordinates, schema).at(&key)?;
        Ok(self.fragment(entry, Arc::clone(schema), metadata, None))
    }

    fn decode(
        &self,
        entry: &FragmentEntry,
        footer: &Bytes,
        tiles_end: u64,
    ) -> Result<(Arc<ArraySchema>, FragmentMetadata), ArrayError> {
        let key = entry.metadata_key();
        let start = FooterStart::read(footer, self.limits()).at(&key)?;
        let schema = match start.version.names_schema() {
            true => self.schema(&start.schema_name)?,
            false => self.schema(LEGACY_SCHEMA)?,
        };
        let metadata = FragmentMetadata::read(footer, tiles_end, schema, self.limits()).at(&key)?;
        Ok((Arc::clone(schema), metadata))
    }

    fn fragment(
        &self,
        entry: &FragmentEntry,
        schema: Arc<ArraySchema>,
        metadata: FragmentMetadata,
        tail: Option<Piece>,
    ) -> Fragment {
        Fragment {
            name: entry.name.clone(),
            prefix: join(&self.place.prefix, &entry.key),
            metadata_key: entry.metadata_key(),
            schema,
            metadata,
            tail,
            processed: Vec::new(),
        }
    }

    fn schema(&self, name: &str) -> Result<&Arc<ArraySchema>, ArrayError> {
        self.schemas.get(name).ok_or_else(|| ArrayError::Missing {
            key: name.to_owned(),
            by: "the schema of a fragment",
        })
    }

    fn limits(&self) -> &Limits {
        &self.place.options.limits
    }
}
