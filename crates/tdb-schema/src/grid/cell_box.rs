/// A box of cells: the first and last cell along each dimension, both included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CellBox {
    /// The first cell along each dimension.
    pub lo: Vec<u64>,
    /// The last cell along each dimension.
    pub hi: Vec<u64>,
}

impl CellBox {
    /// Returns the number of cells along each dimension; `None` if the box is empty or a number
    /// exceeds `u64`.
    #[must_use]
    pub fn shape(&self) -> Option<Vec<u64>> {
        let ends = self.lo.iter().zip(&self.hi);
        ends.map(|(lo, hi)| hi.checked_sub(*lo)?.checked_add(1))
            .collect()
    }

    /// Returns the number of cells; `None` if the box is empty or the number exceeds `u64`.
    #[must_use]
    pub fn cells(&self) -> Option<u64> {
        self.shape()?.into_iter().try_fold(1, u64::checked_mul)
    }

    /// True if the box contains the cell.
    #[must_use]
    pub fn contains(&self, cell: &[u64]) -> bool {
        let ends = self.lo.iter().zip(&self.hi);
        cell.len() == self.lo.len()
            && ends
                .zip(cell)
                .all(|((lo, hi), cell)| lo <= cell && cell <= hi)
    }

    /// True if the box contains all cells of `other`.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.contains(&other.lo) && self.contains(&other.hi)
    }

    /// Returns the cells that both boxes contain; `None` if there are none.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        if self.lo.len() != other.lo.len() {
            return None;
        }
        let pick = |a: &[u64], b: &[u64], f: fn(u64, u64) -> u64| {
            a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect::<Vec<_>>()
        };
        let lo = pick(&self.lo, &other.lo, u64::max);
        let hi = pick(&self.hi, &other.hi, u64::min);
        let is_empty = lo.iter().zip(&hi).any(|(lo, hi)| lo > hi);
        (!is_empty).then_some(Self { lo, hi })
    }

    /// Returns the smallest box that contains both boxes.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let pick = |a: &[u64], b: &[u64], f: fn(u64, u64) -> u64| {
            a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
        };
        Self {
            lo: pick(&self.lo, &other.lo, u64::min),
            hi: pick(&self.hi, &other.hi, u64::max),
        }
    }
}
