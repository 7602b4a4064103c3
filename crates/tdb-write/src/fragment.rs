//! Writes one fragment, from tiles to sealed files.

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{ArrayError, At, DataFile, FinishedFile, NewFragment, SealedFragment};
use tdb_cells::threads;
use tdb_filters::{FilterError, Scratch, seal_generic_tile_in_pieces};
use tdb_fragment::FieldLayout;
use tdb_tile::{Bug, FormatVersion, WireError};

use crate::WriteError;
use crate::fields::{EncodedTile, FieldCodec, FieldFiles, WrittenField};
use crate::metadata::{Metadata, Shape};
use crate::target::FragmentTarget;
use crate::tile::position;
use crate::written_tiles::WrittenTiles;

/// A fragment that is being written: tiles in order, each with all fields.
#[derive(Debug)]
pub(crate) struct FragmentWriter {
    target: Arc<FragmentTarget>,
    fragment: NewFragment,
    files: Vec<FieldFiles>,
    tiles: u64,
}

impl FragmentWriter {
    pub(crate) fn new(
        target: &Arc<FragmentTarget>,
        mut fragment: NewFragment,
    ) -> Result<Self, WriteError> {
        let files = target
            .codecs
            .iter()
            .map(|codec| FieldFiles::create(codec, &mut fragment));
        Ok(Self {
            files: files.collect::<Result<_, _>>()?,
            target: Arc::clone(target),
            fragment,
            tiles: 0,
        })
    }

    /// Number of bytes in the data files so far.
    pub(crate) fn size(&self) -> u64 {
        self.files.iter().map(FieldFiles::size).sum()
    }

    /// Number of tiles so far.
    pub(crate) fn tiles(&self) -> u64 {
        self.tiles
    }

    /// Adds tiles, given as a list per field; all lists have the same length.
    pub(crate) fn append(&mut self, batch: Vec<Vec<EncodedTile>>) -> Result<(), WriteError> {
        let count = batch.first().map_or(0, Vec::len);
        let is_whole = batch.iter().all(|tiles| tiles.len() == count);
        if !is_whole || batch.len() != self.files.len() {
            return Err(Bug::new("tiles of some fields, and not of others").into());
        }
        self.tiles += count as u64;
        let append = |(files, tiles): (&mut FieldFiles, Vec<EncodedTile>)| {
            tiles.into_iter().try_for_each(|tile| files.append(tile))
        };
        let mut fields = self.files.iter_mut().zip(batch);
        Ok(fields.try_for_each(append)?)
    }

    /// Finishes the data files without metadata: the fragment will never be committed, but its tiles can be read
    /// again.
    pub(crate) fn give_up(self, last_tile_cells: usize) -> Result<WrittenTiles, WriteError> {
        let Self {
            target,
            fragment,
            files,
            tiles,
        } = self;
        let written = finish_files(&target, files)?;
        let tiles = (position(tiles)?, last_tile_cells);
        Ok(WrittenTiles::new(target, fragment, written, tiles))
    }

    /// Writes the metadata of the fragment, which is then complete but not yet committed.
    pub(crate) fn seal(self, shape: Shape) -> Result<SealedFragment, WriteError> {
        let Self {
            target,
            mut fragment,
            files,
            tiles,
        } = self;
        target.close_workshops();
        let mut written = finish_files(&target, files)?;
        let mut files: Vec<_> = written
            .iter_mut()
            .flat_map(|field| std::mem::take(&mut field.files))
            .collect();
        let metadata = Metadata {
            target: &target,
            written: &written,
            tiles,
        };
        let file = metadata.file(shape)?;
        let layout = FieldLayout::of(&target.schema);
        let key = target.array.key();
        let mut scratch = Scratch::default();
        let seal = |payload: &[Bytes]| {
            let version = FormatVersion::WRITTEN;
            let sealed = seal_generic_tile_in_pieces(payload, version, key, &mut scratch);
            sealed.map_err(SealError::from)
        };
        let mut pieces = Pieces {
            file: fragment.create_metadata()?,
            small: Vec::new(),
        };
        let sealed = file.write(&layout, seal, |piece| Ok(pieces.push(piece)?));
        match sealed {
            Ok(()) => files.push(pieces.finish()?),
            Err(SealError::Array(error)) => return Err(error.into()),
            Err(SealError::Filter(error)) => Err(error).at(fragment.name().as_str())?,
        }
        Ok(fragment.seal(&files)?)
    }
}

/// Finishes the data files of all fields, and returns once they are durable.
fn finish_files(
    target: &FragmentTarget,
    files: Vec<FieldFiles>,
) -> Result<Vec<WrittenField>, WriteError> {
    let finish = |(files, codec): (FieldFiles, &FieldCodec)| files.finish(&codec.rule);
    let files: Vec<_> = files.into_iter().zip(&target.codecs).collect();
    Ok(target.session.install(|| threads::map(files, finish))?)
}

/// Writes a file in pieces, combining small ones.
struct Pieces {
    file: DataFile,
    small: Vec<u8>,
}

impl Pieces {
    /// Pieces larger than this are written on their own.
    const LARGE: usize = 1 << 20;

    fn push(&mut self, piece: &[u8]) -> Result<(), ArrayError> {
        if self.small.len() + piece.len() > Self::LARGE {
            self.file.write(&self.small)?;
            self.small.clear();
        }
        if piece.len() > Self::LARGE {
            return self.file.write(piece);
        }
        self.small.extend_from_slice(piece);
        Ok(())
    }

    fn finish(mut self) -> Result<FinishedFile, ArrayError> {
        self.file.write(&self.small)?;
        self.file.finish()
    }
}

/// Errors while metadata is written.
enum SealError {
    Filter(FilterError),
    Array(ArrayError),
}

impl From<FilterError> for SealError {
    fn from(error: FilterError) -> Self {
        Self::Filter(error)
    }
}

impl From<WireError> for SealError {
    fn from(error: WireError) -> Self {
        Self::Filter(FilterError::Wire(error))
    }
}

impl From<ArrayError> for SealError {
    fn from(error: ArrayError) -> Self {
        Self::Array(error)
    }
}
