//! Numbers of all types, and what some of them come to.

/// A number of any type, without loss.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) enum Number {
    Whole(i128),
    /// Of a float of 32 or of 64 bits.
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

/// What some numbers add to a state.
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
    pub(crate) fn add(&mut self, value: Number) {
        match value {
            // Fewer than 2^64 numbers of 64 bits fit.
            Number::Whole(value) => self.whole = self.whole.saturating_add(value),
            Number::Float(value) => self.float += value,
        }
        // NaN is no least and no greatest value: no comparison holds for it.
        let is_nan = matches!(value, Number::Float(value) if value.is_nan());
        if !is_nan && self.least.is_none_or(|least| value < least) {
            self.least = Some(value);
        }
        if !is_nan && self.greatest.is_none_or(|greatest| value > greatest) {
            self.greatest = Some(value);
        }
    }
}
