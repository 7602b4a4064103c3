//! Which tiles of which fragments a sparse read needs, and which steps it can leave out.

use std::sync::Arc;

use tdb_array::{At, Fragment, OpenedPart, Snapshot};
use tdb_cells::{Segment, TileRows};
use tdb_fragment::MetadataPart;
use tdb_rtree::RTree;
use tdb_schema::order::WriterRule;
use tdb_schema::{ArraySchema, CellOrder, Field, FieldKind};
use tdb_tile::{FormatVersion, Grant, Limits, Range};

use super::visible::Visibility;
use crate::QueryError;
use crate::options::{ResultOrder, Versions};
use crate::request::Request;
use crate::subarray::Subarray;

/// More tiles are believed only if one of the lists of them is as long.
const BELIEVED_TILES: u64 = 1 << 16;

/// The tiles of one fragment that may hold cells of the result.
#[derive(Debug)]
pub(crate) struct FragmentPlan {
    /// Position of the fragment in the array's list.
    pub(crate) fragment: usize,
    pub(crate) tiles: Vec<PlannedTile>,
    /// Whether cells have times of their own.
    pub(crate) has_timestamps: bool,
    /// Whether some cells may lie outside the time window.
    pub(crate) filters_time: bool,
    /// Whether cells are known to be stored in the order that is asked for.
    pub(crate) in_order: bool,
    _held: Grant,
}

/// One tile and what its bounds say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedTile {
    pub(crate) tile: usize,
    pub(crate) cells: usize,
    /// Whether all its cells lie within the subarray.
    pub(crate) full: bool,
}

/// What a sparse read does, decided before a tile is read.
#[derive(Debug)]
pub(crate) struct SparsePlan {
    pub(crate) request: Request,
    /// The schema of the array and, behind its attributes, those of older schemas that deletes ask about.
    pub(crate) schema: Arc<ArraySchema>,
    pub(crate) fragments: Vec<FragmentPlan>,
    /// Whether cells have to be put in order.
    pub(crate) sorts: bool,
    /// Whether of cells with equal coordinates only the newest counts.
    pub(crate) deduplicates: bool,
    /// Whether a cell counts once for every interval that it lies in.
    pub(crate) repeats: bool,
    pub(crate) visibility: Visibility,
}

impl SparsePlan {
    /// Puts the plans of the fragments together.
    ///
    /// # Errors
    /// Deletes that cannot be understood.
    pub(crate) fn new(
        array: &Snapshot,
        request: Request,
        fragments: Vec<FragmentPlan>,
    ) -> Result<Self, QueryError> {
        let mut schema = Arc::clone(array.schema());
        let alone = fragments.len() == 1;
        let unique = fragments.iter().all(|f: &FragmentPlan| !f.has_timestamps);
        let versions = request.versions;
        let deduplicates =
            versions == Versions::Current && !(schema.allows_duplicates || alone && unique);
        let natural = alone && fragments.iter().all(|f| f.in_order);
        let order = request.order;
        let ordered = order != ResultOrder::Unordered && !natural && !fragments.is_empty();
        // Cells with times of their own are not always stored the newest first.
        let by_age = match versions {
            Versions::Current => false,
            Versions::All => !(natural && unique),
            Versions::Undeleted => true,
        };
        let visibility = Visibility::new(array, &fragments, &mut schema, versions)?;
        Ok(Self {
            request,
            schema,
            fragments,
            sorts: ordered || deduplicates || by_age,
            deduplicates,
            repeats: matches!(order, ResultOrder::RowMajor | ResultOrder::ColumnMajor),
            visibility,
        })
    }

    /// Where the fragment with this index in the array stands in the plan.
    pub(crate) fn position(&self, fragment: usize) -> Option<usize> {
        // Fragments are planned in the array's order.
        self.fragments
            .binary_search_by_key(&fragment, |plan| plan.fragment)
            .ok()
    }

    /// All tiles, as the parts of one table.
    pub(crate) fn whole(&self) -> Vec<Segment> {
        let mut end = 0;
        let segments = self.fragments.iter().map(|fragment| {
            let segment = fragment.segment(&fragment.tiles, end);
            end = segment.rows.end;
            segment
        });
        segments.collect()
    }

    /// Whether reading can stop between tiles: cells of each fragment come in the order of the result.
    pub(crate) fn can_stop(&self) -> bool {
        !self.sorts
            || (self.merge_order() == ResultOrder::Global
                && self.fragments.iter().all(|f| f.in_order))
    }

    /// The order in which cells of several fragments are brought together.
    pub(crate) fn merge_order(&self) -> ResultOrder {
        match self.request.order {
            ResultOrder::Unordered => ResultOrder::Global,
            order => order,
        }
    }

    /// The fields that decide which cells there are, before any value is looked at.
    pub(crate) fn deciding_fields(&self) -> Vec<FieldKind> {
        let mut fields = Vec::new();
        let mut tiles = self.fragments.iter().flat_map(|f| &f.tiles);
        if self.sorts || self.repeats || tiles.any(|tile| !tile.full) {
            fields.extend((0..self.schema.dimensions.len()).map(FieldKind::Dimension));
        }
        let deletes = self.visibility.has_deletes();
        let by_age = self.request.versions != Versions::Current;
        let timed = |f: &FragmentPlan| {
            f.has_timestamps && (f.filters_time || self.deduplicates || by_age || deletes)
        };
        if self.fragments.iter().any(timed) {
            fields.push(FieldKind::Timestamps);
        }
        fields
    }

    /// All fields that a table will hold in the course of a batch, each once.
    pub(crate) fn fields(&self) -> Vec<FieldKind> {
        let mut fields = self.deciding_fields();
        fields.extend(self.visibility.fields());
        fields.extend(self.condition_fields());
        fields.extend(self.request.fields.iter().map(|info| info.field));
        let mut seen = std::collections::HashSet::new();
        fields.retain(|&field| seen.insert(field));
        fields
    }

    /// Whether the result says when cells were deleted.
    pub(crate) fn tells_deletions(&self) -> bool {
        let mut fields = self.request.fields.iter();
        fields.any(|info| info.field == FieldKind::DeleteTimestamps)
    }

    /// The fields that the condition tests.
    pub(crate) fn condition_fields(&self) -> impl Iterator<Item = FieldKind> + '_ {
        let condition = self.request.condition.iter();
        condition.flat_map(|condition| condition.fields())
    }
}

impl FragmentPlan {
    pub(crate) fn cells(&self) -> usize {
        let cells = self.tiles.iter().map(|tile| tile.cells);
        cells.fold(0, usize::saturating_add)
    }

    /// Some of its tiles as a part of a table, whose rows begin at `first`.
    pub(crate) fn segment<'a>(
        &self,
        tiles: impl IntoIterator<Item = &'a PlannedTile>,
        first: usize,
    ) -> Segment {
        let mut end = first;
        let tiles = tiles.into_iter().map(|planned| {
            let rows = end..end.saturating_add(planned.cells);
            end = rows.end;
            TileRows {
                tile: planned.tile,
                rows,
                full: planned.full,
                done: 0,
            }
        });
        let tiles = tiles.collect();
        Segment {
            fragment: self.fragment,
            rows: first..end,
            tiles,
        }
    }

    /// The parts of a fragment's metadata that planning takes.
    pub(crate) fn parts(array: &Snapshot, index: usize, request: &Request) -> Vec<MetadataPart> {
        let Some(fragment) = array.fragments().get(index) else {
            return Vec::new();
        };
        let mut parts = Vec::new();
        if searches(fragment, request) {
            parts.push(MetadataPart::RTree);
        }
        if let Some(view) = doubted(fragment) {
            parts.extend(fragment.metadata.tile_index_parts(&view));
        }
        parts
    }

    /// Plans one fragment, with [`FragmentPlan::parts`]; `None` where it has no cell of the result.
    ///
    /// # Errors
    /// Metadata that breaks the format, and more tiles than memory allows.
    pub(crate) fn new(
        array: &Snapshot,
        index: usize,
        request: &Request,
        opened: Vec<OpenedPart>,
        limits: &Limits,
    ) -> Result<Option<Self>, QueryError> {
        let Some(fragment) = array.fragments().get(index) else {
            return Ok(None);
        };
        let metadata = &fragment.metadata;
        let mut payloads = opened.into_iter().map(|part| part.payload);
        let tree = match searches(fragment, request) {
            true => payloads.next(),
            false => None,
        };
        if let Some(view) = doubted(fragment) {
            let payloads: Vec<_> = payloads.collect();
            metadata
                .tile_index(&view, &payloads, array.limits())
                .at(&fragment.metadata_key)?;
        }
        // Each is planned, and may be in a table.
        let per_tile = size_of::<PlannedTile>() + size_of::<TileRows>();
        let bytes = metadata.tile_count().saturating_mul(per_tile as u64);
        let held = limits.budget.take(bytes)?;
        let tiles = match tree {
            Some(payload) => {
                let tree = metadata.rtree(&payload, array.limits());
                found(fragment, &tree.at(&fragment.metadata_key)?, request)?
            }
            None if request.subarray.is_all() => all_tiles(fragment),
            None => Vec::new(),
        };
        let window = array.window();
        let sorted = is_sorted(&fragment.schema, metadata.version);
        Ok((!tiles.is_empty()).then(|| Self {
            fragment: index,
            tiles,
            has_timestamps: metadata.extra_fields.timestamps,
            filters_time: metadata.extra_fields.timestamps && !window.contains(&fragment.name),
            in_order: request.order == ResultOrder::Global && sorted,
            _held: held,
        }))
    }
}

/// Whether the tiles of a fragment are to be looked for in its R-tree.
fn searches(fragment: &Fragment, request: &Request) -> bool {
    let subarray = &request.subarray;
    let (schema, metadata) = (&fragment.schema, &fragment.metadata);
    !subarray.is_all()
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

fn all_tiles(fragment: &Fragment) -> Vec<PlannedTile> {
    let all = 0..fragment.metadata.tile_count();
    all.map(|tile| PlannedTile::new(fragment, tile, true))
        .collect()
}

/// The tiles that may have cells of the subarray.
fn found(
    fragment: &Fragment,
    tree: &RTree,
    request: &Request,
) -> Result<Vec<PlannedTile>, QueryError> {
    let dimensions = 0..fragment.schema.dimensions.len();
    let ranges: Vec<Vec<Range>> = dimensions
        .map(|dimension| {
            let ranges = request.subarray.ranges(dimension);
            ranges.unwrap_or_default().to_vec()
        })
        .collect();
    let overlaps = tree
        .search(&ranges)
        .map_err(|e| QueryError::invalid(e.to_string()))?;
    Ok(overlaps
        .into_iter()
        .map(|overlap| PlannedTile::new(fragment, overlap.tile, overlap.full))
        .collect())
}

impl PlannedTile {
    fn new(fragment: &Fragment, tile: u64, full: bool) -> Self {
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        Self {
            tile: size(tile),
            cells: size(fragment.metadata.tile_cells(tile)),
            full,
        }
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
