//! Chooses the next part of a dense result: as much as fits in memory, cut into bands for the threads.

use tdb_cells::dense::{Block, Borders, Share, borders, chunk_borders, slow_to_fast};
use tdb_cells::unit_size;
use tdb_fragment::TileNumber;
use tdb_schema::FieldKind;
use tdb_tile::{Bug, Exact};

use super::bands::{Band, Bands};
use super::paint::for_each_source;
use super::plan::DensePlan;
use super::visits::BlockTiles;
use super::walk::Walk;
use crate::QueryError;
use crate::cell_sizes::bytes_of_tiles;
use crate::load::fill_of;
use crate::scatter::index;

/// Maximum number of rows of a batch: their numbers have 32 bits.
const MOST_ROWS: u64 = u32::MAX as u64;

/// Bytes of a chunk, as writers usually cut tiles.
const CHUNK: u64 = 64 << 10;

/// Approximate number of bytes that planning needs per tile along a dimension.
const PLANNED_TILE: u128 = 128;

/// Limits of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Desired number of bytes of a batch.
    pub(super) aim: u64,
    /// Maximum number of bytes of a batch. A batch grows beyond `aim` up to this size if that keeps space tiles
    /// whole, so that no tile is fetched twice.
    pub(super) memory: u64,
    /// Maximum number of rows that are useful.
    pub(super) rows: u64,
    /// Number of threads that share the work.
    pub(super) threads: u64,
    /// Number of bytes of decoded cells that are worth a task of their own.
    pub(super) part: u64,
}

/// Bytes that a row needs while it is read. Sizes of tiles are stored, and may be any number: hence 128 bits.
#[derive(Clone, Copy, Debug)]
struct RowBytes {
    fixed: u128,
    /// Estimated bytes of var-sized values.
    estimate: u128,
}

/// Next part of a result.
#[derive(Debug)]
pub(super) struct BatchPart {
    pub(super) bands: Bands,
    /// Bytes of memory that reading the part needs.
    pub(super) bytes: u64,
    pub(super) rows: u64,
}

/// Cuts a dense result into parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cutter<'a> {
    pub(super) plan: &'a DensePlan,
    /// All fields to read, each once.
    pub(super) fields: &'a [FieldKind],
}

impl Cutter<'_> {
    /// Returns the next part of the result that fits in memory, cut into bands for the threads; `None` after the last
    /// part.
    ///
    /// The bytes of var-sized values are known only once the tiles of a part are chosen. So an estimated part is
    /// tried, and halved until it fits; a single row is returned whatever its size, so that the read always makes
    /// progress.
    pub(super) fn next(
        &self,
        walk: &mut Walk,
        room: Room,
    ) -> Result<Option<BatchPart>, QueryError> {
        let RowBytes { fixed, estimate } = self.bytes_per_row();
        let aim = room.aim.min(room.memory);
        // A row of more than 2^64 bytes fits into no memory.
        let per_row = u64::try_from(fixed + estimate);
        let fitting = |bytes: u64| per_row.map_or(0, |per_row| bytes / per_row.max(1));
        let rows = |bytes: u64| fitting(bytes).clamp(1, MOST_ROWS);
        let mut share = Share {
            aim: rows(aim).min(room.rows),
            most: rows(room.memory).min(room.rows),
        };
        loop {
            let mut next = walk.clone();
            let blocks = next.next(&self.plan.shape.grid, &self.plan.runs, share);
            if blocks.is_empty() {
                return Ok(None);
            }
            let rows = rows_of(&blocks)?;
            if rows > 1 && self.planned_bytes(&blocks) > u128::from(room.memory) {
                share = share.halved(rows);
                continue;
            }
            let bands = self.bands(blocks, room)?;
            let bytes = u128::from(rows) * fixed + self.var_bytes(&bands) * 2;
            if bytes > u128::from(room.memory) && rows > 1 {
                // The estimate was too low here: the stored sizes of the var-sized tiles give the true size.
                share = share.halved(rows);
                continue;
            }
            *walk = next;
            let bytes = bytes_of_tiles(bytes)?;
            return Ok(Some(BatchPart { bands, bytes, rows }));
        }
    }

    /// Returns the number of bytes that planning these blocks needs: a little for each tile along each dimension.
    fn planned_bytes(&self, blocks: &[Block]) -> u128 {
        let tiles = blocks.iter().flat_map(|block| self.tiles_along(block));
        tiles.sum::<u128>() * PLANNED_TILE
    }

    /// Returns the approximate number of space tiles that a block meets, for each dimension.
    fn tiles_along(&self, block: &Block) -> impl Iterator<Item = u128> {
        let axes = self.plan.shape.grid.axes().iter().zip(&block.positions);
        axes.map(|(axis, range)| u128::from(range.end - range.start) / axis.extent().max(1) + 1)
    }

    /// Returns the approximate number of bytes of cells that are decoded for these blocks: at least a chunk of each
    /// tile that they meet.
    fn decoded_bytes(&self, blocks: &[Block], rows: u64) -> u64 {
        let RowBytes { fixed, estimate } = self.bytes_per_row();
        let per_row = fixed + estimate;
        let of_tile = (u128::from(self.plan.shape.cells) * per_row).min(CHUNK.into());
        let tiles = |block: &Block| {
            self.tiles_along(block)
                .try_fold(1, u128::checked_mul)
                .filter(|tiles| *tiles <= u128::from(u64::MAX))
        };
        let tiles: Option<u128> = blocks.iter().map(tiles).sum();
        let bytes = tiles.map(|tiles| (tiles * of_tile).max(u128::from(rows) * per_row));
        // If it cannot be counted, it is more than enough to share among threads.
        bytes
            .and_then(|bytes| u64::try_from(bytes).ok())
            .unwrap_or(u64::MAX)
    }

    /// Returns the bytes that each row needs while it is read.
    fn bytes_per_row(&self) -> RowBytes {
        let (mut fixed, mut estimate) = (0_u128, 0_u128);
        for &kind in self.fields {
            let Some(field) = self.plan.schema.field_of(kind) else {
                continue;
            };
            if field.is_var() {
                // The offset, the number of the source, and the values twice.
                fixed += 16;
                estimate += self.mean_size(kind) * 2;
            } else {
                fixed += unit_size(&field) as u128;
            }
            fixed += u128::from(field.nullable);
        }
        RowBytes { fixed, estimate }
    }

    /// Estimates the number of bytes of a var-sized cell from the first tile of each fragment.
    fn mean_size(&self, kind: FieldKind) -> u128 {
        let tiles = self.plan.tiles.iter();
        let sizes = tiles.filter_map(|tiles| Some(tiles.field(kind)?.var_size(TileNumber::new(0))));
        let stored = sizes.max().unwrap_or(0) / self.plan.shape.cells.max(1);
        (u128::from(stored) + 1).max(self.fill_size(kind).into())
    }

    /// Returns the number of bytes of the fill value.
    fn fill_size(&self, kind: FieldKind) -> u64 {
        fill_of(&self.plan.schema, kind).len() as u64
    }

    fn is_var(&self, kind: FieldKind) -> bool {
        let field = self.plan.schema.field_of(kind);
        field.is_some_and(|field| field.is_var())
    }

    /// Returns the bytes of all var-sized tiles that these bands take cells of, and of the fill values of all rows.
    fn var_bytes(&self, bands: &Bands) -> u128 {
        let fields: Vec<FieldKind> = self
            .fields
            .iter()
            .copied()
            .filter(|&field| self.is_var(field))
            .collect();
        if fields.is_empty() {
            return 0;
        }
        let DensePlan { shape, layers, .. } = self.plan;
        let offsets = u128::from(shape.cells) * 8;
        let fills = fields.iter().map(|&field| self.fill_size(field));
        let mut bytes = bands.rows() as u128 * u128::from(fills.sum::<u64>());
        for (_, block) in bands.blocks() {
            for_each_source(shape, layers, block, &mut |place, tile| {
                let Some(tiles) = self.plan.tiles.get(place.get()) else {
                    return;
                };
                for field in fields.iter().filter_map(|&kind| tiles.field(kind)) {
                    bytes += u128::from(field.var_size(tile)) + offsets;
                }
            });
        }
        bytes
    }

    /// Returns the number of cells along a dimension of a tile after which a chunk of every field ends, if chunks end
    /// between cells along it at all. A cut elsewhere splits a chunk, which both parts then decode.
    fn chunk_along(&self, dimension: usize) -> u64 {
        let grid = &self.plan.shape.grid;
        let faster = slow_to_fast(grid.axes().len(), grid.cell_order())
            .skip_while(|&slower| slower != dimension)
            .skip(1);
        let mut extents = faster.filter_map(|faster| Some(grid.axes().get(faster)?.extent()));
        // A slice with more cells than can be counted is larger than a chunk.
        let Some(cells) = extents.try_fold(1, u128::checked_mul) else {
            return 1;
        };
        let sizes = self.fields.iter().filter_map(|&kind| match kind {
            FieldKind::Dimension(_) => None,
            _ => Some(unit_size(&self.plan.schema.field_of(kind)?) as u128),
        });
        // A chunk has at most as many cells as bytes.
        let along = sizes
            .map(|size| u128::from(CHUNK) / cells.max(1) / size.max(1))
            .max()
            .map_or(Ok(1), u64::try_from);
        along.unwrap_or(CHUNK).max(1)
    }

    /// Joins or splits blocks into bands so that all threads have work.
    fn bands(&self, blocks: Vec<Block>, room: Room) -> Result<Bands, Bug> {
        let total = rows_of(&blocks)?;
        let bytes = self.decoded_bytes(&blocks, total);
        // Parts smaller than a tile and a chunk would each decode the same chunk again.
        let count = match room.threads {
            1 => 1,
            // A caller may say any number of threads.
            threads => threads
                .saturating_mul(4)
                .min(bytes / room.part.max(1))
                .max(1),
        };
        let (grid, runs) = (&self.plan.shape.grid, &self.plan.runs);
        let borders = |dimension, position| borders(grid, runs, dimension, position);
        let mut cuts_tiles = false;
        let blocks = match <[Block; 1]>::try_from(blocks) {
            Ok([block]) => {
                let has_var = self.fields.iter().any(|&field| self.is_var(field));
                let is_alike = block.order == grid.cell_order() || grid.axes().len() == 1;
                let chunks = |dimension, position| {
                    let chunk = self.chunk_along(dimension);
                    chunk_borders(grid, runs, dimension, position, chunk)
                };
                let within: Option<&Borders<'_>> = (is_alike && !has_var).then_some(&chunks);
                let pieces = block.split(count, &borders, within);
                cuts_tiles = pieces.windows(2).any(|pair| match pair {
                    [piece, next] => !piece.ends_between_tiles(next, &borders),
                    _ => false,
                });
                pieces
            }
            Err(blocks) => blocks,
        };
        let share = total.div_ceil(count);
        let mut bands: Vec<Band> = Vec::new();
        for block in blocks {
            let rows = index(block.rows())?;
            let tiles = BlockTiles::new(grid.axes(), grid.tile_order(), runs, &block);
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
        Ok(Bands {
            bands,
            cuts_tiles,
            bytes,
        })
    }
}

/// Returns the number of rows of blocks that follow each other in the result.
fn rows_of(blocks: &[Block]) -> Result<u64, Bug> {
    let mut rows = blocks.iter().map(Block::rows);
    rows.try_fold(0, u64::exact_add)
}
