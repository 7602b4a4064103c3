//! The metadata of a fragment, from what is kept of its tiles.

use std::collections::HashMap;

use tdb_fragment::{
    FieldLayout, FieldStatistics, FieldTiles, Footer, FragmentStatistics, MetadataFile,
    ProcessedConditions, TileBounds,
};
use tdb_rtree::{Mbr, RTree};
use tdb_schema::FieldKind;
use tdb_tile::Range;

use crate::WriteError;
use crate::fields::{WrittenField, side, vector};
use crate::fragment::{Shape, Target};
use crate::input::extra_fields;
use crate::statistics::{Bounds, fold};

/// What is kept of the tiles of a fragment.
pub(crate) struct Metadata<'a> {
    pub(crate) target: &'a Target,
    pub(crate) written: &'a [WrittenField],
    pub(crate) tiles: u64,
}

impl Metadata<'_> {
    pub(crate) fn file(&self, shape: Shape) -> Result<MetadataFile, WriteError> {
        let schema = &self.target.schema;
        let layout = FieldLayout::of(schema);
        let rtree = self.rtree(&layout)?;
        let (dense, domain, last_tile_cells) = match shape {
            Shape::Sparse { last_tile_cells } => {
                let domain = rtree.bounding_mbr().unwrap_or_default();
                (false, domain, last_tile_cells)
            }
            Shape::Dense { domain, tile_cells } => (true, Mbr(domain), tile_cells),
        };
        let sizes = |part: usize| -> Vec<u64> {
            let size = |field: Option<&WrittenField>| {
                field.and_then(|f| f.sizes.get(part)).copied().unwrap_or(0)
            };
            self.slots().map(size).collect()
        };
        let version = self.target.version;
        let footer = Footer {
            version,
            schema_name: match version.names_schema() {
                true => self.target.schema_name.clone(),
                false => String::new(),
            },
            dense,
            non_empty_domain: domain,
            sparse_tile_count: if dense { 0 } else { self.tiles },
            last_tile_cells,
            file_sizes: sizes(0),
            var_file_sizes: sizes(1),
            validity_file_sizes: match version.stores_validity() {
                true => sizes(2),
                false => Vec::new(),
            },
            has_timestamps: self.target.extra.timestamps,
            has_delete_meta: self.target.extra.deletes,
            ..Footer::default()
        };
        let fields = self.kinds().zip(self.slots());
        Ok(MetadataFile {
            footer,
            rtree,
            fields: fields
                .map(|(kind, field)| self.tiles_of(kind, field))
                .collect(),
            global_order_bounds: Vec::new(),
            statistics: FragmentStatistics {
                fields: self
                    .kinds()
                    .zip(self.slots())
                    .map(|(kind, field)| self.statistics_of(kind, field))
                    .collect(),
            },
            processed_conditions: self.processed_conditions(),
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

    /// What was written of each of them.
    fn slots(&self) -> impl Iterator<Item = Option<&WrittenField>> {
        let codecs = self.target.codecs.iter().map(|codec| codec.kind);
        let places: HashMap<FieldKind, &WrittenField> = codecs.zip(self.written).collect();
        self.kinds().map(move |kind| places.get(&kind).copied())
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
        let mbr = |tile: u64| -> Vec<Range> {
            let tile = usize::try_from(tile).unwrap_or(usize::MAX);
            sides.iter().map(|written| side(written, tile)).collect()
        };
        let built = RTree::build(layout.dimensions(), (0..tiles).map(mbr));
        built.map_err(|error| WriteError::invalid(error.to_string()))
    }

    /// The slot of all coordinates together, which nothing fills, and dimensions of dense
    /// fragments have a zero for each tile.
    fn tiles_of(&self, kind: FieldKind, field: Option<&WrittenField>) -> FieldTiles {
        if let Some(field) = field {
            return field.tiles.clone();
        }
        let tiles = usize::try_from(self.tiles).unwrap_or(usize::MAX);
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
                fixed: vec![0; tiles.saturating_mul(self.zipped_size())].into(),
                ..TileBounds::default()
            };
            (empty.mins, empty.maxs) = (bounds.clone(), bounds);
            if self.zipped_is_number() {
                empty.sums = zeros();
            }
        }
        empty
    }

    /// Bytes of all coordinates of a cell together, were they of the type of the first.
    fn zipped_size(&self) -> usize {
        let dimensions = &self.target.schema.dimensions;
        let size = dimensions.first().map_or(0, |d| d.datatype.size());
        size.saturating_mul(dimensions.len())
    }

    fn zipped_is_number(&self) -> bool {
        let first = self.target.schema.dimensions.first();
        first.is_some_and(|dimension| !dimension.is_var())
    }

    fn statistics_of(&self, kind: FieldKind, field: Option<&WrittenField>) -> FieldStatistics {
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
        FieldStatistics {
            min: vec![0; size].into(),
            max: vec![0; size].into(),
            ..FieldStatistics::default()
        }
    }
}
