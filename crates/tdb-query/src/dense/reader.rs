//! Reads a dense array batch by batch.

use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::{Batch, Column, FragmentTiles, Session, TableColumn, gather, threads, unit_size};
use tdb_schema::grid::{CellBox, SpaceTileGrid};
use tdb_schema::{FieldKind, Order};
use tdb_tile::Grant;

use super::block::{Block, Share};
use super::columns::{Band, Sight, read_columns};
use super::condition::{blank, evaluate};
use super::layers::{Layer, Stored, layers};
use super::paint::{TileShape, for_each_source};
use super::runs::Runs;
use super::scatter::index;
use super::visits::BlockTiles;
use super::walk::{Walk, borders};
use crate::options::{Failing, ResultOrder};
use crate::request::Request;
use crate::subarray::Subarray;
use crate::{QueryError, fragment_tiles};

/// Rows that a batch can number.
const MOST_ROWS: u64 = u32::MAX as u64;

/// Batches may grow to so many times the size asked for where that keeps space tiles whole.
const GROWTH: u64 = 8;

/// Bytes of a chunk, as writers cut tiles.
const CHUNK: u64 = 64 << 10;

/// Bytes that planning takes for a tile along a dimension, about.
const PLANNED_TILE: u64 = 128;

/// A dense read under way.
pub(crate) struct DenseReader {
    session: Session,
    array: Arc<Array>,
    pub(super) request: Request,
    pub(super) shape: TileShape,
    pub(super) runs: Vec<Runs>,
    /// The newest first.
    pub(super) layers: Vec<Layer>,
    tiles: Vec<FragmentTiles>,
    /// All fields to be read, each once.
    fields: Vec<FieldKind>,
    pub(super) walk: Walk,
    /// Cells that are still wanted.
    left: u64,
    /// Cells of the result that failed the condition, and have fill values.
    filled: u64,
    /// The memory of the batch that was given out last.
    pub(super) held: Option<Grant>,
}

impl DenseReader {
    pub(crate) fn new(
        session: Session,
        array: Arc<Array>,
        request: Request,
    ) -> Result<Self, QueryError> {
        let Some(grid) = SpaceTileGrid::new(array.schema()) else {
            return Err(QueryError::invalid(
                "a dense array has dimensions of whole numbers",
            ));
        };
        let shape = TileShape::new(grid)?;
        let runs = runs(&array, &shape.grid, &request.subarray)?;
        let walk = walk(&shape.grid, &runs, request.order)?;
        let mut fields: Vec<FieldKind> = request.fields.iter().map(|info| info.field).collect();
        fields.extend(
            request
                .condition
                .iter()
                .flat_map(|condition| condition.fields()),
        );
        let mut seen = std::collections::HashSet::new();
        fields.retain(|&field| seen.insert(field));
        let attributes: Vec<FieldKind> = fields
            .iter()
            .copied()
            .filter(|f| matches!(f, FieldKind::Attribute(_)))
            .collect();
        let layers = match bounds(&runs) {
            Some(wanted) => layers(&session, &array, &shape.grid, &wanted, &attributes)?,
            None => Vec::new(),
        };
        let tiles = open(&session, &array, &layers, &attributes)?;
        let left = request.limit;
        Ok(Self {
            session,
            array,
            request,
            shape,
            runs,
            layers,
            tiles,
            fields,
            walk,
            left,
            filled: 0,
            held: None,
        })
    }

    /// How many cells of the result have fill values so far because they failed the condition.
    pub(crate) fn filled(&self) -> u64 {
        self.filled
    }

    /// The next cells; `None` after the last.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>, QueryError> {
        self.held = None;
        let Some(bands) = self.next_bands()? else {
            return Ok(None);
        };
        let sight = Sight {
            session: &self.session,
            bytes: self.array.store(),
            schema: self.array.schema(),
            shape: &self.shape,
            runs: &self.runs,
            layers: &self.layers,
            tiles: &self.tiles,
        };
        let load = &self.session.counters().load;
        let mut columns = load.time(|| read_columns(sight, &bands, &self.fields))?;
        let mut rows = None;
        if let Some(condition) = &self.request.condition {
            let keep = evaluate(sight, &bands, condition, &mut columns)?;
            let failing = keep.iter().filter(|keep| **keep == 0).count();
            match self.request.failing {
                _ if failing == 0 => {}
                Failing::Drop => {
                    let kept = (0..).zip(&keep).filter(|(_, keep)| **keep != 0);
                    rows = Some(kept.map(|(row, _)| row).collect::<Vec<u32>>());
                }
                Failing::Fill => {
                    columns = blank(sight.schema, columns, &keep)?;
                    self.filled = self.filled.saturating_add(failing as u64);
                }
            }
        }
        let count = rows
            .as_ref()
            .map_or_else(|| bands.iter().map(|band| band.rows).sum(), Vec::len);
        Ok(Some(Batch {
            rows: count,
            columns: self.finish(columns, rows.as_deref())?,
        }))
    }

    /// The result's columns, in its order.
    fn finish(
        &self,
        columns: Vec<(FieldKind, TableColumn)>,
        rows: Option<&[u32]>,
    ) -> Result<Vec<Column>, QueryError> {
        let mut columns: Vec<(FieldKind, Option<TableColumn>)> =
            columns.into_iter().map(|(f, c)| (f, Some(c))).collect();
        let mut out: Vec<Column> = Vec::with_capacity(self.request.fields.len());
        for info in &self.request.fields {
            let read = columns
                .iter_mut()
                .find(|(field, _)| *field == info.field)
                .and_then(|(_, column)| column.take());
            let Some(column) = read else {
                // Asked for twice.
                out.extend(out.iter().find(|column| column.name == info.name).cloned());
                continue;
            };
            let gathered = self.session.install(|| gather(column, rows))?;
            out.push(Column {
                name: info.name.clone(),
                datatype: info.datatype,
                cell_val_num: info.cell_val_num,
                nullable: info.nullable,
                values: gathered.values,
                offsets: gathered.offsets,
                validity: gathered.validity,
                enumeration: info.enumeration.clone(),
            });
        }
        Ok(out)
    }

    /// The next part of the result that fits the memory, cut for the session's threads.
    fn next_bands(&mut self) -> Result<Option<Vec<Band>>, QueryError> {
        let (fixed, estimate) = self.bytes_per_row();
        let budget = self.session.limits().budget.clone();
        let memory = budget.left() / 2;
        let aim = self.request.batch_bytes.min(memory);
        let most = aim.saturating_mul(GROWTH).min(memory);
        let per_row = fixed.saturating_add(estimate).max(1);
        let rows = |bytes: u64| (bytes / per_row).clamp(1, MOST_ROWS);
        let wanted = self.rows_wanted();
        let mut share = Share {
            aim: rows(aim).min(wanted),
            most: rows(most).min(wanted),
        };
        loop {
            let mut walk = self.walk.clone();
            let blocks = walk.next(&self.shape.grid, &self.runs, share);
            if blocks.is_empty() {
                return Ok(None);
            }
            let rows: u64 = blocks.iter().map(Block::rows).fold(0, u64::saturating_add);
            if rows > 1 && self.planned_bytes(&blocks) > memory {
                share = share.halved(rows);
                continue;
            }
            let bands = self.bands(blocks);
            let bytes = rows
                .saturating_mul(fixed)
                .saturating_add(self.var_bytes(&bands).saturating_mul(2));
            if bytes > memory && rows > 1 {
                // The estimate was too low here: the sizes of var-sized tiles say how much it is.
                share = share.halved(rows);
                continue;
            }
            self.held = Some(budget.take(bytes)?);
            self.walk = walk;
            if !self.drops() {
                self.left -= rows.min(self.left);
            }
            return Ok(Some(bands));
        }
    }

    /// Whether cells are left out of the result.
    fn drops(&self) -> bool {
        self.request.failing == Failing::Drop && self.request.condition.is_some()
    }

    /// Rows beyond which a batch is of no use.
    fn rows_wanted(&self) -> u64 {
        match self.request.limit {
            u64::MAX => u64::MAX,
            // How many of the cells will stay is not known.
            limit if self.drops() => limit.saturating_mul(16).max(1 << 16),
            _ => self.left.max(1),
        }
    }

    /// Bytes that planning these blocks takes: a little for each tile along each dimension.
    fn planned_bytes(&self, blocks: &[Block]) -> u64 {
        let along = |block: &Block| {
            let axes = self.shape.grid.axes().iter().zip(&block.positions);
            let tiles = axes.map(|(axis, range)| {
                u128::from(range.end - range.start) / axis.extent().max(1) + 1
            });
            tiles.fold(0, u128::saturating_add)
        };
        let tiles = blocks.iter().map(along).fold(0, u128::saturating_add);
        u64::try_from(tiles)
            .unwrap_or(u64::MAX)
            .saturating_mul(PLANNED_TILE)
    }

    /// Into how many parts blocks may be cut: what is less than a tile and less than a chunk would be decoded
    /// anew for each.
    fn worth_sharing(&self, blocks: &[Block]) -> u64 {
        let tiles = |block: &Block| {
            let axes = self.shape.grid.axes().iter().zip(&block.positions);
            let along = axes.map(|(axis, range)| {
                u128::from(range.end - range.start) / axis.extent().max(1) + 1
            });
            along.fold(1, u128::saturating_mul)
        };
        let tiles = blocks.iter().map(tiles).fold(0, u128::saturating_add);
        let rows = blocks.iter().map(Block::rows).fold(0, u64::saturating_add);
        let (fixed, estimate) = self.bytes_per_row();
        let bytes = rows.saturating_mul(fixed.saturating_add(estimate));
        u64::try_from(tiles)
            .unwrap_or(u64::MAX)
            .max(bytes / CHUNK)
            .max(1)
    }

    /// Bytes that each row takes while it is read: for certain, and for values of varying size about.
    fn bytes_per_row(&self) -> (u64, u64) {
        let schema = self.array.schema();
        let (mut fixed, mut estimate) = (0_u64, 0_u64);
        for &kind in &self.fields {
            let Some(field) = schema.field_of(kind) else {
                continue;
            };
            if field.is_var() {
                // Its offset, the number of its source, and its values twice.
                fixed += 16;
                estimate = estimate.saturating_add(self.mean_size(kind).saturating_mul(2));
            } else {
                fixed += unit_size(&field) as u64;
            }
            fixed += u64::from(field.nullable);
        }
        (fixed, estimate)
    }

    /// Bytes of the values of a var-sized field's cell, as the first tile of each fragment has it.
    fn mean_size(&self, kind: FieldKind) -> u64 {
        let sizes = self
            .tiles
            .iter()
            .filter_map(|tiles| tiles.field(kind))
            .map(|tiles| tiles.var_size(0));
        (sizes.max().unwrap_or(0) / self.shape.cells.max(1)).saturating_add(1)
    }

    /// Bytes of all tiles of var-sized fields that these bands take cells of.
    fn var_bytes(&self, bands: &[Band]) -> u64 {
        let schema = self.array.schema();
        let is_var = |kind: &FieldKind| schema.field_of(*kind).is_some_and(|field| field.is_var());
        let fields: Vec<FieldKind> = self.fields.iter().copied().filter(is_var).collect();
        let mut bytes = 0_u64;
        if fields.is_empty() {
            return bytes;
        }
        let offsets = self.shape.cells.saturating_mul(8);
        for (_, block) in bands.iter().flat_map(|band| &band.blocks) {
            for_each_source(&self.shape, &self.layers, block, &mut |place, tile| {
                let Some(tiles) = self.tiles.get(place) else {
                    return;
                };
                for field in fields.iter().filter_map(|&kind| tiles.field(kind)) {
                    bytes = bytes
                        .saturating_add(field.var_size(tile))
                        .saturating_add(offsets);
                }
            });
        }
        bytes
    }

    /// Puts blocks together, or cuts them, so that all threads have work.
    fn bands(&self, blocks: Vec<Block>) -> Vec<Band> {
        let count = match self.session.threads() as u64 {
            1 => 1,
            threads => threads.saturating_mul(4).min(self.worth_sharing(&blocks)),
        };
        let grid = &self.shape.grid;
        let schema = self.array.schema();
        let borders = |dimension, position| borders(grid, &self.runs, dimension, position);
        let blocks = match <[Block; 1]>::try_from(blocks) {
            Ok([block]) => {
                let has_var = self
                    .fields
                    .iter()
                    .any(|&f| schema.field_of(f).is_some_and(|field| field.is_var()));
                let is_alike = block.order == grid.cell_order() || grid.axes().len() == 1;
                block.split(count, has_var || !is_alike, &borders)
            }
            Err(blocks) => blocks,
        };
        let total = blocks.iter().map(Block::rows).fold(0, u64::saturating_add);
        let share = total.div_ceil(count);
        let mut bands: Vec<Band> = Vec::new();
        for block in blocks {
            let rows = index(block.rows());
            let tiles = BlockTiles::new(grid.axes(), grid.tile_order(), &self.runs, &block);
            match bands
                .last_mut()
                .filter(|band| band.rows as u64 + block.rows() <= share)
            {
                Some(band) => {
                    band.rows += rows;
                    band.blocks.push((block, tiles));
                }
                None => bands.push(Band {
                    blocks: vec![(block, tiles)],
                    rows,
                }),
            }
        }
        bands
    }
}

/// What is asked for along each dimension.
///
/// Without any range that is the current domain, where there is one; else a dimension without a range is whole.
fn runs(array: &Array, grid: &SpaceTileGrid, subarray: &Subarray) -> Result<Vec<Runs>, QueryError> {
    let schema = array.schema();
    let along = |(dimension, axis): (usize, &tdb_schema::grid::GridAxis)| {
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
        Runs::new(ranges)
            .ok_or_else(|| QueryError::invalid("more cells are asked for than can be counted"))
    };
    grid.axes()
        .iter()
        .enumerate()
        .map(|(dimension, axis)| along((dimension, axis)))
        .collect()
}

fn walk(grid: &SpaceTileGrid, runs: &[Runs], order: ResultOrder) -> Result<Walk, QueryError> {
    Ok(match order {
        ResultOrder::RowMajor | ResultOrder::Unordered => Walk::cells(runs, Order::RowMajor),
        ResultOrder::ColumnMajor => Walk::cells(runs, Order::ColumnMajor),
        ResultOrder::Global => Walk::tiles(grid, runs).ok_or_else(|| {
            let what = "the global order of a dense array takes one range for each dimension";
            QueryError::invalid_with_hint(what, "ask for row-major or column-major order")
        })?,
    })
}

/// The smallest box around all that is asked for.
pub(super) fn bounds(runs: &[Runs]) -> Option<CellBox> {
    let (lo, hi) = runs
        .iter()
        .map(Runs::bounds)
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .unzip();
    Some(CellBox { lo, hi })
}

/// Fragments that are opened without handing work to another thread.
const FEW_FRAGMENTS: usize = 8;

fn open(
    session: &Session,
    array: &Array,
    layers: &[Layer],
    fields: &[FieldKind],
) -> Result<Vec<FragmentTiles>, QueryError> {
    let open = |layer: &Layer| match layer.stored {
        Stored::Tiles(_) => fragment_tiles::open(array, array.schema(), layer.index, fields),
        Stored::Cells(_) => fragment_tiles::open(array, array.schema(), layer.index, &[]),
    };
    if layers.len() < FEW_FRAGMENTS {
        return layers.iter().map(open).collect();
    }
    session.install(|| threads::map(layers.iter().collect(), open))
}
