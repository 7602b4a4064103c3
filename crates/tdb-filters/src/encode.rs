//! Encoding: values through a pipeline to stored chunks and tiles.

use std::mem;

use bytes::Bytes;
use tdb_tile::{Bug, ChunkWriter, Exact, Limits};

use crate::room::cut_ref;
use crate::{FilterError, Pipeline, Scratch, chunking, strings};

impl Pipeline {
    /// Encodes values as a tile and appends it to `out`, cut into chunks as TileDB cuts them.
    ///
    /// `starts` gives the start of each cell of a var-sized field in `data`. Tiles are cut only at
    /// these places, and the starts are folded into the data if [`Pipeline::folds_offsets`] is
    /// true.
    ///
    /// # Errors
    /// Fails if a filter cannot encode the values, if the pipeline's output could not be read again
    /// ([`Pipeline::check`]), or if the starts are not in order.
    pub fn encode_tile(
        &self,
        data: &[u8],
        starts: Option<&[u64]>,
        out: &mut Vec<u8>,
        scratch: &mut Scratch,
        limits: &Limits,
    ) -> Result<(), FilterError> {
        self.check()?;
        self.check_starts(data, starts)?;
        let mut ends = mem::take(&mut scratch.cuts);
        self.cut(data.len(), starts, &mut ends)?;
        let begun = out.len();
        let mut writer = ChunkWriter::new(out);
        let (mut start, mut left) = (0_usize, data);
        let written = ends
            .iter()
            .try_for_each(|&end| {
                let chunk = cut_ref(&mut left, end.exact_sub(start)?)?;
                start = end;
                self.encode_one(chunk, starts, &mut writer, scratch, limits)
            })
            .and_then(|()| Ok(writer.finish()?));
        if written.is_err() {
            out.truncate(begun);
        }
        scratch.cuts = ends;
        written
    }

    /// Encodes a tile of fixed-size values from several parts. The concatenated result is that of
    /// [`Pipeline::encode_tile`].
    ///
    /// # Errors
    /// As for [`Pipeline::encode_tile`].
    pub fn encode_parts(
        &self,
        parts: &[Bytes],
        scratch: &mut Scratch,
        limits: &Limits,
    ) -> Result<Vec<Bytes>, FilterError> {
        self.check()?;
        self.check_starts(&[], None)?;
        let size = total_len(parts)?;
        let mut ends = Vec::new();
        self.cut(size, None, &mut ends)?;
        let mut pieces = vec![Bytes::copy_from_slice(&(ends.len() as u64).to_le_bytes())];
        let mut parts = Parts::new(parts);
        let mut start = 0_usize;
        let mut ends = ends.into_iter().peekable();
        while ends.peek().is_some() {
            let mut piece = Vec::with_capacity(PIECE.min(size).exact_add(ROOM)?);
            let mut filled = 0_usize;
            let mut writer = ChunkWriter::new(&mut piece);
            while let Some(end) = ends.next_if(|_| filled < PIECE) {
                let len = end.exact_sub(start)?;
                start = end;
                filled = filled.exact_add(len)?;
                self.encode_one(parts.next(len)?, None, &mut writer, scratch, limits)?;
            }
            // Only the first piece has a chunk count, that of all pieces; the one that the writer
            // put here is cut off.
            pieces.push(Bytes::from(piece).slice(size_of::<u64>()..));
        }
        Ok(pieces)
    }

    /// Encodes values, at most 4 GiB, as one chunk and appends it.
    ///
    /// # Errors
    /// As for [`Pipeline::encode_tile`].
    pub fn encode_chunk(
        &self,
        data: &[u8],
        starts: Option<&[u64]>,
        writer: &mut ChunkWriter<'_>,
        scratch: &mut Scratch,
        limits: &Limits,
    ) -> Result<(), FilterError> {
        self.check()?;
        if self.folds {
            self.check_starts(data, starts)?;
        }
        self.encode_one(data, starts, writer, scratch, limits)
    }

    /// Encodes one chunk whose starts were checked. A filter that folds offsets receives the whole
    /// tile as one chunk, so `starts` needs no adjustment.
    fn encode_one(
        &self,
        data: &[u8],
        starts: Option<&[u64]>,
        writer: &mut ChunkWriter<'_>,
        scratch: &mut Scratch,
        limits: &Limits,
    ) -> Result<(), FilterError> {
        let original = u32::try_from(data.len()).map_err(|_| FilterError::Values {
            filter: NAME,
            why: "a chunk of 4 GiB or more",
        })?;
        let mut run = self.run(self.folds, scratch, limits);
        let (metadata, stored) = run.encode(data, starts)?;
        Ok(writer.chunk(original, metadata, stored)?)
    }

    fn check_starts(&self, data: &[u8], starts: Option<&[u64]>) -> Result<(), FilterError> {
        match starts {
            Some(starts) => strings::check_starts(NAME, data, starts),
            None if self.folds => Err(FilterError::Values {
                filter: NAME,
                why: "no offsets were given to fold into the data",
            }),
            None => Ok(()),
        }
    }

    fn cut(
        &self,
        size: usize,
        starts: Option<&[u64]>,
        ends: &mut Vec<usize>,
    ) -> Result<(), FilterError> {
        match starts {
            _ if !self.cuts => {
                ends.clear();
                ends.push(size);
            }
            None => chunking::cut_fixed(size, self.kind().cell_size, ends),
            Some(starts) => {
                let chunk = chunking::chunk_size(size, self.kind().cell_size);
                chunking::cut_cells(size, chunk, starts, ends)?;
            }
        }
        Ok(())
    }
}

/// The name in errors that no single filter causes.
const NAME: &str = "pipeline";

/// Bytes of values after which a piece of a tile ends.
const PIECE: usize = 1 << 20;

/// Bytes reserved in a piece beyond the size of its values.
const ROOM: usize = 4 << 10;

/// Values in several parts, read as one sequence.
struct Parts<'a> {
    parts: &'a [Bytes],
    /// Bytes already taken from the first part.
    taken: usize,
    /// The last bytes returned, if they spanned several parts and were copied together.
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

    /// Returns the next `len` bytes.
    fn next(&mut self, len: usize) -> Result<&[u8], Bug> {
        self.joined.clear();
        while let Some((first, rest)) = self.parts.split_first() {
            let left = first
                .get(self.taken..)
                .ok_or_else(|| Bug::new("more of a part was taken than it has"))?;
            let wanted = len.exact_sub(self.joined.len())?;
            if let Some(found) = left.get(..wanted) {
                self.taken = self.taken.exact_add(wanted)?;
                if self.joined.is_empty() {
                    return Ok(found);
                }
                self.joined.extend_from_slice(found);
                return Ok(&self.joined);
            }
            self.joined.extend_from_slice(left);
            (self.parts, self.taken) = (rest, 0);
        }
        if self.joined.len() == len {
            return Ok(&self.joined);
        }
        Err(Bug::new("the parts of a tile are shorter than the tile"))
    }
}

/// Returns the number of bytes of all parts.
pub(crate) fn total_len(parts: &[Bytes]) -> Result<usize, Bug> {
    let mut lengths = parts.iter().map(Bytes::len);
    lengths.try_fold(0, Exact::exact_add)
}
