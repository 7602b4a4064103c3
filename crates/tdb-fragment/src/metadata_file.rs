use bytes::Bytes;
use tdb_rtree::RTree;
use tdb_tile::{Bug, Exact, FormatVersion, Record, Scalar, WireError, WireErrorKind};

use crate::{
    FieldLayout, Footer, FragmentStatistics, GenericTileOffsets, OptionalSection,
    ProcessedConditions, TileBounds, TileVector,
};

/// A complete metadata file, for writing: the footer, and the records that its offsets refer to.
///
/// Versions 1 and 2 cannot be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetadataFile {
    /// The footer; encoding computes its offsets.
    pub footer: Footer,
    /// The MBRs of the tiles; without levels in a dense fragment.
    pub rtree: RTree,
    /// The tile lists of each field, in the order of [`FieldLayout`].
    pub fields: Vec<FieldTiles>,
    /// The first coordinates of all tiles, by dimension, then the last coordinates: sparse
    /// fragments from format 23.
    pub global_order_bounds: Vec<TileBounds>,
    /// Statistics of the whole fragment (from format 12).
    pub statistics: FragmentStatistics,
    /// The delete conditions that have been applied to the fragment (from format 15).
    pub processed_conditions: ProcessedConditions,
}

/// The tile lists of one field in a metadata file.
///
/// If the field has no such tiles, vectors of offsets, sizes and null counts have a zero for each
/// tile; bounds and sums are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldTiles {
    /// The offsets of the data tiles.
    pub tile_offsets: TileVector,
    /// The offsets of the tiles of var-sized values.
    pub var_offsets: TileVector,
    /// The unfiltered sizes of the tiles of var-sized values.
    pub var_sizes: TileVector,
    /// The offsets of the validity tiles (from format 7).
    pub validity_offsets: TileVector,
    /// The minimum of each tile (from format 11).
    pub mins: TileBounds,
    /// The maximum of each tile (from format 11).
    pub maxs: TileBounds,
    /// The sum of each tile (from format 11).
    pub sums: TileVector,
    /// The null count of each tile (from format 11).
    pub null_counts: TileVector,
}

impl MetadataFile {
    /// Encodes the file.
    ///
    /// `seal` encodes the content of one generic tile (given in parts) and returns the tile (in
    /// pieces). Callers pass `tdb_filters::seal_generic_tile_in_pieces` with the library's version
    /// and the array's key.
    ///
    /// # Errors
    /// Passes on the errors of `seal`; fails if the version cannot store a fact.
    pub fn encode<E: From<WireError>>(
        &self,
        layout: &FieldLayout,
        seal: impl FnMut(&[Bytes]) -> Result<Vec<Bytes>, E>,
    ) -> Result<Vec<u8>, E> {
        let mut out = Vec::new();
        self.write(layout, seal, |piece| {
            out.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(out)
    }

    /// Like [`MetadataFile::encode`], but passes the file to `hand_on` piece by piece, so that it
    /// is never in memory as a whole.
    ///
    /// # Errors
    /// As for [`MetadataFile::encode`]; also passes on the errors of `hand_on`.
    pub fn write<E: From<WireError>>(
        &self,
        layout: &FieldLayout,
        seal: impl FnMut(&[Bytes]) -> Result<Vec<Bytes>, E>,
        hand_on: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let version = self.footer.version;
        let mut tiles = TileSealer {
            written: 0,
            version,
            seal,
            hand_on,
        };
        let mut footer = self.footer.clone();
        footer.offsets = self.write_tiles(&mut tiles, layout)?;
        if version.has_footer_sections() && !footer.dense {
            footer
                .sections
                .retain(|s| s.id != OptionalSection::GLOBAL_ORDER_BOUNDS);
            footer.sections.push(self.write_bounds(&mut tiles)?);
        }
        let mut bytes = footer.encode(version, layout)?;
        if version.always_stores_footer_length() || !layout.has_fixed_dimensions() {
            (bytes.len() as u64).write(&mut bytes);
        }
        (tiles.hand_on)(&bytes)
    }

    fn write_tiles<E, S, H>(
        &self,
        tiles: &mut TileSealer<S, H>,
        layout: &FieldLayout,
    ) -> Result<GenericTileOffsets, E>
    where
        E: From<WireError>,
        S: FnMut(&[Bytes]) -> Result<Vec<Bytes>, E>,
        H: FnMut(&[u8]) -> Result<(), E>,
    {
        let version = tiles.version;
        let fields = &self.fields;
        let extra = self.footer.extra_fields();
        let (wanted, found) = (layout.fields(version, extra), fields.len() as u64);
        if found != wanted {
            let what = "number of fields with tiles";
            let kind = WireErrorKind::Mismatch {
                what,
                wanted,
                found,
            };
            return Err(WireError::new("FragmentMetadata", "fields", 0, kind).into());
        }
        let n = layout.var_fields(version, extra);
        let var_fields = usize::try_from(n)
            .ok()
            .and_then(|n| fields.get(..n))
            .ok_or_else(|| {
                let kind = Bug::new("there are more var-sized fields than fields").into();
                WireError::new("FragmentMetadata", "fields", 0, kind)
            })?;
        let mut offsets = GenericTileOffsets {
            rtree: tiles.push(&self.rtree, layout.dimensions())?,
            tile_offsets: tiles.push_all(fields, |field| &field.tile_offsets)?,
            var_offsets: tiles.push_all(var_fields, |field| &field.var_offsets)?,
            var_sizes: tiles.push_all(var_fields, |field| &field.var_sizes)?,
            ..GenericTileOffsets::default()
        };
        if version.stores_validity() {
            offsets.validity_offsets = tiles.push_all(fields, |field| &field.validity_offsets)?;
        }
        if version.stores_tile_statistics() {
            offsets.mins = tiles.push_all(fields, |field| &field.mins)?;
            offsets.maxs = tiles.push_all(fields, |field| &field.maxs)?;
            offsets.sums = tiles.push_all(fields, |field| &field.sums)?;
            offsets.null_counts = tiles.push_all(fields, |field| &field.null_counts)?;
        }
        if version.stores_fragment_statistics() {
            let n = self.statistics.fields.len() as u64;
            offsets.fragment_statistics = tiles.push(&self.statistics, &n)?;
        }
        if version.stores_processed_conditions() {
            let offset = tiles.push(&self.processed_conditions, &())?;
            if version.finds_processed_conditions() {
                offsets.processed_conditions = offset;
            }
        }
        Ok(offsets)
    }

    fn write_bounds<E, S, H>(&self, tiles: &mut TileSealer<S, H>) -> Result<OptionalSection, E>
    where
        E: From<WireError>,
        S: FnMut(&[Bytes]) -> Result<Vec<Bytes>, E>,
        H: FnMut(&[u8]) -> Result<(), E>,
    {
        let mut content = Vec::new();
        for bounds in &self.global_order_bounds {
            tiles.push(bounds, &())?.write(&mut content);
        }
        Ok(OptionalSection {
            id: OptionalSection::GLOBAL_ORDER_BOUNDS,
            content: content.into(),
        })
    }
}

/// The writer of the file's generic tiles, which are written one after the other.
struct TileSealer<S, H> {
    /// The number of bytes written so far.
    written: u64,
    version: FormatVersion,
    seal: S,
    hand_on: H,
}

impl<E, S, H> TileSealer<S, H>
where
    E: From<WireError>,
    S: FnMut(&[Bytes]) -> Result<Vec<Bytes>, E>,
    H: FnMut(&[u8]) -> Result<(), E>,
{
    /// Writes a record as a generic tile; returns its offset.
    fn push<R: Record>(&mut self, record: &R, cx: &R::Cx) -> Result<u64, E> {
        let offset = self.written;
        let payload = record.encode_parts(self.version, cx)?;
        let pieces = (self.seal)(&payload)?;
        drop(payload);
        for piece in pieces {
            let written = self.written.exact_add(piece.len() as u64);
            self.written = written
                .map_err(|bug| WireError::new(R::NAME, "offset", 0, WireErrorKind::Bug(bug)))?;
            (self.hand_on)(&piece)?;
        }
        Ok(offset)
    }

    fn push_all<R: Record<Cx = ()>>(
        &mut self,
        fields: &[FieldTiles],
        part: impl Fn(&FieldTiles) -> &R,
    ) -> Result<Vec<u64>, E> {
        fields
            .iter()
            .map(|field| self.push(part(field), &()))
            .collect()
    }
}
