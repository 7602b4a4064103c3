//! Histograms: the number of cells of a field in each of several equal intervals.

use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::{Column, FieldInfo, Session};
use tdb_query::{ReadOptions, Reader};
use tdb_schema::value::{Value, holds_bytes, read};
use tdb_tile::{Bug, Datatype};

use crate::accumulator::is_time;
use crate::aggregate::{aggregate, read_options};
use crate::read_field::read_field;
use crate::{Aggregate, AggregateError, Function, Outcome};

/// Maximum number of intervals.
const MOST_BINS: usize = 1 << 16;

/// The distribution of a field's values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Histogram {
    /// The datatype of the bounds: that of the field, but `float64` for all floats.
    pub datatype: Datatype,
    /// Intervals of equal width, ascending; empty if there are no values.
    pub bins: Vec<Bin>,
    /// The number of null cells.
    pub nulls: u64,
    /// The number of cells with NaN or NaT.
    pub others: u64,
}

/// An interval of a histogram.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bin {
    /// The smallest value of the interval, in the stored form of [`Histogram::datatype`].
    pub low: Vec<u8>,
    /// The greatest value of the interval. For floats, the upper bound, which belongs to the next interval unless this
    /// is the last.
    pub high: Vec<u8>,
    /// The number of cells with a value in the interval.
    pub cells: u64,
}

/// Counts the cells of a read by their value in a field, in at most `bins` intervals of equal width from the minimum
/// to the maximum.
///
/// # Errors
/// A field whose cells are not single numbers, dates or times; infinite values; zero or too many bins; errors of
/// reading.
pub fn histogram(
    session: &Session,
    array: &Arc<Array>,
    options: &ReadOptions,
    field: &str,
    bins: usize,
) -> Result<Histogram, AggregateError> {
    if !(1..=MOST_BINS).contains(&bins) {
        return Err(AggregateError::Bins { most: MOST_BINS });
    }
    let asked = read_options(array.schema(), options, &[field])?;
    let reader = Reader::open(session, array, &asked)?;
    let info = read_field(&reader, field)?;
    if info.enumeration.is_some() {
        return Err(AggregateError::Labels {
            function: "histogram",
            field: info.name,
        });
    }
    if holds_bytes(info.datatype) {
        return Err(AggregateError::Unfit {
            function: "histogram",
            field: info.name,
            datatype: info.datatype,
            is_list: false,
        });
    }
    let ends = [Function::Min, Function::Max].map(|function| Aggregate::of(function, field));
    let found = aggregate(session, array, options, &ends, &[])?;
    let values = found.groups.first().map(|group| &group.values[..]);
    let scale = match values {
        Some([Outcome::Value(datatype, low), Outcome::Value(_, high)]) => {
            Some(Scale::new(*datatype, low, high, bins, &info)?)
        }
        _ => None,
    };
    let mut counts = Counts {
        cells: vec![0; scale.as_ref().map_or(0, Scale::bins)],
        ..Counts::default()
    };
    for batch in reader {
        let batch = batch?;
        let column = batch
            .column(field)
            .ok_or_else(|| Bug::new("a field that was asked for is not read"))?;
        counts.add(column, batch.rows, scale.as_ref())?;
    }
    let ends = scale.as_ref().map_or(Vec::new(), Scale::ends);
    let bins = ends
        .into_iter()
        .zip(counts.cells)
        .map(|((low, high), cells)| Bin { low, high, cells });
    Ok(Histogram {
        datatype: if info.datatype.is_real() {
            Datatype::Float64
        } else {
            info.datatype
        },
        bins: bins.collect(),
        nulls: counts.nulls,
        others: counts.others,
    })
}

#[derive(Debug, Default)]
struct Counts {
    cells: Vec<u64>,
    nulls: u64,
    others: u64,
}

impl Counts {
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are fewer than 2^64 cells, whose values have 64 bits each"
    )]
    fn add(&mut self, column: &Column, rows: usize, scale: Option<&Scale>) -> Result<(), Bug> {
        for row in 0..rows {
            if !column.is_valid(row) {
                self.nulls += 1;
                continue;
            }
            let cell = column
                .cell(row)
                .ok_or_else(|| Bug::new("a column has fewer cells than its batch"))?;
            let bin = scale.and_then(|scale| scale.bin(column.datatype, cell));
            let place = match bin {
                Some(bin) => self.cells.get_mut(bin),
                None => Some(&mut self.others),
            }
            .ok_or_else(|| Bug::new("a value beyond the greatest of all"))?;
            *place += 1;
        }
        Ok(())
    }
}

/// The division of the values into intervals.
#[derive(Debug)]
enum Scale {
    /// Intervals of integers, dates and times.
    Whole {
        datatype: Datatype,
        low: i128,
        high: i128,
        width: i128,
        bins: usize,
    },
    Float {
        /// The lower bounds of all intervals, then the upper bound of the last one.
        ends: Vec<f64>,
    },
}

/// A number of any datatype, widened.
enum Number {
    Whole(i128),
    Float(f64),
}

fn number(datatype: Datatype, cell: &[u8]) -> Option<Number> {
    Some(match read(datatype, cell)?.as_ticks() {
        Value::Signed(value) => Number::Whole(value.into()),
        Value::Unsigned(value) => Number::Whole(value.into()),
        Value::Bool(_) => Number::Whole((*cell.first()?).into()),
        Value::Float32(value) => Number::Float(value.into()),
        Value::Float64(value) => Number::Float(value),
        _ => return None,
    })
}

#[expect(
    clippy::arithmetic_side_effects,
    reason = "numbers of 64 bits in 128, and numbers of bins, which are few"
)]
impl Scale {
    fn new(
        datatype: Datatype,
        low: &[u8],
        high: &[u8],
        bins: usize,
        field: &FieldInfo,
    ) -> Result<Self, AggregateError> {
        match (number(datatype, low), number(datatype, high)) {
            (Some(Number::Whole(low)), Some(Number::Whole(high))) => {
                let count = bins as i128;
                let width = ((high - low) / count + 1).max(1);
                let needed = usize::try_from((high - low) / width + 1);
                let bins = needed.map_err(|_| Bug::new("more bins than were asked for"))?;
                Ok(Self::Whole {
                    datatype,
                    low,
                    high,
                    width,
                    bins,
                })
            }
            (Some(Number::Float(low)), Some(Number::Float(high))) => {
                if !(high - low).is_finite() {
                    let field = field.name.clone();
                    return Err(AggregateError::Infinite { field });
                }
                let bins = if low < high { bins } else { 1 };
                let inner = (1..bins).map(|bin| low + (high - low) * (bin as f64 / bins as f64));
                let ends = std::iter::once(low).chain(inner).chain([high]).collect();
                Ok(Self::Float { ends })
            }
            _ => Err(Bug::new("a least value that is no number").into()),
        }
    }

    fn bins(&self) -> usize {
        match self {
            Self::Whole { bins, .. } => *bins,
            Self::Float { ends } => ends.len() - 1,
        }
    }

    /// Returns the index of the interval that contains a value; `None` for NaN and NaT.
    fn bin(&self, datatype: Datatype, cell: &[u8]) -> Option<usize> {
        match (self, number(datatype, cell)?) {
            (Self::Whole { low, width, .. }, Number::Whole(value)) => {
                // NaT is less than the minimum.
                let is_none = is_time(datatype) && value == i128::from(i64::MIN);
                usize::try_from((value - low) / width)
                    .ok()
                    .filter(|_| !is_none)
            }
            // Not computed by division, which could be rounded differently from the returned bounds.
            (Self::Float { ends }, Number::Float(value)) if !value.is_nan() => {
                let begun = ends.partition_point(|end| *end <= value);
                begun.checked_sub(1).map(|bin| bin.min(self.bins() - 1))
            }
            _ => None,
        }
    }

    /// Returns the lower and the upper bound of each interval.
    fn ends(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        match self {
            Self::Whole {
                datatype,
                low,
                high,
                width,
                bins,
            } => {
                let stored = |value: i128| {
                    let bytes = value.to_le_bytes();
                    bytes.iter().take(datatype.size()).copied().collect()
                };
                let firsts = (0..*bins).map(|bin| low + bin as i128 * width);
                let ends =
                    firsts.map(|first| (stored(first), stored((first + width - 1).min(*high))));
                ends.collect()
            }
            Self::Float { ends } => {
                let stored = |end: &f64| end.to_le_bytes().to_vec();
                let ends = ends.iter().zip(ends.iter().skip(1));
                ends.map(|(low, high)| (stored(low), stored(high)))
                    .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tdb_schema::{CellValNum, FieldKind};
    use tdb_tile::Scalar;

    use super::*;

    #[test]
    fn a_value_lies_between_the_ends_of_its_interval() {
        let datatype = Datatype::Float64;
        let field = FieldInfo {
            name: "a".to_owned(),
            datatype,
            cell_val_num: CellValNum::Fixed(1),
            nullable: false,
            enumeration: None,
            field: FieldKind::Attribute(0),
        };
        let tenths = |number: i32| f64::from(number) / 10.0;
        for bins in 1..100 {
            let (low, high) = (tenths(-39), tenths(40));
            let scale = Scale::new(
                datatype,
                &low.to_le_bytes(),
                &high.to_le_bytes(),
                bins,
                &field,
            );
            let scale = scale.expect("finite");
            for value in (-39..=40).map(tenths) {
                let bin = scale.bin(datatype, &value.to_le_bytes()).expect("a number");
                let (from, to) = scale.ends().swap_remove(bin);
                let (from, to) = (
                    f64::read(&from).expect("low"),
                    f64::read(&to).expect("high"),
                );
                let is_last = bin + 1 == scale.bins();
                assert!(
                    from <= value && (value < to || is_last && value <= to),
                    "{value} in {from} .. {to}, number {bin} of {bins}"
                );
            }
        }
    }
}
