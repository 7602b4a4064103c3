//! The plan of a dense read: the space tiles that the subarray touches, and the fragments as layers.

use std::sync::Arc;

use tdb_array::{OpenedPart, Snapshot};
use tdb_cells::FragmentTiles;
use tdb_cells::dense::{Run, Runs};
use tdb_fragment::{FragmentIndex, MetadataPart};
use tdb_schema::grid::{CellBox, SpaceTileGrid};
use tdb_schema::{ArraySchema, FieldKind, Subarray};
use tdb_tile::{Budget, Bug, Exact, Grant};

use super::layers::{Layer, LayerSource, meets};
use super::source::{FieldSource, Sources};
use super::sparse_tiles::SparseTiles;
use super::tile_shape::TileShape;
use crate::request::Request;
use crate::{QueryError, fragment_tiles};

/// Approximate number of bytes that a read keeps per fragment apart from its tiles: the layer, the box of its cells
/// and the parts that were looked for.
const KEPT_BYTES: u64 = 768;

/// Plan of a dense read, once all tiles are located.
#[derive(Debug)]
pub(crate) struct DensePlan {
    pub(crate) schema: Arc<ArraySchema>,
    pub(crate) shape: TileShape,
    pub(crate) runs: Vec<Runs>,
    /// Layers, newest first.
    pub(crate) layers: Vec<Layer>,
    /// Tiles of the layers, in the same order.
    pub(crate) tiles: Vec<Arc<FragmentTiles>>,
    /// Grants for the cells of points, the lists of tiles that are ruled out, and the data kept per fragment. The parts
    /// of a read share them.
    pub(super) held: Vec<Arc<Grant>>,
}

/// Fragments that may have cells of the result, before their tiles are located.
#[derive(Debug)]
pub(crate) struct DenseCandidates {
    pub(super) shape: TileShape,
    pub(super) runs: Vec<Runs>,
    /// Fragments, newest first, each with the box of its cells.
    fragments: Vec<(FragmentIndex, CellBox)>,
    /// Attributes to read.
    attributes: Vec<FieldKind>,
    /// Grants for the cells of points.
    held: Vec<Arc<Grant>>,
}

/// Dense layers whose tiles are located, and the sparse fragments whose cells are still to be read.
#[derive(Debug)]
pub(crate) struct LocatedPlan {
    pub(super) plan: DensePlan,
    pub(super) sparse: Vec<SparseTiles>,
    /// Attributes to read.
    pub(super) attributes: Vec<FieldKind>,
}

impl DensePlan {
    /// Returns the source of a field's cells for each layer.
    pub(crate) fn sources(&self, field: FieldKind) -> Sources<'_> {
        let layers = self.layers.iter().zip(&self.tiles);
        Sources::new(layers.map(|(layer, tiles)| match &layer.stored {
            LayerSource::Tiles(_) => tiles.field(field).map(FieldSource::Tiles),
            LayerSource::Cells(cells) => cells.column(field).map(FieldSource::Cells),
        }))
    }

    /// Returns the plan of a part of the read, of which `request` is the request. The layers share what the read located
    /// and ruled out.
    pub(super) fn part(&self, array: &Snapshot, request: &Request) -> Result<Self, QueryError> {
        let mut runs = runs(array, &self.shape.grid, &request.subarray)?;
        let points = at_points(array, &self.shape.grid, request, &mut runs)?;
        let (mut layers, mut tiles) = (Vec::new(), Vec::new());
        if let Some(wanted) = bounds(&runs) {
            let located = self.layers.iter().zip(&self.tiles);
            for (layer, own) in located.filter(|(layer, _)| meets(&layer.cells, &wanted)) {
                layers.push(layer.clone());
                tiles.push(Arc::clone(own));
            }
        }
        let mut held = self.held.clone();
        held.extend(points.map(Arc::new));
        held.push(hold(layers.len(), &array.limits().budget)?);
        Ok(Self {
            schema: Arc::clone(&self.schema),
            shape: self.shape.clone(),
            runs,
            layers,
            tiles,
            held,
        })
    }

    /// Inserts a layer after all newer ones.
    pub(super) fn add(&mut self, layer: Layer, tiles: Arc<FragmentTiles>) {
        // Sparse fragments come before all dense ones, whatever their times: every TileDB release that reads both
        // shows their cells even where a newer dense fragment has cells too.
        let is_newer = |other: &Layer| match (other.is_solid(), layer.is_solid()) {
            (false, true) => true,
            (true, false) => false,
            _ => other.index > layer.index,
        };
        let at = self.layers.partition_point(is_newer);
        self.layers.insert(at, layer);
        self.tiles.insert(at, tiles);
    }
}

impl DenseCandidates {
    /// Finds the candidates. `asked` are the fields that the condition tests, given separately because the condition
    /// may not be resolved yet.
    pub(crate) fn new(
        array: &Snapshot,
        request: &Request,
        asked: &[FieldKind],
    ) -> Result<Self, QueryError> {
        let Some(grid) = SpaceTileGrid::new(array.schema()) else {
            return Err(Bug::new("a dense array without a grid of tiles").into());
        };
        let shape = TileShape::new(grid)?;
        let mut runs = runs(array, &shape.grid, &request.subarray)?;
        let held = at_points(array, &shape.grid, request, &mut runs)?;
        let mut fragments = Vec::new();
        if let Some(wanted) = bounds(&runs) {
            for (index, fragment) in array.numbered_fragments().rev() {
                let cells = shape.grid.clipped_box(&fragment.metadata.non_empty_domain);
                fragments.extend(
                    cells
                        .filter(|cells| meets(cells, &wanted))
                        .map(|c| (index, c)),
                );
            }
        }
        let mut attributes = all_fields(request);
        attributes.extend_from_slice(asked);
        attributes.retain(|field| matches!(field, FieldKind::Attribute(_)));
        let mut seen = std::collections::HashSet::new();
        attributes.retain(|&field| seen.insert(field));
        Ok(Self {
            shape,
            runs,
            fragments,
            attributes,
            held: held.into_iter().map(Arc::new).collect(),
        })
    }

    /// Returns the parts of each fragment's metadata that locate its tiles.
    pub(crate) fn parts(
        &self,
        array: &Snapshot,
    ) -> Result<Vec<(FragmentIndex, Vec<MetadataPart>)>, QueryError> {
        let parts = self.fragments.iter().map(|(index, _)| {
            let stored = array.fragment(*index)?.stored();
            let fields = self.fields(stored.metadata.dense);
            Ok((
                *index,
                FragmentTiles::parts(array.schema(), stored, &fields),
            ))
        });
        parts.collect()
    }

    /// Returns the fields to read of a fragment; the coordinates too if it is sparse.
    fn fields(&self, is_dense: bool) -> Vec<FieldKind> {
        let coordinates = (0..self.runs.len())
            .map(FieldKind::Dimension)
            .filter(|_| !is_dense);
        coordinates.chain(self.attributes.iter().copied()).collect()
    }

    /// Locates the tiles with the opened parts that [`DenseCandidates::parts`] listed.
    pub(crate) fn locate(
        mut self,
        array: &Snapshot,
        opened: Vec<Vec<OpenedPart>>,
    ) -> Result<LocatedPlan, QueryError> {
        let mut located = LocatedPlan {
            plan: DensePlan {
                schema: Arc::clone(array.schema()),
                shape: self.shape.clone(),
                runs: self.runs.clone(),
                layers: Vec::new(),
                tiles: Vec::new(),
                held: std::mem::take(&mut self.held),
            },
            sparse: Vec::new(),
            attributes: self.attributes.clone(),
        };
        located
            .plan
            .held
            .push(hold(self.fragments.len(), &array.limits().budget)?);
        for ((index, cells), opened) in self.fragments.iter().zip(opened) {
            let is_dense = array.fragment(*index)?.metadata.dense;
            let fields = self.fields(is_dense);
            let tiles = fragment_tiles::locate(array, array.schema(), *index, &fields, opened)?;
            if is_dense {
                let layer = Layer {
                    index: *index,
                    cells: cells.clone(),
                    stored: LayerSource::Tiles(self.shape.grid.tiles_of(cells)),
                    ruled_out: Arc::default(),
                };
                located.plan.layers.push(layer);
                located.plan.tiles.push(Arc::new(tiles));
            } else {
                let sparse = SparseTiles::new(array, *index, cells.clone(), tiles, fields)?;
                located.sparse.push(sparse);
            }
        }
        Ok(located)
    }
}

/// Takes the memory for what is kept of this number of fragments.
fn hold(fragments: usize, budget: &Budget) -> Result<Arc<Grant>, QueryError> {
    let kept = KEPT_BYTES.exact_mul(fragments as u64)?;
    Ok(Arc::new(budget.take(kept)?))
}

/// Returns the fields of the result and those that its condition tests, each once.
pub(super) fn all_fields(request: &Request) -> Vec<FieldKind> {
    let mut fields: Vec<FieldKind> = request.fields.iter().map(|info| info.field).collect();
    let condition = request.condition.iter();
    fields.extend(condition.flat_map(|condition| condition.fields()));
    let mut seen = std::collections::HashSet::new();
    fields.retain(|&field| seen.insert(field));
    fields
}

/// Returns the smallest box around all requested cells; `None` if nothing is requested.
pub(super) fn bounds(runs: &[Runs]) -> Option<CellBox> {
    let (lo, hi) = runs
        .iter()
        .map(Runs::bounds)
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .unzip();
    Some(CellBox { lo, hi })
}

/// Returns the requested cells along each dimension.
///
/// Without any range, the current domain is requested, if there is one. Otherwise, a dimension without a range is
/// requested whole.
fn runs(
    array: &Snapshot,
    grid: &SpaceTileGrid,
    subarray: &Subarray,
) -> Result<Vec<Runs>, QueryError> {
    let schema = array.schema();
    let axes = grid.axes().iter().enumerate();
    let runs = axes.map(|(dimension, axis)| {
        let ranges = match subarray.ranges(dimension) {
            Some(ranges) => ranges
                .iter()
                .filter_map(|range| axis.clipped_cells(range))
                .collect(),
            None if subarray.is_all() => schema
                .bounds(dimension)
                .and_then(|range| axis.clipped_cells(range))
                .into_iter()
                .collect(),
            None => vec![(0, axis.last_cell())],
        };
        Runs::new(ranges).ok_or(QueryError::TooManyCells)
    });
    runs.collect()
}

/// Narrows the requested cells of each dimension to the coordinates of the points, if the request is for points alone
/// and the cells of that dimension ascend. Returns the grant for the list of cells.
fn at_points(
    array: &Snapshot,
    grid: &SpaceTileGrid,
    request: &Request,
    runs: &mut [Runs],
) -> Result<Option<Grant>, QueryError> {
    let Some((points, dimensions)) = request.points_alone() else {
        return Ok(None);
    };
    let each = points
        .len()
        .exact_mul(dimensions.len() * size_of::<Run>())?;
    let held = array.limits().budget.take(each as u64)?;
    for (own, dimension) in dimensions.iter().enumerate() {
        let (Some(runs), Some(axis)) = (runs.get_mut(*dimension), grid.axes().get(*dimension))
        else {
            return Err(Bug::new("points of a dimension that the array does not have").into());
        };
        if runs.is_ascending() {
            let cells = points
                .coordinates(own)
                .filter_map(|cell| axis.cell(&cell))
                .filter(|cell| !runs.positions(*cell, *cell).is_empty());
            *runs = Runs::of_cells(cells.collect()).ok_or(QueryError::TooManyCells)?;
        }
    }
    Ok(Some(held))
}
