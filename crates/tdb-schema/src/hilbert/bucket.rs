use tdb_tile::{Datatype, Scalar, with_scalar};

use crate::Dimension;
use crate::coordinate::Coordinate;
use crate::hilbert::curve::low_bits;
use crate::order::{Column, WriterRule};

/// The mapping from the coordinates of one dimension to buckets.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    Number {
        datatype: Datatype,
        lo: f64,
        hi: f64,
        /// The divisor of the distance from the start of the domain.
        span: f64,
        /// The number of the last bucket.
        last: f64,
    },
    Text {
        bits: u32,
    },
}

impl Axis {
    pub(crate) fn new(dimension: &Dimension, bits: u32, rule: WriterRule) -> Option<Self> {
        if dimension.is_var() {
            return Some(Self::Text { bits });
        }
        let datatype = dimension.datatype;
        let domain = dimension.domain.as_ref()?;
        let (lo, hi) = with_scalar!(datatype, T => {
            let (lo, hi) = domain.ends::<T>()?;
            (lo.to_f64(), hi.to_f64())
        });
        let counts_values = rule == WriterRule::CountsHilbertValues && !datatype.is_real();
        Some(Self::Number {
            datatype,
            lo,
            hi,
            span: if counts_values {
                hi - lo + 1.0
            } else {
                hi - lo
            },
            last: last_bucket(bits),
        })
    }

    /// True if the bytes can be a coordinate: a number of the right size, or any text.
    pub(crate) fn holds(&self, value: &[u8]) -> bool {
        match self {
            Self::Text { .. } => true,
            Self::Number { datatype, .. } => value.len() == datatype.size(),
        }
    }

    /// Returns the bucket of one coordinate.
    pub(crate) fn bucket(&self, value: &[u8]) -> u64 {
        match self {
            Self::Text { bits } => text_bucket(value, *bits),
            Self::Number {
                datatype,
                lo,
                span,
                last,
                ..
            } => {
                // A missing coordinate counts as the start of the domain.
                let value = with_scalar!(*datatype, T => T::read(value).map_or(*lo, T::to_f64));
                number_bucket(value, *lo, *span, *last)
            }
        }
    }

    /// Computes the buckets of cells from `first` on; returns false if a cell is missing or a
    /// coordinate is outside the domain.
    pub(crate) fn fill(&self, column: &Column<'_>, first: usize, out: &mut [u64]) -> bool {
        match (self, column) {
            (Self::Text { bits }, _) => {
                for (bucket, row) in out.iter_mut().zip(first..) {
                    let Some(value) = column.cell(row) else {
                        return false;
                    };
                    *bucket = text_bucket(value, *bits);
                }
                true
            }
            (
                Self::Number {
                    datatype,
                    lo,
                    hi,
                    span,
                    last,
                },
                Column::Fixed(bytes),
            ) => {
                let from = first.checked_mul(datatype.size());
                let Some(bytes) = from.and_then(|from| bytes.get(from..)) else {
                    return false;
                };
                with_scalar!(*datatype, T => fill::<T>(bytes, (*lo, *hi), *span, *last, out))
            }
            (Self::Number { .. }, Column::Var { .. }) => false,
        }
    }

    /// True if different coordinates surely have different buckets; the margins are far wider than
    /// the rounding errors of `f64`.
    pub(crate) fn is_injective(&self) -> bool {
        const EXACT: f64 = (1_u64 << 53) as f64;
        const WIDEST: f64 = (1_u64 << 48) as f64;
        match self {
            Self::Text { .. } => false,
            Self::Number {
                datatype,
                lo,
                hi,
                span,
                last,
            } => {
                !datatype.is_real()
                    && lo.abs() < EXACT
                    && hi.abs() < EXACT
                    && *span < WIDEST
                    && span * 4.0 <= *last
            }
        }
    }
}

fn last_bucket(bits: u32) -> f64 {
    // For a single dimension this rounds up to 2^63, as in TileDB.
    low_bits(bits) as f64
}

#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "cuts the fraction; what is no bucket becomes the nearest one"
)]
fn number_bucket(value: f64, lo: f64, span: f64, last: f64) -> u64 {
    ((value - lo) / span * last) as u64
}

fn fill<T: Coordinate>(
    bytes: &[u8],
    (lo, hi): (f64, f64),
    span: f64,
    last: f64,
    out: &mut [u64],
) -> bool {
    let mut is_inside = true;
    for (bucket, value) in out.iter_mut().zip(bytes.chunks_exact(T::SIZE)) {
        let Some(value) = T::read(value) else {
            return false;
        };
        let value = value.to_f64();
        is_inside &= lo <= value && value <= hi;
        *bucket = number_bucket(value, lo, span, last);
    }
    is_inside
}

/// Returns the bucket of a string, computed from its first eight bytes. Each byte is a *signed*
/// number, so that bytes from 0x80 on set all bits above their own, as in TileDB.
pub(crate) fn text_bucket(value: &[u8], bits: u32) -> u64 {
    let joined = (0..8).fold(0_u64, |joined, i| {
        let byte = value.get(i).copied().unwrap_or(0);
        (joined << 8) | i64::from(byte.cast_signed()).cast_unsigned()
    });
    // The highest bits of the eight bytes, moved to the lowest place.
    joined.rotate_left(bits) & low_bits(bits)
}
