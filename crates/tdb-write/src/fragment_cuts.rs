//! Decides where one fragment ends and the next begins, so that fragments do not exceed the size limit.

use std::ops::Range;

use tdb_schema::Order;
use tdb_schema::grid::{CellBox, SpaceTileGrid, TileBox};

use crate::metadata::Shape;

/// The size limit of fragments, and the places where they can end.
#[derive(Debug)]
pub(crate) struct Cuts {
    /// Maximum size of a fragment, in bytes.
    most: u64,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// A sparse fragment can end after any full tile.
    Sparse {
        capacity: u64,
    },
    Dense(Boxes),
}

/// The tiles of a dense write; each fragment is a box of them.
#[derive(Clone, Debug)]
pub(crate) struct Boxes {
    pub(crate) grid: SpaceTileGrid,
    pub(crate) cells: CellBox,
    pub(crate) tiles: TileBox,
    /// Number of cells in each tile.
    pub(crate) tile_cells: u64,
}

/// The tiles and bytes of the current fragment so far.
#[derive(Clone, Debug)]
pub(crate) struct SoFar {
    pub(crate) tiles: Range<u64>,
    pub(crate) bytes: u64,
}

impl Cuts {
    /// Creates cuts for a sparse array, whose fragments can end after any tile.
    pub(crate) fn sparse(most: u64, capacity: u64) -> Self {
        let form = Form::Sparse { capacity };
        Self { most, form }
    }

    /// Makes fragments boxes of tiles, for a dense array.
    pub(crate) fn set_boxes(&mut self, boxes: Boxes) {
        self.form = Form::Dense(boxes);
    }

    /// Returns the shape of the current fragment if it must end before the next tile, which has `tile` bytes; `None`
    /// if that tile still belongs to the fragment.
    ///
    /// A dense fragment can only end where its tiles form a box. The tiles from the next one up to that point are
    /// assumed to have the mean size of the tiles so far.
    pub(crate) fn end(&self, so_far: &SoFar, tile: u64) -> Option<Shape> {
        let tiles = &so_far.tiles;
        let count = tiles
            .end
            .checked_sub(tiles.start)
            .filter(|count| *count > 0)?;
        // Bytes of 128 bits, which no real number of tiles overflows.
        let (all, most) = (
            u128::from(so_far.bytes) + u128::from(tile),
            u128::from(self.most),
        );
        let boxes = match &self.form {
            Form::Dense(boxes) => boxes,
            Form::Sparse { capacity } => {
                let last_tile_cells = *capacity;
                return (all > most).then_some(Shape::Sparse { last_tile_cells });
            }
        };
        let shape = boxes.shape(tiles)?;
        let rest = boxes.next_end(tiles).map(|end| {
            // The next tile and those after it; `all` includes the next one.
            let rest = u128::from(end - tiles.end) - 1;
            let mean = all / (u128::from(count) + 1);
            mean * rest
        });
        let is_end = rest.is_none_or(|rest| all + rest > most);
        is_end.then_some(shape)
    }
}

impl Boxes {
    /// The shape of these tiles; `None` if they do not form a box.
    pub(crate) fn shape(&self, tiles: &Range<u64>) -> Option<Shape> {
        let count = tiles.end.checked_sub(tiles.start)?;
        let is_box = self
            .levels(tiles.start)
            .any(|(stride, room)| count.is_multiple_of(stride) && count / stride <= room);
        if !is_box {
            return None;
        }
        let first = self.grid.tile_cells(&self.tiles.tile(tiles.start)?);
        let last = self
            .grid
            .tile_cells(&self.tiles.tile(tiles.end.checked_sub(1)?)?);
        let (lo, hi) = (first.lo, last.hi);
        let cells = CellBox { lo, hi }.intersection(&self.cells)?;
        Some(Shape::Dense {
            domain: self.grid.ranges(&cells)?,
            tile_cells: self.tile_cells,
        })
    }

    /// The smallest end beyond that of `tiles` for which the tiles, from the same first one on, form a box.
    fn next_end(&self, tiles: &Range<u64>) -> Option<u64> {
        let count = tiles.end.checked_sub(tiles.start)?;
        let ends = self.levels(tiles.start).filter_map(|(stride, room)| {
            let more = (count / stride).checked_add(1)?;
            let is_there = more <= room;
            let end = tiles.start.checked_add(more.checked_mul(stride)?);
            end.filter(|_| is_there)
        });
        ends.min()
    }

    /// The step sizes, in tiles, in which a box that begins with tile `first` can grow, each with its maximum number
    /// of steps: single tiles, rows of tiles, and so on, as long as `first` is at the start of such a row.
    fn levels(&self, first: u64) -> impl Iterator<Item = (u64, u64)> {
        let ends = self.tiles.first().iter().zip(self.tiles.last());
        let mut counts: Vec<u64> = ends.map(|(first, last)| last - first + 1).collect();
        if self.grid.tile_order() == Order::RowMajor {
            counts.reverse();
        }
        let mut stride = 1_u64;
        counts.into_iter().map_while(move |count| {
            let step = stride;
            stride = stride.checked_mul(count)?;
            let at = (first / step) % count.max(1);
            first.is_multiple_of(step).then(|| (step, count - at))
        })
    }
}

#[cfg(test)]
mod tests {
    use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
    use tdb_tile::Datatype;

    use super::*;

    /// Four rows of three tiles.
    fn boxes(order: Order) -> Boxes {
        let dimensions = vec![
            Dimension::numbers("y", Datatype::Int32, (0_i32, 15), 4),
            Dimension::numbers("x", Datatype::Int32, (0_i32, 8), 3),
        ];
        let attributes = vec![Attribute::new("a", Datatype::Int32)];
        let mut schema = ArraySchema::new(ArrayType::Dense, dimensions, attributes);
        schema.tile_order = order;
        let grid = SpaceTileGrid::new(&schema).expect("a grid");
        let cells = grid.domain();
        Boxes {
            tiles: grid.tiles_of(&cells),
            cells,
            grid,
            tile_cells: 12,
        }
    }

    #[test]
    fn boxes_are_runs_of_tiles_or_of_rows() {
        let boxes = boxes(Order::RowMajor);
        let is_box = |tiles: Range<u64>| boxes.shape(&tiles).is_some();
        assert!(is_box(0..1) && is_box(0..3) && is_box(0..6) && is_box(3..12) && is_box(4..6));
        assert!(!is_box(0..4) && !is_box(1..4) && !is_box(4..9) && !is_box(0..15));
        assert_eq!(boxes.next_end(&(0..2)), Some(3));
        assert_eq!(boxes.next_end(&(0..3)), Some(6));
        assert_eq!(boxes.next_end(&(1..3)), None);
        assert_eq!(boxes.next_end(&(9..12)), None);
    }

    #[test]
    fn columns_of_tiles_are_four_long() {
        let boxes = boxes(Order::ColumnMajor);
        assert!(boxes.shape(&(0..4)).is_some() && boxes.shape(&(0..3)).is_some());
        assert_eq!(boxes.next_end(&(0..4)), Some(8));
    }

    #[test]
    fn a_fragment_ends_where_the_next_row_is_too_much() {
        let mut cuts = Cuts::sparse(65, 1);
        cuts.set_boxes(boxes(Order::RowMajor));
        let is_end = |tiles, bytes, tile| cuts.end(&SoFar { tiles, bytes }, tile).is_some();
        assert!(!is_end(0..3, 30, 10), "six tiles of 10 bytes");
        assert!(is_end(0..6, 60, 10), "nine");
        assert!(is_end(0..3, 30, 20), "the next row seems to have 52");
        assert!(!is_end(0..4, 64, 10), "no box");
        assert!(is_end(1..3, 20, 10), "no row, and nothing to its right");
    }
}
