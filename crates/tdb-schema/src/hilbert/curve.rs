/// Maximum number of dimensions of the curve.
pub(super) const MAX_DIMENSIONS: usize = 16;
/// Bits of a position on the curve, divided among the dimensions.
const PLACE_BITS: u32 = 63;

/// The Hilbert curve through a cube of `2^bits` buckets along each dimension.
///
/// Positions are computed by Skilling's algorithm: it undoes the rotations and reflections of
/// nested cubes bit by bit, Gray-encodes the result, and interleaves the bits of all dimensions. It
/// needs no table of states and no recursion, so that many points are computed in one loop per bit.
///
/// ```
/// use tdb_schema::hilbert::HilbertCurve;
///
/// let curve = HilbertCurve::new(2).unwrap();
/// assert_eq!(curve.bits(), 31);
/// // The first four places are the corners of a square, one step apart.
/// let points: Vec<_> = (0..4).map(|place| curve.point(place)).collect();
/// assert_eq!(points, [[0, 0], [0, 1], [1, 1], [1, 0]]);
/// assert_eq!(curve.index(&mut [1, 1]), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HilbertCurve {
    dimensions: usize,
    /// Bits of a bucket.
    bits: u32,
    /// Bits of a position.
    place_bits: u32,
}

impl HilbertCurve {
    /// Creates the curve through this many dimensions; `None` unless 1 to 16.
    #[must_use]
    pub fn new(dimensions: usize) -> Option<Self> {
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            return None;
        }
        let count = u32::try_from(dimensions).ok()?;
        let bits = PLACE_BITS.checked_div(count)?;
        Some(Self {
            dimensions,
            bits,
            place_bits: match count {
                1 => u64::BITS,
                count => bits.checked_mul(count)?,
            },
        })
    }

    /// The number of bits of a bucket along each dimension.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The number of bits of a position. With a single dimension, the last bucket needs one bit
    /// more than the others.
    #[must_use]
    pub fn place_bits(&self) -> u32 {
        self.place_bits
    }

    /// Returns the position of a point, given as buckets; overwrites `point`.
    #[must_use]
    pub fn index(&self, point: &mut [u64]) -> u64 {
        let mut place = [0];
        self.indices(point, 1, &mut place);
        let [place] = place;
        place
    }

    /// Computes the positions of many points. `buckets` has `stride` buckets of the first
    /// dimension, then of the next, and so on; only the first `places.len()` of each are used.
    /// Overwrites `buckets`.
    pub(crate) fn indices(&self, buckets: &mut [u64], stride: usize, places: &mut [u64]) {
        let n = places.len();
        let mut axes: Vec<&mut [u64]> = buckets
            .chunks_exact_mut(stride.max(1))
            .take(self.dimensions)
            .map(|axis| axis.split_at_mut(n).0)
            .collect();
        let Some((first, rest)) = axes.split_first_mut() else {
            return;
        };
        if rest.is_empty() {
            // With one dimension, the position is the bucket.
            places.copy_from_slice(first);
            return;
        }
        let all = low_bits(self.bits);
        first.iter_mut().for_each(|x| *x &= all);
        rest.iter_mut()
            .for_each(|axis| axis.iter_mut().for_each(|x| *x &= all));
        self.undo(first, rest);
        gray(first, rest);
        self.interleave(&axes, places);
    }

    /// Undoes the rotations and reflections of the nested cubes, from the largest to the smallest
    /// but one.
    ///
    /// Masks replace branches, and the inner loops run over points, so that they are vectorised.
    fn undo(&self, first: &mut [u64], rest: &mut [&mut [u64]]) {
        for bit in (1..self.bits).rev() {
            let below = low_bits(bit);
            let is_set = |x: u64| spread_bit(x >> bit);
            for x in first.iter_mut() {
                *x ^= below & is_set(*x);
            }
            for axis in rest.iter_mut() {
                for (x, y) in first.iter_mut().zip(axis.iter_mut()) {
                    let invert = is_set(*y);
                    let swap = (*x ^ *y) & below & !invert;
                    *x ^= (below & invert) ^ swap;
                    *y ^= swap;
                }
            }
        }
    }

    /// Interleaves the bits of all dimensions into positions, from the highest bit down, the first
    /// dimension first.
    fn interleave(&self, axes: &[&mut [u64]], places: &mut [u64]) {
        if let [x, y] = axes {
            for ((place, x), y) in places.iter_mut().zip(x.iter()).zip(y.iter()) {
                *place = (spread(*x) << 1) | spread(*y);
            }
            return;
        }
        places.fill(0);
        for bit in (0..self.bits).rev() {
            for axis in axes {
                for (place, x) in places.iter_mut().zip(axis.iter()) {
                    *place = (*place << 1) | ((x >> bit) & 1);
                }
            }
        }
    }

    /// Returns the point at a position, as buckets.
    #[must_use]
    pub fn point(&self, place: u64) -> Vec<u64> {
        let mut point = vec![0_u64; self.dimensions];
        if let [only] = point.as_mut_slice() {
            *only = place;
            return point;
        }
        let mut shifts = (0..self.place_bits).rev();
        for bit in (0..self.bits).rev() {
            for (x, shift) in point.iter_mut().zip(&mut shifts) {
                *x |= ((place >> shift) & 1) << bit;
            }
        }
        self.redo(&mut point);
        point
    }

    /// Inverts `undo` followed by `gray`.
    fn redo(&self, point: &mut [u64]) {
        let last = point.last().copied().unwrap_or(0);
        for i in (1..point.len()).rev() {
            let (before, after) = point.split_at_mut(i);
            if let (Some(before), Some(x)) = (before.last(), after.first_mut()) {
                *x ^= *before;
            }
        }
        if let Some((first, rest)) = point.split_first_mut() {
            *first ^= last >> 1;
            for bit in 1..self.bits {
                let below = low_bits(bit);
                let is_set = |x: u64| spread_bit(x >> bit);
                for y in rest.iter_mut().rev() {
                    let invert = is_set(*y);
                    let swap = (*first ^ *y) & below & !invert;
                    *first ^= (below & invert) ^ swap;
                    *y ^= swap;
                }
                *first ^= below & is_set(*first);
            }
        }
    }
}

/// Returns the number whose lowest `bits` bits are set.
pub(super) fn low_bits(bits: u32) -> u64 {
    !u64::MAX.unbounded_shl(bits)
}

/// Returns a number whose bits are all the lowest one of `x`.
fn spread_bit(x: u64) -> u64 {
    0_u64.wrapping_sub(x & 1)
}

/// Gray-encodes the points across dimensions.
fn gray(first: &mut [u64], rest: &mut [&mut [u64]]) {
    let mut before: &[u64] = first;
    for axis in rest.iter_mut() {
        for (x, before) in axis.iter_mut().zip(before) {
            *x ^= before;
        }
        before = axis;
    }
    let parities: Vec<u64> = before.iter().map(|x| parity_above(*x)).collect();
    let flip = |axis: &mut [u64]| {
        for (x, parity) in axis.iter_mut().zip(&parities) {
            *x ^= parity;
        }
    };
    flip(first);
    rest.iter_mut().for_each(|axis| flip(axis));
}

/// Returns a number whose bit `j` is the parity of the bits of `x` above `j`.
fn parity_above(x: u64) -> u64 {
    [1, 2, 4, 8, 16, 32]
        .iter()
        .fold(x >> 1, |y, shift| y ^ (y >> shift))
}

/// Moves bit `i` of the lower 32 bits to bit `2i`, for interleaving.
fn spread(x: u64) -> u64 {
    const STEPS: [(u32, u64); 5] = [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ];
    let low = x & u64::from(u32::MAX);
    STEPS
        .iter()
        .fold(low, |x, (shift, mask)| (x | (x << shift)) & mask)
}
