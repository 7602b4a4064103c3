//! Numbers of all types, and partial aggregates of them.

/// A number of any type, represented exactly.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) enum Number {
    Whole(i128),
    /// A float of 32 or 64 bits.
    Float(f64),
}

macro_rules! number_of {
    ($($whole:ty),*) => {$(
        impl From<$whole> for Number {
            fn from(value: $whole) -> Self {
                Self::Whole(value.into())
            }
        }
    )*};
}

number_of!(i8, i16, i32, i64, u8, u16, u32, u64);

impl From<f32> for Number {
    fn from(value: f32) -> Self {
        Self::Float(value.into())
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

/// The aggregates of some numbers, to be added to a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) count: u64,
    pub(crate) nulls: u64,
    pub(crate) whole: i128,
    pub(crate) float: f64,
    pub(crate) least: Option<Number>,
    pub(crate) greatest: Option<Number>,
}

impl Part {
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "it would need 2^64 numbers of 64 bits"
    )]
    pub(crate) fn add(&mut self, value: Number) {
        match value {
            Number::Whole(value) => self.whole += value,
            Number::Float(value) => self.float += value,
        }
        // NaN is neither minimum nor maximum, since all comparisons with it are false.
        let is_nan = matches!(value, Number::Float(value) if value.is_nan());
        if !is_nan && self.least.is_none_or(|least| value < least) {
            self.least = Some(value);
        }
        if !is_nan && self.greatest.is_none_or(|greatest| value > greatest) {
            self.greatest = Some(value);
        }
    }
}
