use crate::Order;

/// A box of space tiles, numbered in tile order, as a dense fragment stores them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileBox {
    first: Vec<u64>,
    last: Vec<u64>,
    order: Order,
}

impl TileBox {
    /// Creates the box from tile `first` to tile `last`, both included, along each dimension.
    #[must_use]
    pub fn new(first: Vec<u64>, last: Vec<u64>, order: Order) -> Self {
        Self { first, last, order }
    }

    /// The first tile along each dimension.
    #[must_use]
    pub fn first(&self) -> &[u64] {
        &self.first
    }

    /// The last tile along each dimension.
    #[must_use]
    pub fn last(&self) -> &[u64] {
        &self.last
    }

    /// The order of the tiles.
    #[must_use]
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the number of tiles; `None` if it exceeds `u64`.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        (0..self.first.len()).try_fold(1_u64, |count, axis| count.checked_mul(self.along(axis)?))
    }

    /// Returns the number of tiles along one dimension.
    fn along(&self, axis: usize) -> Option<u64> {
        let (first, last) = (self.first.get(axis)?, self.last.get(axis)?);
        last.checked_sub(*first)?.checked_add(1)
    }

    /// Iterates over the dimensions from the one that varies fastest to the slowest.
    fn axes(&self) -> impl Iterator<Item = usize> + use<> {
        let mut axes = 0..self.first.len();
        let order = self.order;
        std::iter::from_fn(move || match order {
            Order::RowMajor => axes.next_back(),
            Order::ColumnMajor => axes.next(),
        })
    }

    /// Returns the number of a tile in tile order; `None` outside the box.
    #[must_use]
    pub fn position(&self, tile: &[u64]) -> Option<u64> {
        let (mut position, mut stride) = (0_u64, Some(1_u64));
        for axis in self.axes() {
            let tile = *tile.get(axis)?;
            let from_first = tile.checked_sub(*self.first.get(axis)?)?;
            if tile > *self.last.get(axis)? {
                return None;
            }
            // A stride beyond `u64` is an error only if it is needed.
            if from_first > 0 {
                position = position.checked_add(from_first.checked_mul(stride?)?)?;
            }
            stride = stride.and_then(|stride| stride.checked_mul(self.along(axis)?));
        }
        Some(position)
    }

    /// Returns the tile with this number in tile order; `None` if the number is too large.
    #[must_use]
    pub fn tile(&self, position: u64) -> Option<Vec<u64>> {
        let (mut rest, mut tile) = (position, self.first.clone());
        for axis in self.axes() {
            let (place, along) = (tile.get_mut(axis)?, self.along(axis));
            // The dimension has more tiles than `u64` can count, so every position lies within it.
            let Some(along) = along else {
                *place = place.checked_add(rest)?;
                return Some(tile);
            };
            *place = place.checked_add(rest.checked_rem(along)?)?;
            rest = rest.checked_div(along)?;
        }
        (rest == 0).then_some(tile)
    }

    /// Iterates over the tiles in tile order.
    pub fn iter(&self) -> impl Iterator<Item = Vec<u64>> + '_ {
        let mut next = Some(self.first.clone());
        std::iter::from_fn(move || {
            let tile = next.take()?;
            next = self.after(tile.clone());
            Some(tile)
        })
    }

    fn after(&self, mut tile: Vec<u64>) -> Option<Vec<u64>> {
        for axis in self.axes() {
            let (place, last) = (tile.get_mut(axis)?, *self.last.get(axis)?);
            if *place < last {
                *place = place.checked_add(1)?;
                return Some(tile);
            }
            *place = *self.first.get(axis)?;
        }
        None
    }

    /// Returns the tiles that both boxes contain, in the order of this box; `None` if there are
    /// none.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let pick = |a: &[u64], b: &[u64], f: fn(u64, u64) -> u64| {
            a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect::<Vec<_>>()
        };
        let first = pick(&self.first, &other.first, u64::max);
        let last = pick(&self.last, &other.last, u64::min);
        let is_empty = first.iter().zip(&last).any(|(first, last)| first > last);
        (!is_empty).then(|| Self::new(first, last, self.order))
    }
}
