//! What is stored about the tiles of one fragment.

use std::collections::HashMap;

use tdb_fragment::{
    FragmentMetadata, MetadataPart, OpenedPart, StoredFragment, TileNumber, TileStatistics,
};
use tdb_schema::{ArraySchema, Field, FieldKind};
use tdb_tile::Limits;

use crate::stored_field;

/// Parts of the metadata that hold the statistics of a field.
const PARTS: usize = 4;

/// What a fragment tells of the cells of its tiles without a tile being read, for some fields.
#[derive(Debug, Default)]
pub struct TileFacts {
    fields: HashMap<FieldKind, FieldFacts>,
}

#[derive(Debug)]
enum FieldFacts {
    Lacking,
    Statistics(Box<TileStatistics>),
}

/// What is known of the cells of one tile in one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownCells<'a> {
    /// The fragment does not have the field.
    Lacking,
    /// The fragment has it.
    Has {
        /// How many are null.
        nulls: Option<u64>,
        /// The least and the greatest value of those that are not null.
        extremes: Option<(&'a [u8], &'a [u8])>,
    },
}

impl TileFacts {
    /// The parts of the fragment's metadata that tell something about these fields, which are named by `schema`.
    #[must_use]
    pub fn parts(
        schema: &ArraySchema,
        stored: StoredFragment<'_>,
        fields: &[FieldKind],
    ) -> Vec<MetadataPart> {
        let views = fields.iter();
        let views = views.filter_map(|field| summarized(schema, stored, *field));
        let parts = views.map(|view| FragmentMetadata::tile_statistics_parts(view.kind));
        parts.flatten().collect()
    }

    /// What these parts tell, in the order of [`TileFacts::parts`]. Where some cannot be understood, or fewer were
    /// opened, nothing is known.
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

    /// Whether nothing is known of any tile.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// What is known of a tile of so many cells.
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

/// Whether a fragment does not have an attribute.
fn is_lacking(schema: &ArraySchema, stored: StoredFragment<'_>, field: FieldKind) -> bool {
    matches!(field, FieldKind::Attribute(_)) && stored_field(schema, stored, field).is_none()
}

/// A field about whose tiles a fragment stores something.
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
