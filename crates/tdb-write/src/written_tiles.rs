//! The tiles of an abandoned fragment, whose cells are read again.

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{ArrayError, At, FinishedFile, NewFragment};
use tdb_store::read_one;
use tdb_tile::{Bug, Exact, U64Column};

use crate::WriteError;
use crate::fields::{FieldCodec, WrittenField};
use crate::input::{CheckedCells, Input, fields_of};
use crate::target::FragmentTarget;
use crate::tile::{Coder, DecodedTile, StoredTile, bound};

/// Tiles of a sparse fragment that is never committed. Its files are removed when this is dropped.
#[derive(Debug)]
pub(crate) struct WrittenTiles {
    target: Arc<FragmentTarget>,
    fields: Vec<WrittenField>,
    tiles: usize,
    last_tile_cells: usize,
    #[expect(dead_code, reason = "removes its files when it is dropped")]
    fragment: NewFragment,
}

impl WrittenTiles {
    /// Creates from fields whose files are finished.
    pub(crate) fn new(
        target: Arc<FragmentTarget>,
        fragment: NewFragment,
        fields: Vec<WrittenField>,
        (tiles, last_tile_cells): (usize, usize),
    ) -> Self {
        Self {
            target,
            fields,
            tiles,
            last_tile_cells,
            fragment,
        }
    }

    /// Reads the cells of a tile; `None` after the last one.
    pub(crate) fn cells(&self, tile: usize) -> Result<Option<CheckedCells>, WriteError> {
        let rows = match self.tiles.checked_sub(tile) {
            None | Some(0) => return Ok(None),
            Some(1) => self.last_tile_cells,
            Some(_) => bound(self.target.schema.capacity),
        };
        let codecs = self.target.codecs.iter();
        let field = |(codec, field): (&FieldCodec, &WrittenField)| {
            let stored = self.stored(field, tile)?;
            let limits = self.target.session.limits();
            let decoded = codec.decode(&stored, &mut Coder::default(), limits);
            let DecodedTile {
                values,
                starts,
                validity,
            } = decoded.at(&codec.name)?;
            let schema = &self.target.schema;
            let fields = fields_of(schema, &[codec.kind])?;
            let input = fields
                .first()
                .and_then(|field| Input::of_tile(field, rows, values, starts, &validity));
            input.ok_or_else(|| Bug::new("a tile that was written has other cells").into())
        };
        let fields = codecs.zip(&self.fields).map(field);
        Ok(Some(CheckedCells {
            rows,
            fields: fields.collect::<Result<_, WriteError>>()?,
        }))
    }

    /// Reads a tile of a field from its files.
    fn stored(&self, field: &WrittenField, tile: usize) -> Result<StoredTile, WriteError> {
        let (tiles, sizes) = (&field.tiles, &field.sizes);
        let mut files = field.files.iter();
        let mut next = |offsets: &U64Column, size: u64| {
            let file = files
                .next()
                .ok_or_else(|| Bug::new("a field of which a file is missing"))?;
            self.read(file, offsets, size, tile)
        };
        Ok(StoredTile {
            main: next(&tiles.tile_offsets.values, sizes.fixed)?,
            var: if field.has_var {
                Some(next(&tiles.var_offsets.values, sizes.var)?)
            } else {
                None
            },
            validity: if field.rule.counts_nulls {
                Some(next(&tiles.validity_offsets.values, sizes.validity)?)
            } else {
                None
            },
        })
    }

    /// Reads the bytes of a tile from a file of `size` bytes.
    fn read(
        &self,
        file: &FinishedFile,
        offsets: &U64Column,
        size: u64,
        tile: usize,
    ) -> Result<Bytes, WriteError> {
        let start = offsets
            .get(tile)
            .ok_or_else(|| Bug::new("a tile that was not written is read"))?;
        let end = offsets.get(tile.exact_add(1)?).unwrap_or(size);
        let read = tdb_store::Read::bounded(file.key(), start, end.exact_sub(start)?);
        let read = read_one(&**self.target.array.store(), read);
        Ok(read.map_err(ArrayError::from)?.bytes)
    }
}
