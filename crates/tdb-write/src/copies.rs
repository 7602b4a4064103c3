//! Copies tiles from one fragment to another in stored form, without running the filters again.

use std::sync::Arc;

use tdb_array::Fragment;
use tdb_cells::{Decoding, Fetched, FieldTiles, FragmentTiles, WholeTiles, stored_field};
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::FieldKind;
use tdb_tile::Bug;

use crate::WriteError;
use crate::fields::{EncodedTile, FieldCodec};
use crate::series::FilteredTiles;
use crate::target::FragmentTarget;
use crate::tile::{Coder, Tile, bound, position};

/// A fragment whose tiles can be copied with [`Writer::copy`](crate::Writer::copy): it has the same format version,
/// filters and fields as the write.
#[derive(Debug)]
pub struct CopiedFragment {
    target: Arc<FragmentTarget>,
    tiles: FragmentTiles,
    /// Timestamp of all cells, if the fragment does not store one for each.
    time: u64,
}

/// The decoded cells of one tile of one field.
#[derive(Debug, Default)]
struct Decoded {
    values: Vec<u8>,
    starts: Vec<u64>,
    validity: Vec<u8>,
}

impl CopiedFragment {
    /// Opens a fragment of the array that is being written. `None` if its tiles have another format version or other
    /// filters, or it lacks a field.
    pub(crate) fn of(
        target: &Arc<FragmentTarget>,
        fragment: FragmentIndex,
    ) -> Result<Option<Self>, WriteError> {
        let stored = target.array.fragment(fragment)?;
        if !has_form(target, stored) {
            return Ok(None);
        }
        let (array, fields) = (&target.array, target.fields());
        let parts = FragmentTiles::parts(&target.schema, stored.stored(), &fields);
        let opened = array.metadata_parts(fragment, &parts)?;
        let how = (array.key(), array.limits());
        let tiles = FragmentTiles::new(&target.schema, stored.stored(), &fields, opened, how)?;
        let is_same = |codec: &FieldCodec| match tiles.field(codec.kind) {
            None => is_constant(codec.kind),
            Some(field) => {
                let values = field.var.as_deref().unwrap_or(&field.main);
                values.pipeline.kind() == codec.values_kind()
            }
        };
        Ok(target.codecs.iter().all(is_same).then(|| Self {
            time: stored.timestamps().0,
            target: Arc::clone(target),
            tiles,
        }))
    }

    /// The coordinates of cell number `cell` in a tile with `cells` cells.
    pub(crate) fn coordinates(
        &self,
        tile: TileNumber,
        cells: usize,
        cell: usize,
    ) -> Result<Vec<Vec<u8>>, WriteError> {
        let dimensions = 0..self.target.schema.dimensions.len();
        let coordinate = |dimension| {
            let tiles = self.tiles.field(FieldKind::Dimension(dimension));
            let tiles = tiles.ok_or_else(|| Bug::new("a fragment without coordinates"))?;
            let decoded = decode(&self.target, tiles, (tile, cells), self.decoding())?;
            let size = tiles.cell_size;
            Ok(decoded.tile(tiles, cells).cell(cell, Some(size))?.to_vec())
        };
        dimensions.map(coordinate).collect()
    }

    fn decoding(&self) -> Decoding<'_> {
        let session = &self.target.session;
        Decoding {
            limits: session.limits(),
            bytes: self.target.array.store(),
            counters: session.counters(),
        }
    }
}

/// Whether the schema of a fragment has the same filters for all fields as the newest schema.
fn has_form(target: &FragmentTarget, stored: &Fragment) -> bool {
    let (old, new) = (&stored.schema, &target.schema);
    let is_same = |codec: &FieldCodec| {
        if is_constant(codec.kind) {
            return true;
        }
        let (from, to) = (
            stored_field(new, stored.stored(), codec.kind),
            new.field_of(codec.kind),
        );
        from.zip(to)
            .is_some_and(|(from, to)| from.kind != FieldKind::Coords && from.filters == to.filters)
    };
    stored.metadata.version == target.version
        && old.version == new.version
        && !stored.metadata.extra_fields.deletes
        && old.offsets_filters == new.offsets_filters
        && old.validity_filters == new.validity_filters
        && target.codecs.iter().all(is_same)
}

/// Whether a fragment without this field implies the same value of it for all of its cells.
fn is_constant(kind: FieldKind) -> bool {
    matches!(
        kind,
        FieldKind::Timestamps | FieldKind::DeleteTimestamps | FieldKind::DeleteConditionIndex
    )
}

/// Consecutive tiles to copy, and the fragment that stores them.
pub(crate) struct Copies<'a> {
    pub(crate) from: &'a CopiedFragment,
    pub(crate) whole: &'a WholeTiles,
}

impl Copies<'_> {
    /// Returns the stored bytes of a tile. The tile is also decoded, to compute its statistics and to detect damage.
    fn copy(
        &self,
        codec: &FieldCodec,
        field: &FieldTiles,
        tile: TileNumber,
    ) -> Result<EncodedTile, WriteError> {
        let pieces = field.fetch(tile, self.from.decoding())?;
        let reads: Vec<_> = field.reads(tile).collect();
        let fetched = Fetched::new(&reads, pieces.clone());
        let how = Decoding {
            bytes: &fetched,
            ..self.from.decoding()
        };
        let decoded = decode(&self.from.target, field, (tile, self.whole.cells), how)?;
        let mut pieces = pieces.into_iter().map(|piece| piece.bytes);
        let mut next = || {
            let piece = pieces.next();
            piece.ok_or_else(|| Bug::new("a tile of which a file is missing"))
        };
        Ok(EncodedTile {
            main: next()?,
            var: field.var.is_some().then(&mut next).transpose()?,
            validity: field.validity.is_some().then(&mut next).transpose()?,
            var_size: var_size(field, tile, self.from.decoding())?,
            summary: codec
                .rule
                .summarize(&decoded.tile(field, self.whole.cells))?,
        })
    }

    /// Returns a tile whose cells all have the same value.
    fn constant(&self, codec: &FieldCodec, number: u64) -> Result<EncodedTile, WriteError> {
        let value = match codec.kind {
            FieldKind::Timestamps => self.from.time,
            // The cells are not deleted.
            FieldKind::DeleteTimestamps | FieldKind::DeleteConditionIndex => u64::MAX,
            _ => return Err(Bug::new("a field that the fragment of a copied tile lacks").into()),
        };
        let tile = Tile {
            cells: self.whole.cells,
            values: &value.to_le_bytes().repeat(self.whole.cells),
            ..Tile::default()
        };
        let limits = self.from.target.session.limits();
        codec.encode(&tile, number, &mut Coder::default(), limits)
    }
}

impl FilteredTiles for Copies<'_> {
    fn filtered(
        &self,
        target: &FragmentTarget,
        field: usize,
        tile: u64,
    ) -> Result<EncodedTile, WriteError> {
        let codec = target.codec(field)?;
        let number = self.whole.tiles.get(position(tile)?).copied();
        let number = number.ok_or_else(|| Bug::new("a tile behind the last one"))?;
        match self.from.tiles.field(codec.kind) {
            Some(field) => self.copy(codec, field, number),
            None => self.constant(codec, tile),
        }
    }

    fn tile_bytes(&self) -> usize {
        let of_cell = |codec: &FieldCodec| match self.from.tiles.field(codec.kind) {
            Some(field) if field.var.is_some() => 8,
            Some(field) => field.cell_size,
            None => 8,
        };
        let fixed: usize = self.from.target.codecs.iter().map(of_cell).sum();
        // The first tile is representative of all.
        let var = self.whole.tiles.first().map_or(0, |first| {
            let fields = self.from.target.codecs.iter();
            let fields = fields.filter_map(|codec| self.from.tiles.field(codec.kind));
            fields.map(|field| field.var_size(*first)).sum()
        });
        fixed
            .saturating_mul(self.whole.cells)
            .saturating_add(bound(var))
    }
}

impl Decoded {
    fn tile(&self, field: &FieldTiles, cells: usize) -> Tile<'_> {
        Tile {
            cells,
            values: &self.values,
            starts: field.var.is_some().then_some(&self.starts),
            validity: field.validity.is_some().then_some(&self.validity),
            ..Tile::default()
        }
    }
}

/// Unfiltered bytes of the values of a var-sized tile; 0 for other fields.
fn var_size(field: &FieldTiles, tile: TileNumber, how: Decoding<'_>) -> Result<u64, WriteError> {
    if field.var.is_none() {
        return Ok(0);
    }
    if let Some(size) = field.index.var_size(tile.get()) {
        return Ok(size);
    }
    // Reading the tile gives a more precise error.
    field.fetch(tile, how)?;
    Err(Bug::new("a tile that is copied has no size").into())
}

/// Decodes all cells of a tile, which has `cells` cells.
fn decode(
    target: &FragmentTarget,
    field: &FieldTiles,
    (tile, cells): (TileNumber, usize),
    how: Decoding<'_>,
) -> Result<Decoded, WriteError> {
    let mut worker = target.session.worker();
    let mut decoded = Decoded::default();
    if field.var.is_some() {
        decoded.starts = vec![0; cells];
        decoded.values = vec![0; position(var_size(field, tile, how)?)?];
        let Decoded { starts, values, .. } = &mut decoded;
        field.read_var(tile, starts, values, &mut worker, how)?;
    } else {
        decoded.values = vec![0; cells.saturating_mul(field.cell_size)];
        let size = cells as u64;
        field.read_fixed(tile, size, &mut decoded.values, &mut worker, how)?;
    }
    if field.validity.is_some() {
        decoded.validity = vec![0; cells];
        field.read_validity(tile, &mut decoded.validity, &mut worker, how)?;
    }
    Ok(decoded)
}
