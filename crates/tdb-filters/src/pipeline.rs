use std::mem;

use bytes::Bytes;
use tdb_tile::{ChunkTable, ChunkWriter, FormatVersion, Limits};

use crate::filter::Registry;
use crate::run::Run;
use crate::scratch::Scratch;
use crate::step::{self, Step};
use crate::{EncryptionKey, FilterError, FilterList, TileKind, Unfit, chunking};

/// A tile of no chunks: the offsets tile of strings whose offsets are folded into their values.
pub const NO_CHUNKS: [u8; 8] = [0; 8];

/// Filters ready to run over the tiles of one field: share one between threads, with a
/// [`Scratch`] for each.
///
/// ```
/// use tdb_filters::{Description, FilterList, Pipeline, Registry, Scratch, TileKind};
/// use tdb_tile::{Datatype, FormatVersion, Limits};
///
/// let byteshuffle = Description::new("byteshuffle");
/// let list = FilterList::new(vec![
///     byteshuffle.record(FormatVersion::WRITTEN, Registry::builtin())?,
/// ]);
/// let kind = TileKind::new(FormatVersion::WRITTEN, Datatype::UInt16);
/// let pipeline = Pipeline::new(&list, FormatVersion::WRITTEN, kind, None, Registry::builtin())?;
///
/// let (mut scratch, limits) = (Scratch::default(), Limits::default());
/// let mut tile = Vec::new();
/// pipeline.encode_tile(&[1, 2, 3, 4], None, &mut tile, &mut scratch, &limits)?;
/// assert_eq!(tile.len(), 8 + 12 + 8 + 4); // count, chunk header, part lengths, data
/// let values = pipeline.decode_tile_to_vec(&tile, None, &mut scratch, &limits)?;
/// assert_eq!(values, [1, 2, 3, 4]);
/// # Ok::<(), tdb_filters::FilterError>(())
/// ```
#[derive(Debug)]
pub struct Pipeline {
    pub(crate) steps: Vec<Step>,
    pub(crate) kind: TileKind,
    cuts: bool,
    folds: bool,
    can_fold: bool,
    /// Why nobody could read what this pipeline writes.
    unwritable: Option<FilterError>,
}

impl Pipeline {
    /// Makes the filters of `list`, which was stored in a record of `options_version` (a schema,
    /// the header of a generic tile), ready for tiles of `kind`. With a key, data is encrypted last.
    ///
    /// # Errors
    /// Filters that are unknown, withdrawn or not compiled in; options that make no sense; an
    /// encrypted pipeline without a key; a string filter that folds offsets and is not first.
    pub fn new(
        list: &FilterList,
        options_version: FormatVersion,
        kind: TileKind,
        key: Option<&EncryptionKey>,
        registry: &Registry,
    ) -> Result<Self, FilterError> {
        let steps = step::steps(list, options_version, &kind, key, registry)?;
        let folds_at = steps.iter().position(|step| kind.folds(step.code));
        if let Some(step) = folds_at.filter(|&at| at > 0).and_then(|at| steps.get(at)) {
            return Err(FilterError::InvalidPipeline {
                filter: step.name,
                why: step::NOT_FIRST,
            });
        }
        let unites = steps.iter().any(|step| kind.unites_chunks(step.code));
        let first = steps.first().map(|step| step.code);
        Ok(Self {
            cuts: list.max_chunk != 0 && !unites,
            folds: folds_at.is_some(),
            can_fold: kind.is_var_text() && first.is_some_and(step::is_text_filter),
            unwritable: step::check(&steps, &kind).err(),
            steps,
            kind,
        })
    }

    /// Fails where what the pipeline writes could not be read again, by this crate or by TileDB:
    /// values of a type that a filter does not take, text filters out of place, and filters
    /// that count in whole values behind those that break them. To read, none of this matters.
    ///
    /// # Errors
    /// [`FilterError::InvalidPipeline`].
    pub fn check(&self) -> Result<(), FilterError> {
        self.unwritable.clone().map_or(Ok(()), Err)
    }

    /// The first of these values that would come back as quite another (see [`Filter::first_unfit`]).
    ///
    /// [`Filter::first_unfit`]: crate::Filter::first_unfit
    #[must_use]
    pub fn first_unfit(&self, values: &[u8]) -> Option<Unfit> {
        // What comes after a filter that changes the bytes sees no values any more.
        let step = self.steps.iter().find(|step| !step.filter.keeps_data())?;
        step.filter.first_unfit(values, step.datatype)
    }

    /// Whether there is no filter: the stored bytes of a chunk are its data.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether writing folds offsets into the values: the offsets tile is then [`NO_CHUNKS`].
    #[must_use]
    pub fn folds_offsets(&self) -> bool {
        self.folds
    }

    /// Whether the offsets of a tile that holds cells are folded into its values, by the
    /// offsets tile that was stored with it: some writers fold in versions that should not.
    #[must_use]
    pub fn folds_offsets_of(&self, stored_offsets: &[u8]) -> bool {
        self.folds || (self.can_fold && stored_offsets == NO_CHUNKS)
    }

    /// What the tiles are.
    #[must_use]
    pub fn kind(&self) -> &TileKind {
        &self.kind
    }

    /// Decodes one chunk into exactly `out`, whose length is the chunk's original size.
    ///
    /// With `starts`, offsets are folded into the data; where the cells start in `out` goes there.
    /// Decoding data with folded offsets without asking for them is fine.
    ///
    /// # Errors
    /// Bytes that the filters cannot have written, a wrong key, limits.
    pub fn decode_chunk(
        &self,
        metadata: &[u8],
        data: &[u8],
        out: &mut [u8],
        mut starts: Option<&mut Vec<u64>>,
        scratch: &mut Scratch,
        limits: &Limits,
    ) -> Result<(), FilterError> {
        if let Some(starts) = starts.as_deref_mut() {
            starts.clear();
        }
        let folds = self.reads_folded(starts.is_some())?;
        let mut run = Run::new(self, folds, scratch, limits);
        run.decode(metadata, data, out, starts)
    }

    /// Decodes a whole stored tile into exactly `out`.
    ///
    /// # Errors
    /// As [`Pipeline::decode_chunk`], and chunks that do not add up to the length of `out`.
    pub fn decode_tile(
        &self,
        stored: &[u8],
        out: &mut [u8],
        starts: Option<&mut Vec<u64>>,
        scratch: &mut Scratch,
        limits: &Limits,
    ) -> Result<(), FilterError> {
        let mut table = mem::take(&mut scratch.table);
        let parsed = table.parse_sized(stored, out.len() as u64, limits);
        let result = parsed
            .map_err(FilterError::from)
            .and_then(|()| self.decode_chunks(&table, stored, out, starts, scratch, limits));
        scratch.table = table;
        result
    }

    /// As [`Pipeline::decode_tile`], into memory made for it: zero-filled, of the size that the
    /// chunks state, within the limit and the budget.
    ///
    /// # Errors
    /// As [`Pipeline::decode_tile`].
    pub fn decode_tile_to_vec(
        &self,
        stored: &[u8],
        starts: Option<&mut Vec<u64>>,
        scratch: &mut Scratch,
        limits: &Limits,
    ) -> Result<Vec<u8>, FilterError> {
        let mut table = mem::take(&mut scratch.table);
        let parsed = table.parse(stored, limits).map_err(FilterError::from);
        let result = parsed.and_then(|()| {
            if self.is_identity() && table.tile_size() > stored.len() as u64 {
                return Err(LARGER);
            }
            let _fits = limits.budget.take(table.tile_size())?;
            let mut out = vec![0; usize::try_from(table.tile_size()).unwrap_or(usize::MAX)];
            self.decode_chunks(&table, stored, &mut out, starts, scratch, limits)?;
            Ok(out)
        });
        scratch.table = table;
        result
    }

    fn decode_chunks(
        &self,
        table: &ChunkTable,
        stored: &[u8],
        mut out: &mut [u8],
        mut starts: Option<&mut Vec<u64>>,
        scratch: &mut Scratch,
        limits: &Limits,
    ) -> Result<(), FilterError> {
        let folds = self.reads_folded(starts.is_some())?;
        if let Some(starts) = starts.as_deref_mut() {
            starts.clear();
        }
        let mut run = Run::new(self, folds, scratch, limits);
        for entry in table.entries() {
            let (chunk, rest) = mem::take(&mut out)
                .split_at_mut_checked(entry.original as usize)
                .ok_or(LARGER)?;
            out = rest;
            let before = starts.as_deref().map_or(0, Vec::len);
            let (metadata, data) = (entry.metadata(stored), entry.filtered(stored));
            run.decode(metadata, data, chunk, starts.as_deref_mut())?;
            let found = starts.as_deref_mut().and_then(|all| all.get_mut(before..));
            for start in found.unwrap_or_default() {
                *start = start.saturating_add(entry.start);
            }
        }
        Ok(())
    }

    fn reads_folded(&self, asked: bool) -> Result<bool, FilterError> {
        if asked && !self.can_fold {
            return Err(FilterError::InvalidPipeline {
                filter: "pipeline",
                why: "no filter folds offsets into the values of this field",
            });
        }
        Ok(asked || self.folds)
    }

    /// Appends a tile of these values to `out`, cut into chunks as TileDB cuts them.
    ///
    /// `starts` tells where each cell of a var-sized field starts in `data`: they are where the
    /// tile may be cut, and are folded into the data where [`Pipeline::folds_offsets`] says so.
    ///
    /// # Errors
    /// Values that a filter cannot encode, pipelines that nobody could read again
    /// ([`Pipeline::check`]), starts that are not in order.
    pub fn encode_tile(
        &self,
        data: &[u8],
        starts: Option<&[u64]>,
        out: &mut Vec<u8>,
        scratch: &mut Scratch,
        limits: &Limits,
    ) -> Result<(), FilterError> {
        self.check()?;
        let starts = self.checked_starts(data, starts)?;
        let mut ends = mem::take(&mut scratch.cuts);
        self.cut(data.len(), starts, &mut ends);
        let begun = out.len();
        let mut writer = ChunkWriter::new(out);
        let mut start = 0_usize;
        let mut written = Ok(());
        for &end in &ends {
            let chunk = data.get(start..end).unwrap_or_default();
            start = end;
            written = self.encode_chunk(chunk, starts, &mut writer, scratch, limits);
            if written.is_err() {
                break;
            }
        }
        writer.finish();
        if written.is_err() {
            out.truncate(begun);
        }
        scratch.cuts = ends;
        written
    }

    /// A tile of values of one size, which stand in several parts, in pieces: as [`Pipeline::encode_tile`] would give it.
    ///
    /// # Errors
    /// As there.
    pub fn encode_parts(
        &self,
        parts: &[Bytes],
        scratch: &mut Scratch,
        limits: &Limits,
    ) -> Result<Vec<Bytes>, FilterError> {
        self.checked_starts(&[], None)?;
        let size = parts.iter().map(Bytes::len).fold(0, usize::saturating_add);
        let mut ends = Vec::new();
        self.cut(size, None, &mut ends);
        let mut pieces = vec![Bytes::copy_from_slice(&(ends.len() as u64).to_le_bytes())];
        let mut parts = Parts::new(parts);
        let mut start = 0_usize;
        let mut ends = ends.into_iter().peekable();
        while ends.peek().is_some() {
            let mut piece = Vec::with_capacity(PIECE.min(size).saturating_add(ROOM));
            let mut filled = 0_usize;
            let mut writer = ChunkWriter::new(&mut piece);
            while let Some(end) = ends.next_if(|_| filled < PIECE) {
                let len = end.saturating_sub(start);
                start = end;
                filled = filled.saturating_add(len);
                self.encode_chunk(parts.next(len), None, &mut writer, scratch, limits)?;
            }
            // The chunks of all pieces are counted in front of the first one, and those of this one not.
            pieces.push(Bytes::from(piece).slice(size_of::<u64>()..));
        }
        Ok(pieces)
    }

    /// Appends one chunk of these values, which must not be longer than 4 GiB.
    ///
    /// # Errors
    /// As [`Pipeline::encode_tile`].
    pub fn encode_chunk(
        &self,
        data: &[u8],
        starts: Option<&[u64]>,
        writer: &mut ChunkWriter<'_>,
        scratch: &mut Scratch,
        limits: &Limits,
    ) -> Result<(), FilterError> {
        self.check()?;
        let original = u32::try_from(data.len()).map_err(|_| FilterError::Values {
            filter: "pipeline",
            why: "a chunk of 4 GiB or more",
        })?;
        let mut run = Run::new(self, self.folds, scratch, limits);
        let (metadata, stored) = run.encode(data, starts)?;
        writer.chunk(original, metadata, stored);
        Ok(())
    }

    fn checked_starts<'a>(
        &self,
        data: &[u8],
        starts: Option<&'a [u64]>,
    ) -> Result<Option<&'a [u64]>, FilterError> {
        let fail = |why| FilterError::Values {
            filter: "pipeline",
            why,
        };
        match starts {
            None if self.folds => Err(fail("no offsets were given to fold into the data")),
            Some(starts) => {
                let starts_at_zero = starts.first().is_none_or(|&first| first == 0);
                let ends_within = starts.last().is_none_or(|&last| last <= data.len() as u64);
                if starts_at_zero && ends_within && starts.is_sorted() {
                    Ok(Some(starts))
                } else {
                    Err(fail("offsets are not in order or beyond the data"))
                }
            }
            None => Ok(None),
        }
    }

    fn cut(&self, size: usize, starts: Option<&[u64]>, ends: &mut Vec<usize>) {
        match starts {
            _ if !self.cuts => {
                ends.clear();
                ends.push(size);
            }
            None => chunking::cut_fixed(size, self.kind.cell_size, ends),
            Some(starts) => {
                let chunk = chunking::chunk_size(size, self.kind.cell_size);
                chunking::cut_cells(size, chunk, starts, ends);
            }
        }
    }
}

/// Bytes of values that a piece of a tile is made of.
const PIECE: usize = 1 << 20;

/// Bytes that a piece may have more than its values.
const ROOM: usize = 4 << 10;

/// Values that stand in several parts.
struct Parts<'a> {
    parts: &'a [Bytes],
    /// Bytes of the first part that were taken.
    taken: usize,
    /// Those that stand in more than one part.
    joined: Vec<u8>,
}

impl<'a> Parts<'a> {
    fn new(parts: &'a [Bytes]) -> Self {
        Self {
            parts,
            taken: 0,
            joined: Vec::new(),
        }
    }

    /// The next so many bytes, or what there is.
    fn next(&mut self, len: usize) -> &[u8] {
        self.joined.clear();
        while let Some((first, rest)) = self.parts.split_first() {
            let left = first.get(self.taken..).unwrap_or_default();
            let wanted = len.saturating_sub(self.joined.len());
            if let Some(found) = left.get(..wanted) {
                self.taken = self.taken.saturating_add(wanted);
                if self.joined.is_empty() {
                    return found;
                }
                self.joined.extend_from_slice(found);
                return &self.joined;
            }
            self.joined.extend_from_slice(left);
            (self.parts, self.taken) = (rest, 0);
        }
        &self.joined
    }
}

const LARGER: FilterError = FilterError::Corrupt {
    filter: "pipeline",
    field: "original size",
    kind: tdb_tile::WireErrorKind::Invalid("more bytes than are stored"),
};
