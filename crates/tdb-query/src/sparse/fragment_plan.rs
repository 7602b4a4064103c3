//! Determines the tiles of one fragment that a sparse read needs.

use std::sync::Arc;

use tdb_array::{At, Fragment, OpenedPart, Snapshot};
use tdb_cells::{RowRange, Segment, TileRows};
use tdb_condition::Predicate;
use tdb_fragment::{FragmentIndex, MetadataPart, TileNumber};
use tdb_rtree::{RTree, TileOverlap};
use tdb_schema::order::WriterRule;
use tdb_schema::{ArraySchema, CellOrder, Field, FieldKind, Subarray};
use tdb_tile::{Budget, Bug, Exact, FormatVersion, Grant, Range, length};

use crate::QueryError;
use crate::options::ResultOrder;
use crate::request::Request;
use crate::tile_statistics::Facts;

/// Largest number of tiles that is believed without a list of tiles of that length.
const BELIEVED_TILES: u64 = 1 << 16;

/// Approximate number of bytes that a read keeps per fragment apart from its tiles: its plan and parts, the bounds of
/// its cells, and the read position.
const KEPT_BYTES: u64 = 768;

/// Tiles of one fragment that may contain cells of the result.
#[derive(Debug)]
pub(crate) struct FragmentPlan {
    pub(crate) fragment: FragmentIndex,
    pub(crate) tiles: Vec<PlannedTile>,
    /// Number of other tiles that are ruled out by the condition or contain no point.
    pub(super) ruled_out: u64,
    /// Whether each cell has its own timestamp.
    pub(crate) has_timestamps: bool,
    /// Whether some cells may lie outside the time window.
    pub(crate) filters_time: bool,
    /// Whether cells are known to be stored in the order of the merge.
    pub(crate) in_order: bool,
    /// R-tree, kept if parts of the read are to be planned.
    tree: Option<Arc<RTree>>,
    /// Grants for the list of tiles, [`KEPT_BYTES`], and the R-tree.
    held: Vec<Grant>,
}

/// Tile with facts from its bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedTile {
    pub(crate) tile: TileNumber,
    pub(crate) cells: usize,
    /// Whether all cells of the tile lie within the subarray.
    pub(crate) full: bool,
}

impl FragmentPlan {
    /// Returns some of the tiles as a segment of a table, with the rows that follow `before`.
    ///
    /// # Errors
    /// More rows than a table can number.
    pub(crate) fn segment<'a>(
        &self,
        tiles: impl IntoIterator<Item = &'a PlannedTile>,
        before: RowRange,
    ) -> Result<Segment, QueryError> {
        let (none, mut end) = (before.next(0)?, before);
        let tiles = tiles
            .into_iter()
            .map(|planned| {
                end = end.next(planned.cells)?;
                Ok(TileRows {
                    tile: planned.tile,
                    rows: end,
                    full: planned.full,
                    wanted: true,
                })
            })
            .collect::<Result<_, QueryError>>()?;
        Ok(Segment {
            fragment: self.fragment,
            rows: none.until(end),
            tiles,
        })
    }

    /// Creates the plan of a fragment whose tiles are not known yet.
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
            tree: None,
            held: Vec::new(),
        }
    }

    pub(super) fn searches(&self, array: &Snapshot, request: &Request) -> Result<bool, Bug> {
        Ok(searches(array.fragment(self.fragment)?, request))
    }

    /// Returns the parts of the fragment's metadata that are needed to find its tiles, and those of parts of the read
    /// if there are to be any.
    pub(super) fn search_parts(
        &self,
        array: &Snapshot,
        request: &Request,
        in_parts: bool,
    ) -> Result<Vec<MetadataPart>, QueryError> {
        let fragment = array.fragment(self.fragment)?;
        let mut parts = Vec::new();
        if in_parts || searches(fragment, request) {
            parts.push(MetadataPart::RTree);
        }
        if let Some(view) = doubted(fragment) {
            parts.extend(fragment.metadata.tile_index_parts(&view));
        }
        Ok(parts)
    }

    /// Finds the tiles of the fragment, with the opened [`FragmentPlan::search_parts`].
    pub(super) fn search(
        &mut self,
        array: &Snapshot,
        request: &Request,
        opened: Vec<OpenedPart>,
        budget: &Budget,
        in_parts: bool,
    ) -> Result<(), QueryError> {
        let fragment = array.fragment(self.fragment)?;
        let metadata = &fragment.metadata;
        let mut payloads = opened.into_iter().map(|part| part.payload);
        let searches = searches(fragment, request);
        let tree = if in_parts || searches {
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
        self.held.push(hold(metadata.tile_count(), budget)?);
        let opened = tree.map(|payload| {
            let tree = metadata.rtree(&payload, array.limits());
            if in_parts {
                self.held.push(budget.take(payload.len() as u64)?);
            }
            Ok::<_, QueryError>(Arc::new(tree.at(&fragment.metadata_key)?))
        });
        let tree = opened.transpose()?;
        self.tiles = match tree.as_deref().filter(|_| searches) {
            Some(tree) => {
                let (found, ruled_out) = found(fragment, tree, request)?;
                self.ruled_out = ruled_out;
                found
            }
            None => all_tiles(fragment)?,
        };
        self.tree = tree.filter(|_| in_parts);
        Ok(())
    }

    /// Returns the plan of the fragment for a part of the read, of which `request` is the request; `None` if the
    /// fragment has no tiles there. Nothing is ruled out again.
    pub(super) fn part(
        &self,
        array: &Snapshot,
        request: &Request,
        budget: &Budget,
    ) -> Result<Option<Self>, QueryError> {
        let fragment = array.fragment(self.fragment)?;
        let tiles = if request.subarray.is_all() {
            self.tiles.clone()
        } else if searches(fragment, request) {
            let unknown = || Bug::new("a part of a read that was not planned for parts");
            let tree = self.tree.as_ref().ok_or_else(unknown)?;
            self.tiles_in(overlaps(fragment, tree, request)?)
        } else {
            Vec::new()
        };
        if tiles.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            held: vec![hold(tiles.len() as u64, budget)?],
            tiles,
            ..Self::candidate(array, self.fragment, fragment, request)
        }))
    }

    /// Returns the tiles that are among these, which are in the order of tiles, too.
    fn tiles_in(&self, overlaps: Vec<TileOverlap>) -> Vec<PlannedTile> {
        let mut planned = self.tiles.iter().peekable();
        let mut found = Vec::new();
        for overlap in overlaps {
            let number = TileNumber::new(overlap.tile);
            while planned.next_if(|planned| planned.tile < number).is_some() {}
            let own = planned.next_if(|planned| planned.tile == number);
            found.extend(own.map(|planned| PlannedTile {
                full: overlap.full,
                ..*planned
            }));
        }
        found
    }

    /// Removes the tiles that the condition rules out by their statistics.
    pub(super) fn rule_out(
        &mut self,
        condition: &Predicate,
        facts: &Facts,
    ) -> Result<(), QueryError> {
        for planned in std::mem::take(&mut self.tiles) {
            let cells = planned.cells as u64;
            if facts.rule_out(condition, self.fragment, planned.tile, cells)? {
                self.ruled_out = self.ruled_out.exact_add(1)?;
            } else {
                self.tiles.push(planned);
            }
        }
        Ok(())
    }
}

/// Takes the memory for the plan of a fragment with this number of tiles.
fn hold(tiles: u64, budget: &Budget) -> Result<Grant, QueryError> {
    // Each tile is planned, and may be in a table.
    let per_tile = const { size_of::<PlannedTile>() + size_of::<TileRows>() };
    // More tiles than can be counted in bytes are refused by any budget.
    let bytes = tiles
        .saturating_mul(per_tile as u64)
        .saturating_add(KEPT_BYTES);
    Ok(budget.take(bytes)?)
}

/// True if the tiles of a fragment are searched in its R-tree.
pub(super) fn searches(fragment: &Fragment, request: &Request) -> bool {
    let subarray = &request.subarray;
    let (schema, metadata) = (&fragment.schema, &fragment.metadata);
    (!subarray.is_all() || request.by_place)
        && !subarray.is_empty()
        && (meets(schema, &metadata.non_empty_domain, subarray)
            || metadata.version.misstates_empty_string_bounds())
}

/// Returns the field whose list of tiles must confirm the number of tiles; `None` if the number is believed.
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

/// Returns the tiles that may contain cells of the subarray, and the number of those that were ruled out because
/// nothing within their bounds can be selected. Such tiles hide no cells of other fragments that are part of the
/// result.
fn found(
    fragment: &Fragment,
    tree: &RTree,
    request: &Request,
) -> Result<(Vec<PlannedTile>, u64), QueryError> {
    let overlaps = overlaps(fragment, tree, request)?;
    let chooses = request.condition.as_deref().filter(|_| request.by_place);
    let (mut found, mut ruled_out) = (Vec::with_capacity(overlaps.len()), 0_u64);
    for overlap in overlaps {
        let mbr = tree.believed_mbr(length(overlap.tile)?);
        if let (Some(chooses), Some(mbr)) = (chooses, mbr)
            && chooses.rules_out_box(&mbr.0)?
        {
            ruled_out = ruled_out.exact_add(1)?;
        } else {
            found.push(PlannedTile::new(fragment, overlap.tile, overlap.full)?);
        }
    }
    Ok((found, ruled_out))
}

/// Returns the tiles whose bounds meet the subarray.
fn overlaps(fragment: &Fragment, tree: &RTree, request: &Request) -> Result<Vec<TileOverlap>, Bug> {
    let ranges: Vec<Vec<Range>> = (0..fragment.schema.dimensions.len())
        // An empty list of ranges means the whole dimension, both in a subarray and in an R-tree; the subarray is not
        // empty.
        .map(|dimension| {
            let ranges = request.subarray.ranges(dimension);
            ranges.map_or_else(Vec::new, <[Range]>::to_vec)
        })
        .collect();
    tree.search(&ranges)
        .map_err(|_| Bug::new("the ranges of a read do not fit the dimensions of an R-tree"))
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

/// True if writers of this version sorted cells in what is the global order today.
fn is_sorted(schema: &ArraySchema, version: FormatVersion) -> bool {
    WriterRule::of(version) == WriterRule::Current
        || (WriterRule::of(version) == WriterRule::CountsHilbertValues
            && schema.cell_order != CellOrder::Hilbert)
}

/// True if the box `domain` has cells in common with the subarray.
fn meets(schema: &ArraySchema, domain: &[Range], subarray: &Subarray) -> bool {
    schema
        .dimensions
        .iter()
        .zip(domain)
        .enumerate()
        .all(|(index, (dimension, domain))| {
            // Bounds in the wrong order prove nothing.
            !domain.is_ordered(dimension.datatype)
                || subarray.ranges(index).is_none_or(|ranges| {
                    ranges
                        .iter()
                        .any(|range| range.intersects(dimension.datatype, domain))
                })
        })
}
