//! Which tiles of which fragments a sparse read needs, and which steps it can leave out.

use tdb_array::{Array, At, Fragment};
use tdb_schema::order::WriterRule;
use tdb_schema::{ArraySchema, CellOrder};
use tdb_tile::{FormatVersion, Grant, Limits, Range};

use super::table::TileRows;
use crate::QueryError;
use crate::field::Field;
use crate::options::ResultOrder;
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
    pub(crate) fragments: Vec<FragmentPlan>,
    /// Whether cells have to be put in order.
    pub(crate) sorts: bool,
    /// Whether of cells with equal coordinates only the newest counts.
    pub(crate) deduplicates: bool,
    /// Whether a cell counts once for every interval that it lies in.
    pub(crate) repeats: bool,
}

impl FragmentPlan {
    pub(crate) fn cells(&self) -> usize {
        let cells = self.tiles.iter().map(|tile| tile.cells);
        cells.fold(0, usize::saturating_add)
    }
}

pub(crate) fn plan(
    array: &Array,
    subarray: &Subarray,
    order: ResultOrder,
    limits: &Limits,
) -> Result<SparsePlan, QueryError> {
    let schema = array.schema();
    let mut fragments = Vec::new();
    if !subarray.is_empty() {
        for index in 0..array.fragments().len() {
            fragments.extend(plan_fragment(array, index, subarray, order, limits)?);
        }
    }
    let alone = fragments.len() == 1;
    let unique = fragments.iter().all(|f: &FragmentPlan| !f.has_timestamps);
    let deduplicates = !(schema.allows_duplicates || alone && unique);
    let natural = alone && fragments.iter().all(|f| f.in_order);
    let ordered = order != ResultOrder::Unordered && !natural && !fragments.is_empty();
    Ok(SparsePlan {
        fragments,
        sorts: ordered || deduplicates,
        deduplicates,
        repeats: matches!(order, ResultOrder::RowMajor | ResultOrder::ColumnMajor),
    })
}

fn plan_fragment(
    array: &Array,
    index: usize,
    subarray: &Subarray,
    order: ResultOrder,
    limits: &Limits,
) -> Result<Option<FragmentPlan>, QueryError> {
    let Some(fragment) = array.fragments().get(index) else {
        return Ok(None);
    };
    let metadata = &fragment.metadata;
    let schema = &fragment.schema;
    let tile_count = metadata.tile_count();
    let cells_of =
        |tile: usize| usize::try_from(metadata.tile_cells(tile as u64)).unwrap_or(usize::MAX);
    check_tile_count(array, index, fragment)?;
    // Each is planned, and may be in a table.
    let per_tile = size_of::<PlannedTile>() + size_of::<TileRows>();
    let bytes = tile_count.saturating_mul(per_tile as u64);
    let held = limits.budget.take(bytes)?;
    let tiles: Vec<PlannedTile> = if subarray.is_all() {
        let all = 0..usize::try_from(tile_count).unwrap_or(usize::MAX);
        all.map(|tile| PlannedTile {
            tile,
            cells: cells_of(tile),
            full: true,
        })
        .collect()
    } else {
        if !meets(schema, &metadata.non_empty_domain, subarray)
            && !metadata.version.misstates_empty_string_bounds()
        {
            return Ok(None);
        }
        let ranges: Vec<Vec<Range>> = (0..schema.dimensions.len())
            .map(|dimension| subarray.ranges(dimension).unwrap_or(&[]).to_vec())
            .collect();
        let tree = array.rtree(index)?;
        let overlaps = tree
            .search(&ranges)
            .map_err(|e| QueryError::invalid(e.to_string()))?;
        overlaps
            .into_iter()
            .map(|overlap| {
                let tile = usize::try_from(overlap.tile).unwrap_or(usize::MAX);
                PlannedTile {
                    tile,
                    cells: cells_of(tile),
                    full: overlap.full,
                }
            })
            .collect()
    };
    let window = array.window();
    Ok((!tiles.is_empty()).then(|| FragmentPlan {
        fragment: index,
        tiles,
        has_timestamps: metadata.extra_fields.timestamps,
        filters_time: metadata.extra_fields.timestamps && !window.contains(&fragment.name),
        in_order: order == ResultOrder::Global && is_sorted(schema, metadata.version),
        _held: held,
    }))
}

/// Fails where a fragment says that it has many tiles and does not say where they are.
fn check_tile_count(array: &Array, index: usize, fragment: &Fragment) -> Result<(), QueryError> {
    let metadata = &fragment.metadata;
    if metadata.tile_count() <= BELIEVED_TILES {
        return Ok(());
    }
    if let Some(view) = metadata.field_in(&fragment.schema, Field::Dimension(0)) {
        let parts = array.metadata_parts(index, &metadata.tile_index_parts(&view))?;
        let payloads: Vec<_> = parts.into_iter().map(|part| part.payload).collect();
        metadata
            .tile_index(&view, &payloads, array.limits())
            .at(&fragment.metadata_key)?;
    }
    Ok(())
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

/// The fields that decide which cells there are, before any value is looked at.
pub(crate) fn deciding_fields(plan: &SparsePlan, dimensions: usize, deletes: bool) -> Vec<Field> {
    let mut fields = Vec::new();
    let partial = plan
        .fragments
        .iter()
        .any(|f| f.tiles.iter().any(|t| !t.full));
    if plan.sorts || partial || plan.repeats {
        fields.extend((0..dimensions).map(Field::Dimension));
    }
    let timed = plan
        .fragments
        .iter()
        .any(|f| f.has_timestamps && (f.filters_time || plan.deduplicates || deletes));
    if timed {
        fields.push(Field::Timestamps);
    }
    fields
}
