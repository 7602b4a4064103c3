use std::ops::{Range as HalfOpen, RangeFrom, RangeFull, RangeInclusive, RangeToInclusive};

use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::{Code, Datatype, Range};

use crate::value::{End, extreme};
use crate::{Error, Result, Value};

/// A range of a dimension or label, made from one of Rust's ranges or from a single value.
///
/// ```
/// use tdb_open::Interval;
///
/// let days: Interval = (3..=40).into();
/// let stations: Interval = ("BGN"..="KEF").into();
/// let february: Interval = "2024-02".into(); // of a dimension of dates: all of the month
/// let later: Interval = (3..).into();
/// # drop((days, stations, february, later));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// First value; `None` for an open start.
    pub lo: Option<Value>,
    /// Last value; `None` for an open end.
    pub hi: Option<Value>,
    /// True if `hi` itself is excluded, as in Rust's `a..b`; integers only.
    pub is_half_open: bool,
}

impl Interval {
    /// Creates an interval that includes both ends.
    pub fn new(lo: Option<Value>, hi: Option<Value>) -> Self {
        Self {
            lo,
            hi,
            is_half_open: false,
        }
    }
}

impl<V: Into<Value>> From<RangeInclusive<V>> for Interval {
    fn from(range: RangeInclusive<V>) -> Self {
        let (lo, hi) = range.into_inner();
        Self::new(Some(lo.into()), Some(hi.into()))
    }
}

impl<V: Into<Value>> From<HalfOpen<V>> for Interval {
    fn from(range: HalfOpen<V>) -> Self {
        Self {
            is_half_open: true,
            ..Self::new(Some(range.start.into()), Some(range.end.into()))
        }
    }
}

impl<V: Into<Value>> From<RangeFrom<V>> for Interval {
    fn from(range: RangeFrom<V>) -> Self {
        Self::new(Some(range.start.into()), None)
    }
}

impl<V: Into<Value>> From<RangeToInclusive<V>> for Interval {
    fn from(range: RangeToInclusive<V>) -> Self {
        Self::new(None, Some(range.end.into()))
    }
}

impl From<RangeFull> for Interval {
    fn from(_: RangeFull) -> Self {
        Self::new(None, None)
    }
}

impl From<Value> for Interval {
    fn from(value: Value) -> Self {
        Self::new(Some(value.clone()), Some(value))
    }
}

macro_rules! interval_of {
    ($($native:ty),*) => {$(
        impl From<$native> for Interval {
            fn from(value: $native) -> Self {
                Value::from(value).into()
            }
        }
    )*};
}

interval_of!(
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    i128,
    usize,
    f32,
    f64,
    &str,
    String,
    &[u8],
    Vec<u8>
);

/// The dimension or label that an interval is a range of.
#[derive(Clone, Copy, Debug)]
pub struct Axis<'a> {
    /// Name of the dimension or label.
    pub name: &'a str,
    /// Datatype of its values.
    pub datatype: Datatype,
    /// Number of values per cell.
    pub cell_val_num: CellValNum,
    /// Bounds that replace open ends; `None` for the limits of the datatype.
    pub bounds: Option<&'a Range>,
}

impl<'a> Axis<'a> {
    /// Returns the axis of a dimension.
    ///
    /// # Errors
    /// Fails if no dimension has this name.
    pub fn dimension(schema: &'a ArraySchema, name: &str) -> Result<Self> {
        let index = schema.dimension_index(name);
        let found =
            index.and_then(|index| Some((schema.dimensions.get(index)?, schema.bounds(index))));
        let Some((dimension, bounds)) = found else {
            let known = schema.dimensions.iter().map(|d| d.name.as_str());
            return Err(UnknownName::new("dimension", name, known).into());
        };
        Ok(Self {
            name: &dimension.name,
            datatype: dimension.datatype,
            cell_val_num: dimension.cell_val_num,
            bounds,
        })
    }

    /// Returns the axis of a label.
    ///
    /// # Errors
    /// Fails if no label has this name.
    pub fn label(schema: &'a ArraySchema, name: &str) -> Result<Self> {
        let Some(label) = schema.labels.iter().find(|label| label.name == name) else {
            let known = schema.labels.iter().map(|label| label.name.as_str());
            return Err(UnknownName::new("label", name, known).into());
        };
        Ok(Self {
            name: &label.name,
            datatype: label.datatype,
            cell_val_num: label.cell_val_num,
            bounds: None,
        })
    }

    /// Converts the interval to stored values of the datatype. With `ticks`, dates and times in text are raw numbers.
    ///
    /// # Errors
    /// Fails if an end is not a value of the datatype.
    pub fn range(self, interval: &Interval, ticks: bool) -> Result<Range> {
        let what = format!("range of {:?}", self.name);
        let lo = match &interval.lo {
            Some(value) => value.end(self.datatype, End::Low, ticks, &what)?,
            None => self.open_end(End::Low),
        };
        let hi = match &interval.hi {
            Some(value) if interval.is_half_open => {
                self.last_before(value)?
                    .end(self.datatype, End::High, ticks, &what)?
            }
            Some(value) => value.end(self.datatype, End::High, ticks, &what)?,
            None => self.open_end(End::High),
        };
        Ok(Range::new(lo, hi))
    }

    /// Returns the value before an excluded end.
    fn last_before(self, value: &Value) -> Result<Value> {
        let is_whole = !self.datatype.is_real() && !self.cell_val_num.is_var();
        match value {
            Value::Integer(number) if is_whole => Ok(Value::Integer(number.saturating_sub(1))),
            _ => {
                let (name, datatype) = (self.name, self.datatype.name());
                let what = format!(
                    "range of {name:?}: a..b excludes b, which is not supported for {datatype}"
                );
                Err(Error::invalid(what).with_hint("write a..=b, which includes both ends"))
            }
        }
    }

    fn open_end(self, end: End) -> Vec<u8> {
        match (self.bounds, end) {
            (Some(bounds), End::High) => bounds.hi.to_vec(),
            (Some(bounds), End::Low) => bounds.lo.to_vec(),
            (None, _) => extreme(self.datatype, end == End::High),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Axis<'_> = Axis {
        name: "day",
        datatype: Datatype::Int8,
        cell_val_num: CellValNum::Fixed(1),
        bounds: None,
    };

    fn ends(interval: impl Into<Interval>) -> (i8, i8) {
        let range = DAY.range(&interval.into(), false).expect("a range");
        range.ends().expect("two numbers")
    }

    #[test]
    fn the_field_says_the_type_of_ends() {
        assert_eq!(ends(3..=40), (3, 40));
        assert_eq!(ends(3..40), (3, 39));
        assert_eq!(ends(3_u64..), (3, i8::MAX));
        assert_eq!(ends(..=40.0), (i8::MIN, 40));
        assert_eq!(ends("7"), (7, 7));
        assert_eq!(ends(..), (i8::MIN, i8::MAX));
    }

    #[test]
    fn whole_numbers_beyond_the_type_are_its_ends() {
        assert_eq!(ends(-1000..=1000), (i8::MIN, i8::MAX));
    }

    #[test]
    fn ends_that_fit_no_value_are_refused() {
        let error = |interval: Interval| DAY.range(&interval, false).expect_err("no range");
        assert_eq!(
            error((0.5..=2.0).into()).to_string(),
            "range of \"day\": \"0.5\" is not a valid int8"
        );
        assert_eq!(
            error((&b"ab"[..]).into()).to_string(),
            "range of \"day\": got a string of 2 bytes, expected int8"
        );
        let date = Axis {
            datatype: Datatype::Float32,
            ..DAY
        };
        let error = date.range(&(0.0..1.0).into(), false).expect_err("open");
        assert_eq!(error.hint(), Some("write a..=b, which includes both ends"));
    }
}
