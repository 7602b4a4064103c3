//! Decoding: stored chunks and tiles through a pipeline to values.

use std::mem;

use tdb_tile::{ChunkTable, Limits};

use crate::room::in_memory;
use crate::{FilterError, Pipeline, Scratch};

impl Pipeline {
    /// Decodes one chunk into exactly `out`, whose length is the chunk's original size.
    ///
    /// If `starts` is given, offsets are folded into the data; `starts` then receives the start of
    /// each cell within `out`. Data with folded offsets can also be decoded without it.
    ///
    /// # Errors
    /// Fails if the filters cannot have written the bytes, if the key is wrong, or if a limit is
    /// exceeded.
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
        let mut run = self.run(folds, scratch, limits);
        run.decode(metadata, data, out, starts)
    }

    /// Decodes a whole stored tile into exactly `out`.
    ///
    /// # Errors
    /// As for [`Pipeline::decode_chunk`], and if the chunks do not add up to the length of `out`.
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

    /// Like [`Pipeline::decode_tile`], into newly allocated memory of the size that the chunks
    /// state, if the limits and the budget allow it.
    ///
    /// # Errors
    /// As for [`Pipeline::decode_tile`].
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
            let size = in_memory("tile size", "data_tile", table.tile_size())?;
            let mut out = vec![0; size];
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
        let mut run = self.run(folds, scratch, limits);
        for entry in table.entries() {
            let (chunk, rest) = mem::take(&mut out)
                .split_at_mut_checked(entry.original as usize)
                .ok_or(LARGER)?;
            out = rest;
            let before = starts.as_deref().map_or(0, Vec::len);
            let (metadata, data) = (entry.metadata(stored)?, entry.filtered(stored)?);
            run.decode(metadata, data, chunk, starts.as_deref_mut())?;
            for start in starts
                .iter_mut()
                .flat_map(|all| all.iter_mut().skip(before))
            {
                let Some(in_tile) = start.checked_add(entry.start) else {
                    return Err(BEYOND);
                };
                *start = in_tile;
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
}

const BEYOND: FilterError = FilterError::Corrupt {
    filter: "pipeline",
    field: "offsets",
    kind: tdb_tile::WireErrorKind::Invalid("go beyond 2^64 bytes"),
};

const LARGER: FilterError = FilterError::Corrupt {
    filter: "pipeline",
    field: "original size",
    kind: tdb_tile::WireErrorKind::Invalid("more bytes than are stored"),
};
