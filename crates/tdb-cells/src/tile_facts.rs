//! Stored statistics about the tiles of one fragment.

use std::collections::HashMap;

use tdb_fragment::{
    FragmentMetadata, MetadataPart, OpenedPart, StoredFragment, TileNumber, TileStatistics,
};
use tdb_schema::{ArraySchema, Field, FieldKind};
use tdb_tile::Limits;

use crate::stored_field;

/// Number of metadata parts with statistics of a field: minima, maxima, sums, null counts.
const PARTS: usize = 4;

/// Facts about the cells of a fragment's tiles, for some fields, that are known without reading a tile.
#[derive(Debug, Default)]
pub struct TileFacts {
    fields: HashMap<FieldKind, FieldFacts>,
}

#[derive(Debug)]
enum FieldFacts {
    Lacking,
    Statistics(Box<TileStatistics>),
}

/// Facts about the cells of one tile in one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownCells<'a> {
    /// The fragment lacks the field.
    Lacking,
    /// The fragment has the field.
    Has {
        /// Number of null cells, if known.
        nulls: Option<u64>,
        /// The least and the greatest value of the cells that are not null, if known.
        extremes: Option<(&'a [u8], &'a [u8])>,
    },
}

impl TileFacts {
    /// The parts of the fragment's metadata that contain statistics of these fields of `schema`.
    #[must_use]
    pub fn parts(
        schema: &ArraySchema,
        stored: StoredFragment<'_>,
        fields: &[FieldKind],
    ) -> Vec<MetadataPart> {
        let views = fields
            .iter()
            .filter_map(|field| summarized(schema, stored, *field));
        let parts = views.map(|view| FragmentMetadata::tile_statistics_parts(view.kind));
        parts.flatten().collect()
    }

    /// Reads the statistics from opened parts, in the order of [`TileFacts::parts`]. If a part is malformed or
    /// missing, nothing is known about its field.
    #[must_use]
    pub fn new(
        schema: &ArraySchema,
        stored: StoredFragment<'_>,
        fields: &[FieldKind],
        opened: &[OpenedPart],
        limits: &Limits,
    ) -> Self {
        let mut facts = Self::default();
        let mut opened = opened.chunks_exact(PARTS);
        for &field in fields {
            if is_lacking(schema, stored, field) {
                facts.fields.insert(field, FieldFacts::Lacking);
                continue;
            }
            let view = summarized(schema, stored, field);
            let known = view.and_then(|view| {
                let [mins, maxs, sums, nulls] = opened.next()? else {
                    return None;
                };
                let payloads = [mins, maxs, sums, nulls].map(|part| part.payload.clone());
                let metadata = stored.metadata;
                metadata.tile_statistics(&view, &payloads, limits).ok()
            });
            if let Some(statistics) = known {
                let statistics = FieldFacts::Statistics(Box::new(statistics));
                facts.fields.insert(field, statistics);
            }
        }
        facts
    }

    /// Whether nothing is known about any tile.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Facts about a tile of `cells` cells; `None` if nothing is known.
    #[must_use]
    pub fn cells(&self, field: FieldKind, tile: TileNumber, cells: u64) -> Option<KnownCells<'_>> {
        let statistics = match self.fields.get(&field)? {
            FieldFacts::Lacking => return Some(KnownCells::Lacking),
            FieldFacts::Statistics(statistics) => statistics,
        };
        let tile = usize::try_from(tile.get()).ok()?;
        Some(KnownCells::Has {
            nulls: statistics.known_nulls(tile),
            extremes: statistics.extremes(tile, cells),
        })
    }
}

/// Whether a fragment lacks an attribute.
fn is_lacking(schema: &ArraySchema, stored: StoredFragment<'_>, field: FieldKind) -> bool {
    matches!(field, FieldKind::Attribute(_)) && stored_field(schema, stored, field).is_none()
}

/// Returns the fragment's field if the fragment stores statistics of its tiles.
fn summarized<'a>(
    schema: &ArraySchema,
    stored: StoredFragment<'a>,
    field: FieldKind,
) -> Option<Field<'a>> {
    let is_stored = stored.metadata.version.stores_tile_statistics();
    let is_attribute = matches!(field, FieldKind::Attribute(_));
    let view = stored_field(schema, stored, field);
    view.filter(|_| is_stored && is_attribute)
}
