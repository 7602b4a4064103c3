//! A k-d tree that finds out whether any point is in a box.

/// Keys of points as an implicit k-d tree: the median point, which is in the middle of the list, splits the others by
/// its key along the first dimension; the medians of both halves split these along the second dimension, and so on.
#[derive(Debug)]
pub(super) struct PointTree {
    /// Keys of all points, in the order of the tree; each point has one key per dimension.
    keys: Vec<u64>,
    dimensions: usize,
    points: usize,
}

/// Start and end of a range of points, and the dimension that splits it.
type Part = (usize, usize, usize);

impl PointTree {
    /// Bytes of memory that this number of points takes while the tree is built.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the number of points, which has been checked, fits into 32 bits"
    )]
    pub(super) fn bytes(points: usize, dimensions: usize) -> u64 {
        (points * (dimensions * 8 + 8)) as u64
    }

    /// Builds the tree from the keys of all points along each dimension.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "indexes of points, of which there are fewer than 2^32"
    )]
    pub(super) fn new(keys: &[Vec<u64>], points: usize) -> Self {
        let dimensions = keys.len();
        let mut order: Vec<usize> = (0..points).collect();
        let mut parts: Vec<Part> = vec![(0, points, 0)];
        while let Some((first, end, dimension)) = parts.pop() {
            let (Some(part), Some(along)) = (order.get_mut(first..end), keys.get(dimension)) else {
                continue;
            };
            if part.len() > 1 {
                let middle = part.len() / 2;
                part.select_nth_unstable_by_key(middle, |point| along.get(*point));
                let next = next(dimension, dimensions);
                let middle = first + middle;
                parts.push((first, middle, next));
                parts.push((middle + 1, end, next));
            }
        }
        let of_point = |point: usize| keys.iter().filter_map(move |along| along.get(point));
        Self {
            keys: order.into_iter().flat_map(of_point).copied().collect(),
            dimensions,
            points,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.points
    }

    /// The keys of a point.
    pub(super) fn point(&self, point: usize) -> Option<&[u64]> {
        let first = point.checked_mul(self.dimensions)?;
        self.keys.get(first..first.checked_add(self.dimensions)?)
    }

    /// The keys of all points along a dimension.
    pub(super) fn keys_along(&self, dimension: usize) -> impl Iterator<Item = u64> + '_ {
        let points = (0..self.points).filter_map(|point| self.point(point));
        points.filter_map(move |keys| keys.get(dimension).copied())
    }

    /// The least and the greatest key along each dimension; `None` if there are no points.
    pub(super) fn bounds(&self) -> Option<Vec<(u64, u64)>> {
        let along = |dimension| {
            let least = self.keys_along(dimension).min()?;
            Some((least, self.keys_along(dimension).max()?))
        };
        (0..self.dimensions).map(along).collect()
    }

    /// Whether any point has keys within these ends, both included.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "an index of a point, of which there are fewer than 2^32"
    )]
    pub(super) fn any_in(&self, ends: &[(u64, u64)]) -> bool {
        let mut parts: Vec<Part> = vec![(0, self.points, 0)];
        while let Some((first, end, dimension)) = parts.pop() {
            let middle = first.midpoint(end);
            let point = if first < end {
                self.point(middle)
            } else {
                None
            };
            let Some(point) = point else {
                continue;
            };
            let mut keys = point.iter().zip(ends);
            if keys.all(|(key, (lo, hi))| lo <= key && key <= hi) {
                return true;
            }
            let along = point.get(dimension).zip(ends.get(dimension));
            let next = next(dimension, self.dimensions);
            if along.is_some_and(|(key, (lo, _))| lo <= key) {
                parts.push((first, middle, next));
            }
            if along.is_some_and(|(key, (_, hi))| key <= hi) {
                parts.push((middle + 1, end, next));
            }
        }
        false
    }
}

#[expect(
    clippy::arithmetic_side_effects,
    reason = "a dimension is not the largest number"
)]
fn next(dimension: usize, dimensions: usize) -> usize {
    let next = dimension + 1;
    if next < dimensions { next } else { 0 }
}
