//! Builds the metadata of a fragment from the metadata of its tiles.

use std::collections::HashMap;

use tdb_fragment::{
    FieldLayout, FieldStatistics, FieldTiles, Footer, FragmentStatistics, MetadataFile,
    ProcessedConditions, TileBounds,
};
use tdb_rtree::{Mbr, RTree};
use tdb_schema::FieldKind;
use tdb_tile::{Bug, Exact, Range};

use crate::WriteError;
use crate::fields::{FileSizes, WrittenField, side, vector};
use crate::input::extra_fields;
use crate::statistics::{Bounds, fold};
use crate::target::FragmentTarget;
use crate::tile::position;

/// Facts about a fragment that its tiles do not determine.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Sparse: the number of cells in the last tile.
    Sparse { last_tile_cells: u64 },
    /// Dense: the written ranges, and the number of cells in each tile.
    Dense { domain: Vec<Range>, tile_cells: u64 },
}

/// The metadata of a fragment's tiles.
pub(crate) struct Metadata<'a> {
    pub(crate) target: &'a FragmentTarget,
    pub(crate) written: &'a [WrittenField],
    pub(crate) tiles: u64,
}

impl Metadata<'_> {
    pub(crate) fn file(&self, shape: Shape) -> Result<MetadataFile, WriteError> {
        let schema = &self.target.schema;
        let layout = FieldLayout::of(schema);
        let rtree = self.rtree(&layout)?;
        let slots = self.slots()?;
        let footer = self.footer(shape, &rtree, &slots)?;
        let fields = slots
            .iter()
            .map(|(kind, field)| self.tiles_of(*kind, *field));
        let statistics = slots
            .iter()
            .map(|(kind, field)| self.statistics_of(*kind, *field));
        Ok(MetadataFile {
            footer,
            rtree,
            fields: fields.collect::<Result<_, _>>()?,
            global_order_bounds: Vec::new(),
            statistics: FragmentStatistics {
                fields: statistics.collect::<Result<_, _>>()?,
            },
            processed_conditions: self.processed_conditions(),
        })
    }

    fn footer(
        &self,
        shape: Shape,
        rtree: &RTree,
        slots: &[(FieldKind, Option<&WrittenField>)],
    ) -> Result<Footer, Bug> {
        let (dense, domain, last_tile_cells) = match shape {
            Shape::Sparse { last_tile_cells } => {
                let domain = rtree
                    .bounding_mbr()
                    .ok_or_else(|| Bug::new("a fragment without a tile"))?;
                (false, domain, last_tile_cells)
            }
            Shape::Dense { domain, tile_cells } => (true, Mbr(domain), tile_cells),
        };
        // Fields that are not written have no file, hence size 0.
        let sizes = |of: fn(FileSizes) -> u64| -> Vec<u64> {
            let sizes = slots.iter().map(|(_, field)| field.map(|f| f.sizes));
            sizes.map(|sizes| sizes.map_or(0, of)).collect()
        };
        let version = self.target.version;
        Ok(Footer {
            version,
            schema_name: if version.names_schema() {
                self.target.schema_name.clone()
            } else {
                String::new()
            },
            dense,
            non_empty_domain: domain,
            sparse_tile_count: if dense { 0 } else { self.tiles },
            last_tile_cells,
            file_sizes: sizes(|sizes| sizes.fixed),
            var_file_sizes: sizes(|sizes| sizes.var),
            validity_file_sizes: if version.stores_validity() {
                sizes(|sizes| sizes.validity)
            } else {
                Vec::new()
            },
            has_timestamps: self.target.extra.timestamps,
            has_delete_meta: self.target.extra.deletes,
            ..Footer::default()
        })
    }

    fn processed_conditions(&self) -> ProcessedConditions {
        let replacement = self.target.replacement.as_ref();
        ProcessedConditions {
            markers: replacement.map_or(Vec::new(), |replacement| replacement.deletes.clone()),
        }
    }

    /// All fields, in the order of [`FieldLayout`].
    fn kinds(&self) -> impl Iterator<Item = FieldKind> + use<> {
        let attributes = (0..self.target.schema.attributes.len()).map(FieldKind::Attribute);
        let dimensions = (0..self.target.schema.dimensions.len()).map(FieldKind::Dimension);
        attributes
            .chain(std::iter::once(FieldKind::Coords))
            .chain(dimensions)
            .chain(extra_fields(self.target.extra))
    }

    /// The written metadata of each of these fields; `None` for fields without files.
    fn slots(&self) -> Result<Vec<(FieldKind, Option<&WrittenField>)>, Bug> {
        let codecs = self.target.codecs.iter().map(|codec| codec.kind);
        let places: HashMap<FieldKind, &WrittenField> = codecs.zip(self.written).collect();
        if places.len() != self.target.codecs.len() {
            return Err(Bug::new("a field of a fragment was not written"));
        }
        let is_dense = self.target.schema.is_dense();
        let slot = |kind| match (places.get(&kind).copied(), kind) {
            (Some(field), _) => Ok((kind, Some(field))),
            (None, FieldKind::Coords) => Ok((kind, None)),
            (None, FieldKind::Dimension(_)) if is_dense => Ok((kind, None)),
            (None, _) => Err(Bug::new("a field of a fragment was not written")),
        };
        self.kinds().map(slot).collect()
    }

    fn rtree(&self, layout: &FieldLayout) -> Result<RTree, WriteError> {
        let sides: Vec<&WrittenField> = self
            .target
            .codecs
            .iter()
            .zip(self.written)
            .filter(|(codec, _)| codec.rule.bounds == Bounds::Rectangle)
            .map(|(_, written)| written)
            .collect();
        let tiles = if sides.is_empty() { 0 } else { self.tiles };
        let mbr = |tile: usize| -> Result<Vec<Range>, Bug> {
            sides.iter().map(|written| side(written, tile)).collect()
        };
        let mut bug = None;
        // Built one at a time, so that they are not all in memory.
        let mbrs = (0..position(tiles)?).map_while(|tile| match mbr(tile) {
            Ok(mbr) => Some(mbr),
            Err(error) => {
                bug = Some(error);
                None
            }
        });
        let built = RTree::build(layout.dimensions(), mbrs);
        match bug {
            Some(bug) => Err(bug.into()),
            None => Ok(built.map_err(|_| Bug::new("bounds of tiles that are no coordinates"))?),
        }
    }

    /// The tile metadata of a field. Fields without files, which are the unused slot of zipped coordinates and the
    /// dimensions of dense fragments, have a zero for each tile.
    fn tiles_of(&self, kind: FieldKind, field: Option<&WrittenField>) -> Result<FieldTiles, Bug> {
        if let Some(field) = field {
            return Ok(field.tiles.clone());
        }
        let tiles = position(self.tiles)?;
        let zeros = || vector(vec![0; tiles]);
        let mut empty = FieldTiles {
            tile_offsets: zeros(),
            var_offsets: zeros(),
            var_sizes: zeros(),
            validity_offsets: zeros(),
            ..FieldTiles::default()
        };
        if kind == FieldKind::Coords {
            let bounds = TileBounds {
                fixed: vec![0; tiles.exact_mul(self.zipped_size())?].into(),
                ..TileBounds::default()
            };
            (empty.mins, empty.maxs) = (bounds.clone(), bounds);
            if self.zipped_is_number() {
                empty.sums = zeros();
            }
        }
        Ok(empty)
    }

    /// Size of a cell's coordinates if all dimensions had the datatype of the first one, as TileDB computes it.
    fn zipped_size(&self) -> usize {
        let dimensions = &self.target.schema.dimensions;
        let size = dimensions.first().map_or(0, |d| d.datatype.size());
        size * dimensions.len()
    }

    fn zipped_is_number(&self) -> bool {
        let first = self.target.schema.dimensions.first();
        first.is_some_and(|dimension| !dimension.is_var())
    }

    fn statistics_of(
        &self,
        kind: FieldKind,
        field: Option<&WrittenField>,
    ) -> Result<FieldStatistics, Bug> {
        if let Some(field) = field {
            return fold(&field.rule, &field.summaries);
        }
        let size = match kind {
            FieldKind::Coords if self.zipped_is_number() => {
                self.zipped_size() / self.target.schema.dimensions.len().max(1)
            }
            FieldKind::Coords => self.zipped_size(),
            _ => 0,
        };
        Ok(FieldStatistics {
            min: vec![0; size].into(),
            max: vec![0; size].into(),
            ..FieldStatistics::default()
        })
    }
}
