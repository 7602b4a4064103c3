//! Cuts a dense result into blocks: boxes of cells that are contiguous in the result.

use std::ops::Range;

use tdb_schema::Order;

/// A box of cells that are contiguous in the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Range of positions in the result along each dimension.
    pub positions: Vec<Range<u64>>,
    /// The order of the cells.
    pub order: Order,
}

/// How many rows to take at a time.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Number of rows that make a good batch.
    pub aim: u64,
    /// Maximum number of rows, if more than `aim` are needed to keep space tiles whole.
    pub most: u64,
}

impl Share {
    /// Returns a share of at most half of `rows`, which turned out to be too many.
    #[must_use]
    pub fn halved(self, rows: u64) -> Self {
        let half = (rows / 2).max(1);
        Self {
            aim: half.min(self.aim),
            most: half,
        }
    }
}

/// Finds borders of space tiles, or of parts of them: takes a dimension and a position along it, and returns the
/// nearest border at or before the position and the nearest at or after it.
pub type Borders<'a> = dyn Fn(usize, u64) -> (u64, u64) + 'a;

/// The dimensions, from the one that varies slowest to the one that varies fastest.
pub fn slow_to_fast(dimensions: usize, order: Order) -> impl DoubleEndedIterator<Item = usize> {
    (0..dimensions).map(move |i| match order {
        Order::RowMajor => i,
        Order::ColumnMajor => dimensions - 1 - i,
    })
}

impl Block {
    /// Number of cells; saturates.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.positions.iter().map(len).fold(1, u64::saturating_mul)
    }

    /// Number of rows from one cell to the next along each dimension.
    #[must_use]
    pub fn strides(&self) -> Vec<u64> {
        let mut strides = vec![1; self.positions.len()];
        let (mut stride, mut faster) = (1_u64, 1_u64);
        for dimension in slow_to_fast(self.positions.len(), self.order).rev() {
            if let (Some(place), Some(range)) =
                (strides.get_mut(dimension), self.positions.get(dimension))
            {
                stride *= faster;
                *place = stride;
                faster = len(range);
            }
        }
        strides
    }

    /// Whether this piece and the next one meet at a border of space tiles.
    #[must_use]
    pub fn ends_between_tiles(&self, next: &Self, borders: &Borders<'_>) -> bool {
        let dimensions = self.positions.iter().zip(&next.positions).enumerate();
        let mut cut = dimensions.filter(|(_, (piece, next))| piece != next);
        cut.all(|(dimension, (piece, _))| borders(dimension, piece.end).0 == piece.end)
    }

    /// Splits the block into up to `count` pieces of about equal size, along the slowest dimension that has more than
    /// one position: at `borders` of space tiles, and also at borders `within` tiles if these are given.
    #[must_use]
    pub fn split(
        self,
        count: u64,
        borders: &Borders<'_>,
        within: Option<&Borders<'_>>,
    ) -> Vec<Self> {
        let mut dimensions = slow_to_fast(self.positions.len(), self.order);
        let Some((dimension, range)) = dimensions.find_map(|dimension| {
            let range = self
                .positions
                .get(dimension)
                .filter(|range| len(range) > 1)?;
            Some((dimension, range.clone()))
        }) else {
            return vec![self];
        };
        let step = len(&range).div_ceil(count.max(1));
        let mut out = Vec::new();
        let mut start = range.start;
        while start < range.end {
            let even = start + step.min(range.end - start);
            let nearest = |borders: &Borders<'_>| {
                let (before, after) = borders(dimension, even);
                if before > start { before } else { after }
            };
            let tile = nearest(borders);
            let border = match within {
                Some(within) if tile > even => nearest(within).min(tile),
                _ => tile,
            };
            let end = border.clamp(start + 1, range.end);
            let mut piece = self.clone();
            if let Some(place) = piece.positions.get_mut(dimension) {
                *place = start..end;
            }
            out.push(piece);
            start = end;
        }
        out
    }
}

fn len(range: &Range<u64>) -> u64 {
    if range.is_empty() {
        return 0;
    }
    range.end - range.start
}

/// A walk through a box in blocks. The current position is the first one that no block has covered yet.
#[derive(Clone, Debug)]
pub struct Cursor {
    positions: Vec<Range<u64>>,
    order: Order,
    next: Option<Vec<u64>>,
}

impl Cursor {
    /// Starts before the first block of a box.
    #[must_use]
    pub fn new(positions: Vec<Range<u64>>, order: Order) -> Self {
        let is_empty = positions.iter().any(Range::is_empty);
        let next = (!is_empty).then(|| positions.iter().map(|range| range.start).collect());
        Self {
            positions,
            order,
            next,
        }
    }

    /// Whether no block is left.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.next.is_none()
    }

    /// Returns the next block: as many slices of one dimension as `share` allows, ending between space tiles if
    /// possible.
    pub fn next(&mut self, share: Share, borders: &Borders<'_>) -> Option<Block> {
        let at = self.next.take()?;
        let dimensions: Vec<usize> = slow_to_fast(at.len(), self.order).collect();
        let axes: Vec<Axis> = self.axes(&dimensions, &at);
        let begun = axes
            .iter()
            .rposition(|axis| axis.at > axis.range.start)
            .unwrap_or(0);
        let (depth, end) = choose(&axes, begun, share, borders);
        let mut positions = self.positions.clone();
        for (axis, place) in axes.iter().zip(0..) {
            if let Some(range) = positions.get_mut(axis.dimension) {
                match depth.cmp(&place) {
                    std::cmp::Ordering::Greater => *range = axis.at..axis.at + 1,
                    std::cmp::Ordering::Equal => *range = axis.at..end,
                    std::cmp::Ordering::Less => {}
                }
            }
        }
        self.next = after(&axes, at, depth, end);
        Some(Block {
            positions,
            order: self.order,
        })
    }

    fn axes(&self, dimensions: &[usize], at: &[u64]) -> Vec<Axis> {
        let mut slice = 1_u64;
        let mut axes: Vec<Axis> = dimensions
            .iter()
            .rev()
            .map(|&dimension| {
                let range = self.positions.get(dimension).cloned().unwrap_or(0..0);
                let axis = Axis {
                    dimension,
                    at: at.get(dimension).copied().unwrap_or(0),
                    slice,
                    range,
                };
                // Slices of more rows than can be counted are larger than any share.
                slice = slice.saturating_mul(len(&axis.range));
                axis
            })
            .collect();
        axes.reverse();
        axes
    }
}

/// One dimension of a walk, with the current position along it.
struct Axis {
    dimension: usize,
    at: u64,
    range: Range<u64>,
    /// Number of rows per position: the product of the lengths of all faster dimensions.
    slice: u64,
}

/// Chooses the dimension to cut, as its place among `axes` (slowest first), and the end of the block along it.
///
/// A block covers one position of each slower dimension and all of each faster one, so that its cells are contiguous.
/// The cut is made along the slowest dimension where either all positions up to the next tile border have at most
/// `share.most` rows, or one position has at most `share.aim`. Dimensions slower than `begun` cannot be cut, since an
/// earlier block already covered a part of `begun`.
fn choose(axes: &[Axis], begun: usize, share: Share, borders: &Borders<'_>) -> (usize, u64) {
    let next_border = |axis: &Axis| {
        borders(axis.dimension, axis.at + 1)
            .1
            .clamp(axis.at + 1, axis.range.end)
    };
    let candidates = || axes.iter().enumerate().skip(begun);
    let whole = candidates().find(|(_, axis)| {
        let tiles = (next_border(axis) - axis.at).checked_mul(axis.slice);
        tiles.is_some_and(|rows| rows <= share.most)
    });
    let small = candidates().find(|(_, axis)| axis.slice <= share.aim);
    let (depth, axis, keeps_tiles) = match (whole, small) {
        (Some((depth, axis)), small) if small.is_none_or(|(other, _)| depth <= other) => {
            (depth, axis, true)
        }
        (_, Some((depth, axis))) => (depth, axis, false),
        (_, None) => match candidates().next_back() {
            Some((depth, axis)) => (depth, axis, false),
            None => return (0, 0),
        },
    };
    let count = (share.aim / axis.slice.max(1)).max(1);
    if count >= axis.range.end - axis.at {
        return (depth, axis.range.end);
    }
    let even = axis.at + count;
    let before = borders(axis.dimension, even).0;
    let end = match (before > axis.at, keeps_tiles) {
        (true, _) => before,
        (false, true) => next_border(axis),
        (false, false) => even,
    };
    (depth, end.min(axis.range.end))
}

/// Returns the position after a block that ends at `end` along the dimension at `depth`; `None` after the last block.
fn after(axes: &[Axis], mut at: Vec<u64>, depth: usize, end: u64) -> Option<Vec<u64>> {
    let mut end = end;
    for axis in axes.iter().take(depth + 1).rev() {
        let place = at.get_mut(axis.dimension)?;
        if end < axis.range.end {
            *place = end;
            return Some(at);
        }
        *place = axis.range.start;
        let slower = axes
            .iter()
            .take_while(|other| other.dimension != axis.dimension)
            .last()?;
        end = slower.at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Borders of tiles of this width, counted from position 0.
    fn tiles_of(width: u64) -> impl Fn(usize, u64) -> (u64, u64) {
        move |_, position| (position / width * width, position.next_multiple_of(width))
    }

    /// The cells of a block, as positions, in its order.
    fn cells(block: &Block) -> Vec<Vec<u64>> {
        let mut out = vec![vec![]];
        let n = block.positions.len();
        for dimension in slow_to_fast(n, block.order) {
            let range = block.positions[dimension].clone();
            out = out
                .into_iter()
                .flat_map(|cell: Vec<(usize, u64)>| {
                    range
                        .clone()
                        .map(move |p| [cell.clone(), vec![(dimension, p)]].concat())
                })
                .collect();
        }
        let sorted = |mut cell: Vec<(usize, u64)>| {
            cell.sort_unstable();
            cell.into_iter().map(|(_, p)| p).collect()
        };
        out.into_iter().map(sorted).collect()
    }

    #[test]
    fn a_batch_ends_between_tiles() {
        let mut cursor = Cursor::new(vec![0..10, 0..8], Order::RowMajor);
        let share = Share {
            aim: 40,
            most: 1000,
        };
        let borders = tiles_of(4);
        let mut ends = Vec::new();
        while let Some(block) = cursor.next(share, &borders) {
            ends.push(block.positions[0].clone());
        }
        assert_eq!(ends, [0..4, 4..8, 8..10]);
    }

    #[test]
    fn tiles_are_kept_whole_where_memory_allows_and_cut_where_not() {
        let first = |most| {
            let mut cursor = Cursor::new(vec![0..10, 0..8], Order::RowMajor);
            cursor
                .next(Share { aim: 9, most }, &tiles_of(4))
                .unwrap()
                .positions
        };
        assert_eq!(first(32), [0..4, 0..8]);
        assert_eq!(first(31), [0..1, 0..8]);
    }

    proptest! {
        #[test]
        fn blocks_give_every_cell_once_and_in_order(
            shape in prop::collection::vec(0_u64..6, 1..4),
            width in 1_u64..4,
            aim in 1_u64..40,
            extra in 0_u64..40,
            column_major: bool,
            pieces in 1_u64..5,
            chunk in prop::option::of(1_u64..4),
        ) {
            let order = if column_major { Order::ColumnMajor } else { Order::RowMajor };
            let positions: Vec<_> = shape.iter().map(|&n| 2..2 + n).collect();
            let borders = tiles_of(width);
            let mut cursor = Cursor::new(positions.clone(), order);
            let mut found = Vec::new();
            while let Some(block) = cursor.next(Share { aim, most: aim + extra }, &borders) {
                prop_assert!(block.rows() <= aim + extra);
                let within = tiles_of(chunk.unwrap_or(1));
                let within: Option<&Borders<'_>> = chunk.map(|_| &within as _);
                for piece in block.split(pieces, &borders, within) {
                    prop_assert_eq!(cells(&piece).len() as u64, piece.rows());
                    found.extend(cells(&piece));
                }
            }
            prop_assert_eq!(found, cells(&Block { positions, order }));
        }
    }
}
