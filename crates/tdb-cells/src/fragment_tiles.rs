//! The tiles of one fragment, located and ready to be read.

use std::ops::Range;
use std::sync::Arc;

use tdb_filters::{EncryptionKey, FilterList, Pipeline, Registry, TileKind};
use tdb_fragment::{
    DataFiles, FragmentError, MetadataPart, OpenedPart, StoredFragment, TileIndex, TileNumber,
};
use tdb_schema::{ArraySchema, Field, FieldKind};
use tdb_store::Read;
use tdb_tile::{Datatype, Exact, FormatVersion, Grant, Limits};

use crate::stored_tiles::{LostTiles, Owner, TileFailure};
use crate::{CellsError, FieldTiles, StoredTiles, TileError, ZippedTiles, unit_size};

/// Approximate memory of an opened part of the metadata, without its contents.
const PART_BYTES: usize = 96;

/// The tiles of the fields that a read needs, as far as a fragment has these fields.
///
/// A read keeps one of these for each of possibly many fragments: optional parts are boxed, and the memory is granted.
#[derive(Debug, Default)]
pub struct FragmentTiles {
    /// Sorted by kind.
    fields: Vec<(FieldKind, FieldTiles)>,
    zipped: Option<Box<ZippedTiles>>,
    /// Timestamp of all cells, if the fragment does not store one for each.
    time: u64,
    /// Grant for the memory of this value.
    held: Option<Grant>,
}

impl FragmentTiles {
    /// The parts of the fragment's metadata that contain the tile indexes of these fields of `schema`.
    #[must_use]
    pub fn parts(
        schema: &ArraySchema,
        stored: StoredFragment<'_>,
        fields: &[FieldKind],
    ) -> Vec<MetadataPart> {
        let wanted = wanted(schema, stored, fields).into_iter();
        wanted
            .flat_map(|(_, view)| stored.metadata.tile_index_parts(&view))
            .collect()
    }

    /// Locates the tiles of these fields, given the opened [`FragmentTiles::parts`] in their order.
    ///
    /// # Errors
    /// [`CellsError::Metadata`] if the metadata violates the format or filters cannot be undone; [`CellsError::Limit`]
    /// if the budget is exhausted.
    pub fn new(
        schema: &ArraySchema,
        stored: StoredFragment<'_>,
        fields: &[FieldKind],
        opened: Vec<OpenedPart>,
        access: TileAccess<'_>,
    ) -> Result<Self, CellsError> {
        let TileAccess { key, limits } = access;
        let mut tiles = Self {
            time: stored.timestamps.0,
            ..Self::default()
        };
        // Writers before 2.17 store their own, older version in these tiles.
        let writer = opened
            .iter()
            .map(|part| part.version)
            .max()
            .unwrap_or(FormatVersion::WRITTEN);
        let opened_bytes: usize = opened
            .iter()
            .flat_map(|part| [PART_BYTES, part.payload.len()])
            .sum();
        let mut payloads = opened.into_iter().map(|part| part.payload);
        let wanted = wanted(schema, stored, fields);
        tiles.fields.reserve_exact(wanted.len());
        for (asked, view) in wanted {
            let count = stored.metadata.tile_index_parts(&view).len();
            let payloads: Vec<_> = payloads.by_ref().take(count).collect();
            let index = stored
                .metadata
                .tile_index(&view, &payloads, limits)
                .map_err(|error| in_metadata(stored, error))?;
            let opening = FragmentOpening {
                key,
                stored,
                view,
                writer,
            };
            match asked {
                Some(field) => tiles.fields.push((field, opening.field(index)?)),
                None => tiles.zipped = Some(Box::new(opening.zipped(index)?)),
            }
        }
        tiles.fields.sort_unstable_by_key(|(field, _)| *field);
        let bytes = tiles.bytes().exact_add(opened_bytes)?;
        tiles.held = Some(limits.budget.take(bytes as u64)?);
        Ok(tiles)
    }

    /// Approximate bytes of memory that this takes, without the contents of the metadata.
    fn bytes(&self) -> usize {
        let fields = self.fields.iter().map(|(_, field)| field.bytes());
        let zipped = self.zipped.iter().map(|zipped| zipped.bytes());
        fields.chain(zipped).chain([size_of::<Self>()]).sum()
    }

    /// The byte ranges that must be read to decode a tile of these fields.
    #[must_use]
    pub fn reads(&self, fields: &[FieldKind], tile: TileNumber) -> Vec<Read> {
        let found = fields.iter().filter_map(|&field| self.field(field));
        let reads = found.flat_map(|field| field.reads(tile));
        let asks = |field: &FieldKind| matches!(field, FieldKind::Dimension(_));
        let zipped = self.zipped.as_ref().filter(|_| fields.iter().any(asks));
        reads
            .chain(zipped.and_then(|zipped| zipped.reads(tile)))
            .collect()
    }

    /// Bytes of scratch memory that a thread needs to decode this tile: its largest stored part. If the coordinates of
    /// all dimensions are stored together, their part also counts the decoded coordinates of `cells` cells.
    #[must_use]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "offsets of tiles increase, and a product of two numbers of 64 bits has 128"
    )]
    pub fn decoding_bytes(&self, tile: TileNumber, cells: usize) -> u128 {
        let len = |extent: Range<u64>| u128::from(extent.end - extent.start);
        let stored = self
            .fields
            .iter()
            .flat_map(|(_, field)| field.extents(tile));
        let zipped = self.zipped.as_ref().map(|zipped| {
            let extent = zipped.index.tile_extent(tile.get());
            extent.map_or(0, len) + cells as u128 * zipped.tiles.cell_size as u128
        });
        stored.map(len).chain(zipped).max().unwrap_or(0)
    }

    /// Timestamp of all cells, if the fragment does not store one for each.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.time
    }

    /// The tiles of a field; `None` if the fragment lacks the field.
    #[must_use]
    pub fn field(&self, field: FieldKind) -> Option<&FieldTiles> {
        let place = self.fields.binary_search_by_key(&field, |(kind, _)| *kind);
        let (_, tiles) = self.fields.get(place.ok()?)?;
        Some(tiles)
    }

    /// The tiles that contain the coordinates of all dimensions together, if the fragment stores them so.
    #[must_use]
    pub fn zipped(&self) -> Option<&ZippedTiles> {
        self.zipped.as_deref()
    }
}

/// The requested fields that the fragment has; the key `None` stands for the coordinates of all dimensions together.
fn wanted<'a>(
    schema: &ArraySchema,
    stored: StoredFragment<'a>,
    fields: &[FieldKind],
) -> Vec<(Option<FieldKind>, Field<'a>)> {
    let mut wanted: Vec<(Option<FieldKind>, Field<'_>)> = Vec::new();
    for &field in fields {
        let Some(view) = stored_field(schema, stored, field) else {
            continue;
        };
        if view.kind != FieldKind::Coords {
            wanted.push((Some(field), view));
        } else if !wanted.iter().any(|(asked, _)| asked.is_none()) {
            wanted.push((None, view));
        }
    }
    wanted
}

/// Returns the field of a fragment that stores a field of the array; `None` if the fragment lacks it, or has one of
/// the same name but another type.
pub fn stored_field<'a>(
    schema: &ArraySchema,
    fragment: StoredFragment<'a>,
    field: FieldKind,
) -> Option<Field<'a>> {
    let asked = schema.field_of(field)?;
    let kind = match field {
        FieldKind::Attribute(_) => {
            FieldKind::Attribute(fragment.schema.attribute_index(asked.name)?)
        }
        other => other,
    };
    let view = fragment.metadata.field_in(fragment.schema, kind)?;
    let same = view.kind == FieldKind::Coords
        || (view.datatype == asked.datatype
            && view.cell_val_num == asked.cell_val_num
            && view.nullable == asked.nullable);
    same.then_some(view)
}

/// Adds the fragment and the metadata object to an error.
fn in_metadata(stored: StoredFragment<'_>, error: FragmentError) -> CellsError {
    CellsError::Metadata {
        key: stored.metadata_key.to_owned(),
        fragment: stored.name.to_owned(),
        kind: error.kind(),
        source: Box::new(error),
    }
}

/// The inputs of decoding an array's tiles, besides their metadata.
#[derive(Clone, Copy, Debug)]
pub struct TileAccess<'a> {
    /// The key of an encrypted array.
    pub key: Option<&'a EncryptionKey>,
    /// The limits, and the memory budget.
    pub limits: &'a Limits,
}

/// One field of one fragment, while its tiles are located.
struct FragmentOpening<'a> {
    key: Option<&'a EncryptionKey>,
    stored: StoredFragment<'a>,
    view: Field<'a>,
    writer: FormatVersion,
}

impl FragmentOpening<'_> {
    fn field(&self, index: TileIndex) -> Result<FieldTiles, CellsError> {
        let files = self.files()?;
        let schema = self.stored.schema;
        let cell_size = unit_size(&self.view);
        let kind = self.kind(self.view.datatype);
        let (main, var) = match &files.var {
            None => (
                self.tiles(
                    &files.fixed,
                    self.view.filters,
                    kind.with_cell_size(cell_size),
                )?,
                None,
            ),
            Some(values) => (
                self.tiles(
                    &files.fixed,
                    &schema.offsets_filters,
                    self.kind(Datatype::UInt64),
                )?,
                Some(Box::new(self.tiles(
                    values,
                    self.view.filters,
                    kind.var(),
                )?)),
            ),
        };
        let validity = match &files.validity {
            None => None,
            Some(file) => Some(Box::new(self.tiles(
                file,
                &schema.validity_filters,
                self.kind(Datatype::UInt8),
            )?)),
        };
        Ok(FieldTiles {
            owner: self.owner_of(&index),
            main,
            cell_size,
            var,
            validity,
            index,
        })
    }

    fn zipped(&self, index: TileIndex) -> Result<ZippedTiles, CellsError> {
        let files = self.files()?;
        let dimensions = self.stored.schema.dimensions.len();
        let size = self.view.datatype.size();
        let kind = self
            .kind(self.view.datatype)
            .with_cell_size(size.exact_mul(dimensions)?);
        let tiles = self.tiles(&files.fixed, self.view.filters, kind)?;
        let version = self.stored.metadata.version;
        let interleaved =
            version.interleaves_uncompressed_coordinates() && !tiles.pipeline.compresses();
        Ok(ZippedTiles {
            owner: self.owner(),
            tiles,
            index,
            size,
            dimensions,
            interleaved,
        })
    }

    fn kind(&self, datatype: Datatype) -> TileKind {
        TileKind::new(self.stored.metadata.version, datatype)
            .propagating(self.writer.propagates_datatypes())
    }

    fn files(&self) -> Result<DataFiles, CellsError> {
        let files = self.stored.metadata.data_files(&self.view);
        files.map_err(|error| in_metadata(self.stored, error))
    }

    fn tiles(
        &self,
        file: &str,
        filters: &FilterList,
        kind: TileKind,
    ) -> Result<StoredTiles, CellsError> {
        let options = self.stored.schema.version;
        let key: Arc<str> = format!("{}/{file}", self.stored.prefix).into();
        let pipeline = Pipeline::new(filters, options, kind, self.key, Registry::builtin())
            .map_err(|error| {
                let found = TileFailure {
                    key: key.clone(),
                    offset: 0,
                    error: Box::new(TileError::Filter(error)),
                };
                self.owner().at(TileNumber::new(0), found)
            })?;
        Ok(StoredTiles {
            key,
            pipeline,
            cell_size: kind.cell_size,
        })
    }

    fn owner(&self) -> Owner {
        Owner {
            fragment: self.stored.name.to_owned(),
            field: self.view.name.to_owned(),
            lost: None,
        }
    }

    /// Like [`FragmentOpening::owner`], for a field whose tiles are described by `index`.
    fn owner_of(&self, index: &TileIndex) -> Owner {
        let lost = index.lost_from().map(|from| LostTiles {
            from,
            metadata: Arc::new(self.stored.metadata.clone()),
            schema: Arc::new(self.stored.schema.clone()),
        });
        Owner {
            lost,
            ..self.owner()
        }
    }
}
