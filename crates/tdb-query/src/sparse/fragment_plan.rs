//! Determines the tiles of one fragment that a sparse read needs.

use tdb_array::{At, Fragment, OpenedPart, Snapshot};
use tdb_cells::{RowRange, Segment, TileRows};
use tdb_condition::Predicate;
use tdb_fragment::{FragmentIndex, MetadataPart, TileNumber};
use tdb_rtree::RTree;
use tdb_schema::order::WriterRule;
use tdb_schema::{ArraySchema, CellOrder, Field, FieldKind, Subarray};
use tdb_tile::{Bug, FormatVersion, Grant, Limits, Range, length};

use crate::QueryError;
use crate::facts::Facts;
use crate::options::ResultOrder;
use crate::request::Request;

/// More tiles are believed only if one of the lists of them is as long.
const BELIEVED_TILES: u64 = 1 << 16;

/// About the bytes that a read keeps of a fragment beside its tiles: its plan and parts, where its cells begin and end, and how far they were read.
const KEPT_BYTES: u64 = 768;

/// The tiles of one fragment that may hold cells of the result.
#[derive(Debug)]
pub(crate) struct FragmentPlan {
    pub(crate) fragment: FragmentIndex,
    pub(crate) tiles: Vec<PlannedTile>,
    /// How many others the condition rules out, or have no point.
    pub(super) ruled_out: u64,
    /// Whether cells have times of their own.
    pub(crate) has_timestamps: bool,
    /// Whether some cells may lie outside the time window.
    pub(crate) filters_time: bool,
    /// Whether cells are known to be stored in the order in which those of several fragments are brought together.
    pub(crate) in_order: bool,
    /// The memory of the list of tiles, and [`KEPT_BYTES`].
    held: Option<Grant>,
}

/// One tile and what its bounds say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedTile {
    pub(crate) tile: TileNumber,
    pub(crate) cells: usize,
    /// Whether all its cells lie within the subarray.
    pub(crate) full: bool,
}

impl FragmentPlan {
    /// Some of its tiles as a part of a table, with the rows behind those `before`.
    ///
    /// # Errors
    /// More rows than a table can number.
    pub(crate) fn segment<'a>(
        &self,
        tiles: impl IntoIterator<Item = &'a PlannedTile>,
        before: RowRange,
    ) -> Result<Segment, QueryError> {
        let (none, mut end) = (before.next(0)?, before);
        let tiles = tiles.into_iter().map(|planned| {
            end = end.next(planned.cells)?;
            Ok(TileRows {
                tile: planned.tile,
                rows: end,
                full: planned.full,
                wanted: true,
            })
        });
        let tiles = tiles.collect::<Result<_, QueryError>>()?;
        Ok(Segment {
            fragment: self.fragment,
            rows: none.until(end),
            tiles,
        })
    }

    /// A fragment whose tiles are not known yet.
    pub(super) fn candidate(
        array: &Snapshot,
        index: FragmentIndex,
        fragment: &Fragment,
        request: &Request,
    ) -> Self {
        let metadata = &fragment.metadata;
        let sorted = is_sorted(&fragment.schema, metadata.version);
        let has_timestamps = metadata.extra_fields.timestamps;
        Self {
            fragment: index,
            tiles: Vec::new(),
            ruled_out: 0,
            has_timestamps,
            filters_time: has_timestamps && !array.window().contains(&fragment.name),
            in_order: request.merge_order() == ResultOrder::Global && sorted,
            held: None,
        }
    }

    pub(super) fn searches(&self, array: &Snapshot, request: &Request) -> Result<bool, Bug> {
        Ok(searches(array.fragment(self.fragment)?, request))
    }

    /// The parts of the fragment's metadata by which its tiles are looked for.
    pub(super) fn search_parts(
        &self,
        array: &Snapshot,
        request: &Request,
    ) -> Result<Vec<MetadataPart>, QueryError> {
        let fragment = array.fragment(self.fragment)?;
        let mut parts = Vec::new();
        if searches(fragment, request) {
            parts.push(MetadataPart::RTree);
        }
        if let Some(view) = doubted(fragment) {
            parts.extend(fragment.metadata.tile_index_parts(&view));
        }
        Ok(parts)
    }

    /// Looks for its tiles, with [`FragmentPlan::search_parts`].
    pub(super) fn search(
        &mut self,
        array: &Snapshot,
        request: &Request,
        opened: Vec<OpenedPart>,
        limits: &Limits,
    ) -> Result<(), QueryError> {
        let fragment = array.fragment(self.fragment)?;
        let metadata = &fragment.metadata;
        let mut payloads = opened.into_iter().map(|part| part.payload);
        let tree = if searches(fragment, request) {
            let missing = Bug::new("an R-tree that was asked for is not there");
            Some(payloads.next().ok_or(missing)?)
        } else {
            None
        };
        if let Some(view) = doubted(fragment) {
            let payloads: Vec<_> = payloads.collect();
            metadata
                .tile_index(&view, &payloads, array.limits())
                .at(&fragment.metadata_key)?;
        }
        // Each is planned, and may be in a table.
        let per_tile = size_of::<PlannedTile>().saturating_add(size_of::<TileRows>());
        let bytes = metadata.tile_count().saturating_mul(per_tile as u64);
        let bytes = bytes.saturating_add(KEPT_BYTES);
        self.held = Some(limits.budget.take(bytes)?);
        self.tiles = match tree {
            Some(payload) => {
                let tree = metadata.rtree(&payload, array.limits());
                let tree = tree.at(&fragment.metadata_key)?;
                let (found, ruled_out) = found(fragment, &tree, request)?;
                self.ruled_out = ruled_out;
                found
            }
            None => all_tiles(fragment)?,
        };
        Ok(())
    }

    /// Leaves out the tiles that the condition rules out by what is known of their values.
    pub(super) fn rule_out(
        &mut self,
        condition: &Predicate,
        facts: &Facts,
    ) -> Result<(), QueryError> {
        for planned in std::mem::take(&mut self.tiles) {
            let counted = (planned.tile, planned.cells as u64);
            if facts.rule_out(condition, self.fragment, counted)? {
                self.ruled_out = self.ruled_out.saturating_add(1);
            } else {
                self.tiles.push(planned);
            }
        }
        Ok(())
    }
}

/// Whether the tiles of a fragment are to be looked for in its R-tree.
pub(super) fn searches(fragment: &Fragment, request: &Request) -> bool {
    let subarray = &request.subarray;
    let (schema, metadata) = (&fragment.schema, &fragment.metadata);
    (!subarray.is_all() || request.by_place)
        && !subarray.is_empty()
        && (meets(schema, &metadata.non_empty_domain, subarray)
            || metadata.version.misstates_empty_string_bounds())
}

/// The field that has to show that a fragment has as many tiles as it says; `None` where that is believed.
fn doubted(fragment: &Fragment) -> Option<Field<'_>> {
    let metadata = &fragment.metadata;
    (metadata.tile_count() > BELIEVED_TILES)
        .then(|| metadata.field_in(&fragment.schema, FieldKind::Dimension(0)))
        .flatten()
}

fn all_tiles(fragment: &Fragment) -> Result<Vec<PlannedTile>, QueryError> {
    let all = 0..fragment.metadata.tile_count();
    all.map(|tile| PlannedTile::new(fragment, tile, true))
        .collect()
}

/// The tiles that may have cells of the subarray, and how many of them have no place for one that is chosen: these hide no
/// cells of other fragments.
fn found(
    fragment: &Fragment,
    tree: &RTree,
    request: &Request,
) -> Result<(Vec<PlannedTile>, u64), QueryError> {
    let dimensions = 0..fragment.schema.dimensions.len();
    let ranges: Vec<Vec<Range>> = dimensions
        // No range is all of the dimension, in a subarray and in an R-tree alike; the subarray is not empty.
        .map(|dimension| {
            let ranges = request.subarray.ranges(dimension);
            ranges.map_or_else(Vec::new, <[Range]>::to_vec)
        })
        .collect();
    let overlaps = tree
        .search(&ranges)
        .map_err(|_| Bug::new("the ranges of a read do not fit the dimensions of an R-tree"))?;
    let chooses = request.condition.as_deref();
    let chooses = chooses.filter(|_| request.by_place);
    let (mut found, mut ruled_out) = (Vec::with_capacity(overlaps.len()), 0_u64);
    for overlap in overlaps {
        let mbr = tree.believed_mbr(length(overlap.tile)?);
        if let (Some(chooses), Some(mbr)) = (chooses, mbr)
            && chooses.rules_out_box(&mbr.0)?
        {
            ruled_out = ruled_out.saturating_add(1);
        } else {
            found.push(PlannedTile::new(fragment, overlap.tile, overlap.full)?);
        }
    }
    Ok((found, ruled_out))
}

impl PlannedTile {
    fn new(fragment: &Fragment, tile: u64, full: bool) -> Result<Self, QueryError> {
        Ok(Self {
            tile: TileNumber::new(tile),
            cells: length(fragment.metadata.tile_cells(tile))?,
            full,
        })
    }
}

/// Whether writers of this version kept the order of cells that is global order today.
fn is_sorted(schema: &ArraySchema, version: FormatVersion) -> bool {
    WriterRule::of(version) == WriterRule::Current
        || (WriterRule::of(version) == WriterRule::CountsHilbertValues
            && schema.cell_order != CellOrder::Hilbert)
}

/// Whether a box has cells in common with the subarray.
fn meets(schema: &ArraySchema, domain: &[Range], subarray: &Subarray) -> bool {
    schema
        .dimensions
        .iter()
        .zip(domain)
        .enumerate()
        .all(|(index, (dimension, domain))| {
            // Bounds out of order say nothing.
            !domain.is_ordered(dimension.datatype)
                || subarray.ranges(index).is_none_or(|ranges| {
                    ranges
                        .iter()
                        .any(|range| range.intersects(dimension.datatype, domain))
                })
        })
}
