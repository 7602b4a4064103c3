//! Conversions from Rust values to literals.

use tdb_schema::value::Moment;

use crate::Literal;

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl From<$t> for Literal {
            fn from(value: $t) -> Self {
                Self::Integer(value.into())
            }
        }
    )*};
}

integers!(i8, u8, i16, u16, i32, u32, i64, u64, i128);

impl From<f32> for Literal {
    fn from(value: f32) -> Self {
        Self::Float(value.into())
    }
}

impl From<f64> for Literal {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<bool> for Literal {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Literal {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Literal {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&[u8]> for Literal {
    fn from(value: &[u8]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

impl From<Vec<u8>> for Literal {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl From<Moment> for Literal {
    fn from(value: Moment) -> Self {
        Self::Moment(value)
    }
}
