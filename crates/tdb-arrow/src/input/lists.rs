//! Converts Arrow lists into cells of several values.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use bytes::Bytes;

use super::numbers::{NumberConverter, dated};
use super::wrong::RowProblem;

/// Lists: all values, and the start of each list.
#[derive(Debug)]
pub(super) struct Lists {
    values: ArrayRef,
    starts: Vec<usize>,
}

impl Lists {
    pub(super) fn of(array: &ArrayRef) -> Result<Self, RowProblem> {
        Ok(match array.data_type() {
            DataType::List(_) => Self::of_list(array.as_list::<i32>())?,
            DataType::LargeList(_) => Self::of_list(array.as_list::<i64>())?,
            _ => {
                let lists = array.as_fixed_size_list();
                let len = usize::try_from(lists.value_length())
                    .map_err(|_| (0, "a list of a negative length".to_owned()))?;
                let starts = (0..=lists.len()).map(|row| row * len);
                Self {
                    values: lists.values().clone(),
                    starts: starts.collect(),
                }
            }
        })
    }

    fn of_list<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> Result<Self, RowProblem> {
        let offsets = lists.value_offsets();
        let first = offsets.first().map_or(0, |first| first.as_usize());
        let starts: Vec<usize> = offsets
            .iter()
            .enumerate()
            .map(|(row, offset)| {
                let start = offset.as_usize().checked_sub(first);
                start.ok_or_else(|| (row, "a list that begins before the first one".to_owned()))
            })
            .collect::<Result<_, _>>()?;
        let len = starts.last().copied().unwrap_or(0);
        Ok(Self {
            values: lists.values().slice(first, len),
            starts,
        })
    }

    /// The row that a value belongs to.
    fn row(&self, value: usize) -> usize {
        self.starts.partition_point(|start| *start <= value) - 1
    }

    pub(super) fn values(
        &self,
        numbers: &NumberConverter,
        rows: Option<&NullBuffer>,
    ) -> Result<Bytes, RowProblem> {
        let nulls = self
            .values
            .logical_nulls()
            .filter(|nulls| nulls.null_count() > 0);
        let values = numbers
            .values(&self.values, nulls.as_ref())
            .map_err(|(value, what)| (self.row(value), what))?;
        let Some(nulls) = nulls else {
            return Ok(values);
        };
        if numbers.is_time() {
            return Ok(dated(&values, &nulls));
        }
        let counts = |value: &usize| {
            let row = self.row(*value);
            nulls.is_null(*value) && rows.is_none_or(|rows| rows.is_valid(row))
        };
        match (0..nulls.len()).find(counts) {
            Some(value) => Err((self.row(value), "null within a list".to_owned())),
            None => Ok(values),
        }
    }

    /// The values of lists that must all have this length, except null ones.
    pub(super) fn of_count(
        &self,
        values: Bytes,
        count: usize,
        size: usize,
        nulls: Option<&NullBuffer>,
    ) -> Result<Bytes, RowProblem> {
        let lists = || {
            self.starts.windows(2).map(|ends| match ends {
                [start, end] => *start..*end,
                _ => 0..0,
            })
        };
        if lists().all(|list| list.len() == count) {
            return Ok(values);
        }
        let mut all = Vec::new();
        for (row, list) in lists().enumerate() {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                all.resize(all.len() + count * size, 0);
                continue;
            }
            if list.len() != count {
                let wrong = format!("{} values, and a cell has {count}", list.len());
                return Err((row, wrong));
            }
            let bytes = list.start * size..list.end * size;
            let cell = values.get(bytes);
            let outside = || (row, "a list that ends behind its values".to_owned());
            all.extend_from_slice(cell.ok_or_else(outside)?);
        }
        Ok(all.into())
    }

    pub(super) fn byte_offsets(&self, size: usize) -> Bytes {
        let offsets = self.starts.iter().map(|start| (start * size) as u64);
        offsets.flat_map(u64::to_le_bytes).collect()
    }
}
