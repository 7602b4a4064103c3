use std::cmp::Ordering;

use tdb_tile::{FormatVersion, Scalar, with_scalar};

use crate::coordinate::Coordinate;
use crate::hilbert::HilbertSpace;
use crate::order::{Column, SortOrder, TextOrder, WriterRule};
use crate::{ArraySchema, CellOrder, Dimension, Order};

/// Compares cells by their coordinates, in every order and for all kinds of dimensions.
#[derive(Clone, Debug)]
pub struct CellComparator {
    dimensions: Vec<Dimension>,
    hilbert: Option<HilbertSpace>,
    /// The dimensions whose tile indices are compared first, the most significant first; empty if
    /// the order has no tiles.
    tiles: Vec<usize>,
    /// The dimensions whose coordinates are compared, the most significant first.
    cells: Vec<usize>,
    text: TextOrder,
    rule: WriterRule,
}

/// Returns the indices of `n` dimensions, the most significant first.
pub(crate) fn by_significance(n: usize, order: Order) -> Vec<usize> {
    match order {
        Order::RowMajor => (0..n).collect(),
        Order::ColumnMajor => (0..n).rev().collect(),
    }
}

impl CellComparator {
    /// Creates a comparator for this order as current writers understand it.
    #[must_use]
    pub fn new(schema: &ArraySchema, order: SortOrder) -> Self {
        Self::with_rule(schema, order, WriterRule::Current)
    }

    /// Creates a comparator for global order as writers of this format version understood it.
    #[must_use]
    pub fn of_writer(schema: &ArraySchema, version: FormatVersion) -> Self {
        Self::with_rule(schema, SortOrder::Global, WriterRule::of(version))
    }

    fn with_rule(schema: &ArraySchema, order: SortOrder, rule: WriterRule) -> Self {
        let n = schema.dimensions.len();
        let is_hilbert = schema.cell_order == CellOrder::Hilbert;
        let is_global = order == SortOrder::Global;
        let cells = match order {
            SortOrder::Global => schema.cell_order.of_coordinates(),
            SortOrder::RowMajor => Order::RowMajor,
            SortOrder::ColumnMajor => Order::ColumnMajor,
        };
        let tiles = if is_global && !is_hilbert {
            by_significance(n, schema.tile_order)
        } else {
            Vec::new()
        };
        Self {
            dimensions: schema.dimensions.clone(),
            hilbert: (is_global && is_hilbert)
                .then(|| HilbertSpace::new(schema, rule))
                .flatten(),
            tiles,
            cells: by_significance(n, cells),
            text: TextOrder::of(order),
            rule,
        }
    }

    /// Compares two cells, given the stored form of their coordinates.
    #[must_use]
    pub fn compare(&self, a: &[&[u8]], b: &[&[u8]]) -> Ordering {
        self.compare_by(|i| a.get(i).copied(), |i| b.get(i).copied())
    }

    /// Compares cell `i` of some columns with cell `j` of others.
    #[must_use]
    pub fn compare_rows(&self, a: &[Column<'_>], i: usize, b: &[Column<'_>], j: usize) -> Ordering {
        let size = |dimension: usize| Some(self.dimensions.get(dimension)?.datatype.size());
        self.compare_by(
            |dimension| a.get(dimension)?.value(i, size(dimension)?),
            |dimension| b.get(dimension)?.value(j, size(dimension)?),
        )
    }

    /// Compares two cells, given functions from dimension to coordinate. No coordinate is missing:
    /// the offsets of a tile are checked when it is read.
    fn compare_by<'a>(
        &self,
        a: impl Fn(usize) -> Option<&'a [u8]>,
        b: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Ordering {
        if let Some(space) = &self.hilbert {
            let by_place = space.place_by(&a).cmp(&space.place_by(&b));
            if by_place.is_ne() {
                return by_place;
            }
        }
        let difference = |i: &usize, is_tile: bool| {
            let dimension = self.dimensions.get(*i)?;
            let (a, b) = (a(*i).unwrap_or(&[]), b(*i).unwrap_or(&[]));
            let ordering = if is_tile {
                let tile = |value| tile_rank(dimension, value, self.rule);
                tile(a).cmp(&tile(b))
            } else {
                compare_coordinates(dimension, self.text, a, b)
            };
            Some(ordering).filter(|ordering| ordering.is_ne())
        };
        let by_tile = self.tiles.iter().find_map(|i| difference(i, true));
        let by_cell = || self.cells.iter().find_map(|i| difference(i, false));
        by_tile.or_else(by_cell).unwrap_or(Ordering::Equal)
    }
}

fn compare_coordinates(dimension: &Dimension, text: TextOrder, a: &[u8], b: &[u8]) -> Ordering {
    if dimension.is_var() {
        return text.compare(a, b);
    }
    with_scalar!(dimension.datatype, T => rank::<T>(a).cmp(&rank::<T>(b)))
}

fn rank<T: Coordinate>(bytes: &[u8]) -> Option<u64> {
    T::read(bytes).map(T::rank)
}

/// Returns the tile index of a coordinate as a number in the order of the rule; 0 if the dimension
/// has no tiles.
fn tile_rank(dimension: &Dimension, value: &[u8], rule: WriterRule) -> u64 {
    let (Some(domain), Some(extent)) = (&dimension.domain, &dimension.extent) else {
        return 0;
    };
    with_scalar!(dimension.datatype, T => {
        match (T::read(value), T::read(&domain.lo), T::read(extent)) {
            (Some(value), Some(lo), Some(extent)) => ranked_tile(value, lo, extent, rule),
            _ => 0,
        }
    })
}

fn ranked_tile<T: Coordinate>(value: T, lo: T, extent: T, rule: WriterRule) -> u64 {
    const SIGN: u64 = 1 << 63;
    match (rule, value.signed_tile(lo, extent)) {
        (WriterRule::SignedTiles, _) if T::IS_REAL => 0,
        (WriterRule::SignedTiles, Some(tile)) if T::BITS >= 32 => tile.cast_unsigned() ^ SIGN,
        (WriterRule::MisplacedLastTile, Some(tile)) => tile.cast_unsigned(),
        _ => value.tile(lo, extent),
    }
}
