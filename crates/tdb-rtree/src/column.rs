use std::cmp::Ordering;

use bytes::Bytes;
use tdb_tile::{Datatype, Range, Scalar, with_scalar};

use crate::DimensionType;

/// The ranges of one dimension for all nodes of a level, with lower and upper ends in separate
/// arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    /// Little-endian numbers, stored back to back.
    Fixed {
        datatype: Datatype,
        lo: Vec<u8>,
        hi: Vec<u8>,
    },
    /// Strings of any length.
    Var { lo: Strings, hi: Strings },
}

/// Strings stored back to back in one buffer, with the end of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strings {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Strings {
    pub(crate) fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
    }

    pub(crate) fn get(&self, index: usize) -> Option<&[u8]> {
        let start = match index.checked_sub(1) {
            None => 0,
            Some(before) => *self.ends.get(before)?,
        };
        self.bytes.get(start..*self.ends.get(index)?)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        // Cannot panic: ends never decrease, and the last is the length of `bytes`.
        let value = |(start, &end)| self.bytes.split_at(end).0.split_at(start).1;
        starts.zip(&self.ends).map(value)
    }
}

impl Column {
    pub(crate) fn new(dimension: DimensionType) -> Self {
        if dimension.is_var {
            Self::Var {
                lo: Strings::default(),
                hi: Strings::default(),
            }
        } else {
            Self::Fixed {
                datatype: dimension.datatype,
                lo: Vec::new(),
                hi: Vec::new(),
            }
        }
    }

    /// Returns both ends of the range of one node; `None` if there is no such node.
    pub(crate) fn ends(&self, index: usize) -> Option<(&[u8], &[u8])> {
        match self {
            Self::Fixed { datatype, lo, hi } => {
                let size = datatype.size();
                let start = index.checked_mul(size)?;
                let end = start.checked_add(size)?;
                Some((lo.get(start..end)?, hi.get(start..end)?))
            }
            Self::Var { lo, hi } => Some((lo.get(index)?, hi.get(index)?)),
        }
    }

    /// Returns the number of nodes; `None` if the numbers of lower and upper ends differ.
    pub(crate) fn len(&self) -> Option<usize> {
        let (lo, hi) = match self {
            Self::Fixed { datatype, lo, hi } => {
                let size = datatype.size();
                (lo.len().checked_div(size)?, hi.len().checked_div(size)?)
            }
            Self::Var { lo, hi } => (lo.ends.len(), hi.ends.len()),
        };
        (lo == hi).then_some(lo)
    }

    pub(crate) fn get(&self, index: usize) -> Option<Range> {
        let (lo, hi) = self.ends(index)?;
        Some(Range::new(
            Bytes::copy_from_slice(lo),
            Bytes::copy_from_slice(hi),
        ))
    }

    /// Appends a range; the caller has checked the size of its ends.
    pub(crate) fn push(&mut self, low: &[u8], high: &[u8]) {
        match self {
            Self::Fixed { lo, hi, .. } => {
                lo.extend_from_slice(low);
                hi.extend_from_slice(high);
            }
            Self::Var { lo, hi } => {
                lo.push(low);
                hi.push(high);
            }
        }
    }

    /// Returns the column of the level above: the unions of each `fanout` consecutive ranges.
    pub(crate) fn parents(&self, fanout: usize) -> Self {
        match self {
            Self::Fixed { datatype, lo, hi } => with_scalar!(*datatype, T => Self::Fixed {
                datatype: *datatype,
                lo: extremes::<T>(lo, fanout, Ordering::Less),
                hi: extremes::<T>(hi, fanout, Ordering::Greater),
            }),
            Self::Var { lo, hi } => Self::Var {
                lo: string_extremes(lo, fanout, Ordering::Less),
                hi: string_extremes(hi, fanout, Ordering::Greater),
            },
        }
    }
}

/// Returns the minimum (`Ordering::Less`) or maximum (`Ordering::Greater`) of each `fanout`
/// consecutive values.
fn extremes<T: Scalar>(values: &[u8], fanout: usize, wanted: Ordering) -> Vec<u8> {
    let mut out = Vec::new();
    let mut values = T::read_all(values);
    let better = |best: T, value: T| {
        if value.partial_cmp(&best) == Some(wanted) {
            value
        } else {
            best
        }
    };
    while let Some(best) = values.by_ref().take(fanout).reduce(better) {
        best.write(&mut out);
    }
    out
}

fn string_extremes(values: &Strings, fanout: usize, wanted: Ordering) -> Strings {
    let mut out = Strings::default();
    let mut best: Option<&[u8]> = None;
    for (index, value) in values.iter().enumerate() {
        best = match best {
            Some(best) if !index.is_multiple_of(fanout) => Some(if value.cmp(best) == wanted {
                value
            } else {
                best
            }),
            complete => {
                complete.into_iter().for_each(|best| out.push(best));
                Some(value)
            }
        };
    }
    if let Some(best) = best {
        out.push(best);
    }
    out
}
