use std::cmp::Ordering;
use std::fmt;

use bytes::Bytes;

use crate::{Datatype, Scalar};

/// An interval along one dimension, both ends included, as raw stored values.
///
/// The ends of a numeric dimension are little-endian numbers; those of a string dimension have any
/// length and compare as unsigned bytes. A range does not know its datatype; the methods that
/// compare take it.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Range {
    /// The lower end.
    pub lo: Bytes,
    /// The upper end.
    pub hi: Bytes,
}

impl Range {
    /// Creates a range from two stored values.
    #[must_use]
    pub fn new(lo: impl Into<Bytes>, hi: impl Into<Bytes>) -> Self {
        Self {
            lo: lo.into(),
            hi: hi.into(),
        }
    }

    /// Creates a range from two numbers.
    #[must_use]
    pub fn of<T: Scalar>(lo: T, hi: T) -> Self {
        let (mut a, mut b) = (Vec::with_capacity(T::SIZE), Vec::with_capacity(T::SIZE));
        lo.write(&mut a);
        hi.write(&mut b);
        Self::new(a, b)
    }

    /// Returns both ends as numbers; `None` if the size of an end is not that of `T`.
    #[must_use]
    pub fn ends<T: Scalar>(&self) -> Option<(T, T)> {
        (self.lo.len() == T::SIZE && self.hi.len() == T::SIZE)
            .then(|| Some((T::read(&self.lo)?, T::read(&self.hi)?)))?
    }

    /// True if the lower end is not above the upper one; false if an end is NaN.
    #[must_use]
    pub fn is_ordered(&self, datatype: Datatype) -> bool {
        matches!(
            datatype.compare(&self.lo, &self.hi),
            Some(Ordering::Less | Ordering::Equal)
        )
    }

    /// True if `value` lies between the ends, both included.
    #[must_use]
    pub fn contains(&self, datatype: Datatype, value: &[u8]) -> bool {
        at_most(datatype, &self.lo, value) && at_most(datatype, value, &self.hi)
    }

    /// True if the ranges have a value in common.
    #[must_use]
    pub fn intersects(&self, datatype: Datatype, other: &Self) -> bool {
        at_most(datatype, &self.lo, &other.hi) && at_most(datatype, &other.lo, &self.hi)
    }

    /// True if `other` lies within this range.
    #[must_use]
    pub fn covers(&self, datatype: Datatype, other: &Self) -> bool {
        at_most(datatype, &self.lo, &other.lo) && at_most(datatype, &other.hi, &self.hi)
    }

    /// Returns the values that both ranges contain; `None` if there are none.
    #[must_use]
    pub fn intersection(&self, datatype: Datatype, other: &Self) -> Option<Self> {
        if !self.intersects(datatype, other) {
            return None;
        }
        let lo = if self.contains(datatype, &other.lo) {
            &other.lo
        } else {
            &self.lo
        };
        let hi = if self.contains(datatype, &other.hi) {
            &other.hi
        } else {
            &self.hi
        };
        Some(Self {
            lo: lo.clone(),
            hi: hi.clone(),
        })
    }

    /// Returns the smallest range that covers both ranges.
    #[must_use]
    pub fn union(&self, datatype: Datatype, other: &Self) -> Self {
        let lo = if at_most(datatype, &self.lo, &other.lo) {
            &self.lo
        } else {
            &other.lo
        };
        let hi = if at_most(datatype, &other.hi, &self.hi) {
            &self.hi
        } else {
            &other.hi
        };
        Self {
            lo: lo.clone(),
            hi: hi.clone(),
        }
    }
}

fn at_most(datatype: Datatype, a: &[u8], b: &[u8]) -> bool {
    matches!(
        datatype.compare(a, b),
        Some(Ordering::Less | Ordering::Equal)
    )
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Range({:02x?}..={:02x?})", &self.lo[..], &self.hi[..])
    }
}
