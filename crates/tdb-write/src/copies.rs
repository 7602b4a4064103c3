//! Copies tiles from one fragment to another in stored form, without running the filters again.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use tdb_array::Fragment;
use tdb_cells::{
    Decoding, FetchedBytes, FieldTiles, FragmentTiles, TileAccess, WholeTiles, stored_field,
};
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::FieldKind;
use tdb_store::{Piece, Read};
use tdb_tile::{Bug, Exact};

use crate::WriteError;
use crate::copied_bytes::CopiedBytes;
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
struct DecodedField {
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
        let access = TileAccess {
            key: array.key(),
            limits: array.limits(),
        };
        let tiles = FragmentTiles::new(&target.schema, stored.stored(), &fields, opened, access)?;
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
    from: &'a CopiedFragment,
    pub(crate) whole: &'a WholeTiles,
    /// The coordinates of the first and the last cell along each dimension, once their tiles are decoded.
    first: Vec<OnceLock<Vec<u8>>>,
    last: Vec<OnceLock<Vec<u8>>>,
}

/// The coordinates of the first and the last of the copied cells.
pub(crate) struct Ends {
    pub(crate) first: Vec<Vec<u8>>,
    pub(crate) last: Vec<Vec<u8>>,
}

impl<'a> Copies<'a> {
    pub(crate) fn new(from: &'a CopiedFragment, whole: &'a WholeTiles) -> Self {
        let dimensions = from.target.schema.dimensions.len();
        Self {
            from,
            whole,
            first: vec![OnceLock::new(); dimensions],
            last: vec![OnceLock::new(); dimensions],
        }
    }

    /// Returns the coordinates of the first and the last cell, of tiles that were all copied.
    pub(crate) fn ends(&self) -> Result<Ends, Bug> {
        let known = |cells: &[OnceLock<Vec<u8>>]| {
            let known: Option<Vec<Vec<u8>>> =
                cells.iter().map(|cell| cell.get().cloned()).collect();
            known.ok_or_else(|| Bug::new("tiles were copied without their coordinates"))
        };
        Ok(Ends {
            first: known(&self.first)?,
            last: known(&self.last)?,
        })
    }

    /// Notes the coordinates of the first and the last cell, if they are in this tile of this field.
    fn note_ends(
        &self,
        codec: &FieldCodec,
        place: usize,
        cells: &Tile<'_>,
        size: usize,
    ) -> Result<(), Bug> {
        let FieldKind::Dimension(dimension) = codec.kind else {
            return Ok(());
        };
        let note = |ends: &[OnceLock<Vec<u8>>], cell: usize| {
            let Some(end) = ends.get(dimension) else {
                return Err(Bug::new("a dimension that the schema lacks"));
            };
            let value = cells.cell(cell, Some(size))?.to_vec();
            let is_new = end.set(value).is_ok();
            is_new
                .then_some(())
                .ok_or_else(|| Bug::new("a tile was copied twice"))
        };
        if place == 0 {
            note(&self.first, 0)?;
        }
        if place.exact_add(1)? == self.whole.tiles.len() {
            note(&self.last, self.whole.cells.exact_sub(1)?)?;
        }
        Ok(())
    }

    /// Returns the stored bytes of the tile with this place among those to copy. It is also decoded, to compute its
    /// statistics and to detect damage.
    fn copy(
        &self,
        codec: &FieldCodec,
        field: &FieldTiles,
        input: &CopiedBytes,
        place: usize,
    ) -> Result<EncodedTile, WriteError> {
        let tile = self.tile(place)?;
        let reads: Vec<Read> = field.reads(tile).collect();
        let pieces: Option<Vec<Piece>> = reads.iter().map(|r| input.bytes.piece(r)).collect();
        let pieces = match pieces {
            Some(pieces) => pieces,
            // Bytes that could not be fetched with the others fail again, with an error that names the tile.
            None => field.fetch(tile, self.from.decoding())?,
        };
        let fetched = FetchedBytes::new(&reads, pieces.clone());
        let how = Decoding {
            bytes: &fetched,
            ..self.from.decoding()
        };
        let decoded = decode(&self.from.target, field, tile, self.whole.cells, how)?;
        let cells = decoded.tile(field, self.whole.cells);
        self.note_ends(codec, place, &cells, field.cell_size)?;
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
            summary: codec.rule.summarize(&cells)?,
        })
    }

    /// Returns the number of the tile with this place among those to copy.
    fn tile(&self, place: usize) -> Result<TileNumber, Bug> {
        let number = self.whole.tiles.get(place).copied();
        number.ok_or_else(|| Bug::new("a tile behind the last one"))
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
    type Input = CopiedBytes;

    fn fetch(&self, tiles: Range<u64>) -> Result<CopiedBytes, WriteError> {
        let places = position(tiles.start)?..position(tiles.end)?;
        let Some(tiles) = self.whole.tiles.get(places) else {
            return Err(Bug::new("tiles behind the last one").into());
        };
        let target = &self.from.target;
        Ok(CopiedBytes::fetch(
            &**target.array.store(),
            target.session.limits(),
            &self.from.tiles,
            &target.fields(),
            tiles,
        ))
    }

    fn filtered(
        &self,
        target: &FragmentTarget,
        input: &CopiedBytes,
        field: usize,
        tile: u64,
    ) -> Result<EncodedTile, WriteError> {
        let codec = target.codec(field)?;
        match self.from.tiles.field(codec.kind) {
            Some(field) => self.copy(codec, field, input, position(tile)?),
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
            let fields = self
                .from
                .target
                .codecs
                .iter()
                .filter_map(|codec| self.from.tiles.field(codec.kind));
            fields.map(|field| field.var_size(*first)).sum()
        });
        fixed
            .saturating_mul(self.whole.cells)
            .saturating_add(bound(var))
    }
}

impl DecodedField {
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
    tile: TileNumber,
    cells: usize,
    how: Decoding<'_>,
) -> Result<DecodedField, WriteError> {
    let mut worker = target.session.worker();
    let mut decoded = DecodedField::default();
    if field.var.is_some() {
        decoded.starts = vec![0; cells];
        decoded.values = vec![0; position(var_size(field, tile, how)?)?];
        let DecodedField { starts, values, .. } = &mut decoded;
        field.read_var(tile, starts, values, &mut worker, how)?;
    } else {
        decoded.values = vec![0; cells.exact_mul(field.cell_size)?];
        let size = cells as u64;
        field.read_fixed(tile, size, &mut decoded.values, &mut worker, how)?;
    }
    if field.validity.is_some() {
        decoded.validity = vec![0; cells];
        field.read_validity(tile, &mut decoded.validity, &mut worker, how)?;
    }
    Ok(decoded)
}
