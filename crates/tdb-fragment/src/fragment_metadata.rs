mod checks;
mod domain_check;
mod lost_tiles;
mod parts;
mod tiles;

use bytes::Bytes;
use tdb_rtree::Mbr;
use tdb_schema::grid::TileBox;
use tdb_schema::{ArraySchema, Field, FieldKind};
use tdb_tile::{FormatVersion, Limits, Range};

use tiles::Tiles;

use crate::{
    DataFiles, ExtraFields, FieldLayout, Footer, FragmentError, GenericTileOffsets, LegacyMetadata,
};

/// The metadata of a fragment that is known before any of its tiles is read, in the same form for
/// every version.
///
/// It is made from a [`Footer`] (from format 3) or from [`LegacyMetadata`], and checked against the
/// schema that the fragment was written with. The metadata of single tiles is read when it is
/// needed: [`FragmentMetadata::part_place`] returns its location, and functions such as
/// [`FragmentMetadata::tile_index`] decode its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct FragmentMetadata {
    /// The format version of the fragment.
    pub version: FormatVersion,
    /// The name of the schema that the fragment was written with; `None` before format 10, when an
    /// array has just one.
    pub schema_name: Option<String>,
    /// True if cells are addressed by position; old dense arrays may have sparse fragments.
    pub dense: bool,
    /// The bounding box of the written cells. In formats 5 to 9, ranges of strings may be too
    /// small.
    pub non_empty_domain: Vec<Range>,
    /// The number of cells in the last tile.
    pub last_tile_cells: u64,
    /// The fields that the fragment has besides those of the schema.
    pub extra_fields: ExtraFields,
    layout: FieldLayout,
    file_sizes: FileSizes,
    tiles: Tiles,
    /// The number of cells in all tiles.
    cells: u64,
    parts: Parts,
}

/// The sizes of the data files in bytes, by field.
#[derive(Clone, Debug, PartialEq)]
struct FileSizes {
    fixed: Vec<u64>,
    var: Vec<u64>,
    validity: Vec<u64>,
}

impl FileSizes {
    fn all(&self) -> impl Iterator<Item = &u64> {
        self.fixed.iter().chain(&self.var).chain(&self.validity)
    }

    /// The size of all files; `None` if it is more than can be counted.
    fn total(&self) -> Option<u64> {
        (self.all()).try_fold(0_u64, |sum, size| sum.checked_add(*size))
    }
}

/// The rest of the metadata, or its location.
#[derive(Clone, Debug, PartialEq)]
enum Parts {
    Stored {
        offsets: Box<GenericTileOffsets>,
        /// The offsets in the section of global order bounds: first coordinates, then last ones.
        global_order_bounds: Vec<u64>,
        /// All offsets, sorted, and the end of the last generic tile.
        starts: Vec<u64>,
    },
    Here {
        rtree: Bytes,
        legacy: Box<LegacyMetadata>,
    },
}

impl FragmentMetadata {
    /// Creates the metadata of a fragment from its footer.
    ///
    /// `tiles_end` is the end of the generic tiles, which is the start of the footer. For a footer
    /// from consolidated metadata, it is the size of the fragment's own metadata file, or
    /// `u64::MAX` if that is unknown.
    ///
    /// # Errors
    /// Fails if facts contradict each other or the schema: more tiles than fit into the files, a
    /// last tile over the capacity, a non-empty domain outside the domain.
    pub fn from_footer(
        footer: Footer,
        tiles_end: u64,
        schema: &ArraySchema,
    ) -> Result<Self, FragmentError> {
        let layout = FieldLayout::of(schema);
        let extra_fields = footer.extra_fields();
        let global_order_bounds = checks::global_order_bounds(&footer, &layout)?;
        let mut starts: Vec<u64> = footer
            .offsets
            .all()
            .chain(global_order_bounds.iter().copied())
            .chain([tiles_end])
            .collect();
        starts.sort_unstable();
        let Mbr(non_empty_domain) = footer.non_empty_domain;
        let tiles = if footer.dense {
            checks::dense_tiles(&non_empty_domain, schema, footer.version)?
        } else {
            checks::sparse_tiles(footer.sparse_tile_count, footer.last_tile_cells, schema)?
        };
        let metadata = Self {
            version: footer.version,
            schema_name: footer.version.names_schema().then_some(footer.schema_name),
            dense: footer.dense,
            non_empty_domain,
            last_tile_cells: footer.last_tile_cells,
            extra_fields,
            layout,
            file_sizes: FileSizes {
                fixed: footer.file_sizes,
                var: footer.var_file_sizes,
                validity: footer.validity_file_sizes,
            },
            tiles,
            cells: 0,
            parts: Parts::Stored {
                offsets: Box::new(footer.offsets),
                global_order_bounds,
                starts,
            },
        };
        metadata.check(schema)?;
        metadata.counted()
    }

    /// Creates the metadata of a fragment of format 1 or 2 from its only generic tile.
    ///
    /// `has_coordinates` is true if the fragment has a file `__coords.tdb`; otherwise it is dense.
    ///
    /// # Errors
    /// As for [`FragmentMetadata::from_footer`].
    pub fn from_legacy(
        legacy: LegacyMetadata,
        has_coordinates: bool,
        schema: &ArraySchema,
    ) -> Result<Self, FragmentError> {
        let layout = FieldLayout::of(schema);
        let Mbr(non_empty_domain) = legacy.non_empty_domain.clone();
        let tiles = if has_coordinates {
            let count = legacy.mbrs.len() as u64;
            checks::sparse_tiles(count, legacy.last_tile_cells, schema)?
        } else {
            checks::dense_tiles(&non_empty_domain, schema, legacy.version)?
        };
        let metadata = Self {
            version: legacy.version,
            schema_name: None,
            dense: !has_coordinates,
            non_empty_domain,
            last_tile_cells: legacy.last_tile_cells,
            extra_fields: ExtraFields::default(),
            file_sizes: FileSizes {
                fixed: legacy.file_sizes.clone(),
                var: legacy.var_file_sizes.clone(),
                validity: Vec::new(),
            },
            tiles,
            cells: 0,
            parts: Parts::Here {
                rtree: legacy.rtree(&layout)?,
                legacy: Box::new(legacy),
            },
            layout,
        };
        metadata.check(schema)?;
        metadata.counted()
    }

    /// Decodes and checks a footer in one step.
    ///
    /// # Errors
    /// As for [`Footer::read`] and [`FragmentMetadata::from_footer`].
    pub fn read(
        footer: &Bytes,
        tiles_end: u64,
        schema: &ArraySchema,
        limits: &Limits,
    ) -> Result<Self, FragmentError> {
        let footer = Footer::read(footer, &FieldLayout::of(schema), limits)?;
        Self::from_footer(footer, tiles_end, schema)
    }

    /// The number of tiles of each field. A fragment may lack some of them:
    /// [`FragmentMetadata::lost_from`].
    #[must_use]
    pub fn tile_count(&self) -> u64 {
        match self.tiles {
            Tiles::Sparse { count, .. } | Tiles::Dense { count, .. } => count,
        }
    }

    /// The number of cells in a tile. A dense tile includes cells beyond the domain and cells never
    /// written.
    #[must_use]
    pub fn tile_cells(&self, tile: u64) -> u64 {
        match self.tiles {
            Tiles::Dense { cells, .. } => cells,
            Tiles::Sparse { count, .. } if tile.checked_add(1) == Some(count) => {
                self.last_tile_cells
            }
            Tiles::Sparse { capacity, .. } => capacity,
        }
    }

    /// The number of cells in all tiles.
    #[must_use]
    pub fn cell_count(&self) -> u64 {
        self.cells
    }

    /// Counts the cells in all tiles; checks that the bytes of all data files can be counted.
    fn counted(mut self) -> Result<Self, FragmentError> {
        let cells = match self.tiles {
            Tiles::Dense { count, cells, .. } => count.checked_mul(cells),
            Tiles::Sparse { count: 0, .. } => Some(0),
            Tiles::Sparse { count, capacity } => count.checked_sub(1).and_then(|full| {
                full.checked_mul(capacity)?
                    .checked_add(self.last_tile_cells)
            }),
        };
        self.cells = cells.ok_or(FragmentError::Invalid("more cells than can be counted"))?;
        match self.file_sizes.total() {
            Some(_) => Ok(self),
            None => Err(FragmentError::Invalid(
                "more bytes of data than can be counted",
            )),
        }
    }

    /// The space tiles that a dense fragment stores: those that its non-empty domain intersects.
    ///
    /// [`TileBox::position`] maps a space tile to the number of its data tile.
    #[must_use]
    pub fn space_tiles(&self) -> Option<&TileBox> {
        match &self.tiles {
            Tiles::Dense { tiles, .. } => Some(tiles),
            Tiles::Sparse { .. } => None,
        }
    }

    /// Returns the field whose files store the given field; `None` if the fragment lacks the field.
    ///
    /// Before format 5, this is [`FieldKind::Coords`] for a dimension. Dense fragments have no
    /// coordinates.
    #[must_use]
    pub fn stored_field(&self, field: FieldKind) -> Option<FieldKind> {
        let zips = self.version.zips_coordinates();
        let stored = match field {
            FieldKind::Attribute(_) => field,
            FieldKind::Coords | FieldKind::Dimension(_) if self.dense => return None,
            FieldKind::Coords if !zips => return None,
            FieldKind::Dimension(index) if zips => {
                self.layout.dimensions().get(index)?;
                FieldKind::Coords
            }
            other => other,
        };
        self.layout
            .index(stored, self.version, self.extra_fields)
            .map(|_| stored)
    }

    /// Returns the names of the files that store a field.
    ///
    /// # Errors
    /// [`FragmentError::NotStored`] if the fragment lacks the field; [`FragmentError::FileName`].
    pub fn data_files(&self, field: &Field<'_>) -> Result<DataFiles, FragmentError> {
        if self.stored_field(field.kind).is_none() {
            return Err(self.not_stored("such field").in_field(field.name));
        }
        DataFiles::of(field, self.version)
    }

    /// The size of all data files in bytes.
    #[must_use]
    pub fn data_size(&self) -> u64 {
        // Added up without an overflow when the metadata was decoded.
        self.file_sizes.all().sum()
    }

    /// The size of a field's data files in bytes; 0 if the fragment lacks the field.
    #[must_use]
    pub fn field_data_size(&self, field: FieldKind) -> u64 {
        let index = self.layout.index(field, self.version, self.extra_fields);
        let Some(index) = index else { return 0 };
        let FileSizes {
            fixed,
            var,
            validity,
        } = &self.file_sizes;
        // A part of `data_size`.
        [fixed, var, validity]
            .iter()
            .filter_map(|sizes| sizes.get(index))
            .sum()
    }

    /// The order of fields in per-field lists.
    #[must_use]
    pub fn layout(&self) -> &FieldLayout {
        &self.layout
    }

    fn not_stored(&self, what: &'static str) -> FragmentError {
        FragmentError::NotStored {
            what,
            version: self.version.number(),
        }
    }
}
