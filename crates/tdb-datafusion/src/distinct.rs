//! Accumulator over the distinct values of a column, each folded once.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem::size_of;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use datafusion::common::{Result, ScalarValue, internal_datafusion_err};
use datafusion::logical_expr::Accumulator;

use crate::groups::{Fold, Native};

/// Number of occurrences of each value.
#[derive(Debug)]
pub(crate) struct DistinctValues<F: Fold> {
    times: HashMap<Native<F::Value>, u64>,
}

impl<F: Fold> Default for DistinctValues<F> {
    fn default() -> Self {
        Self {
            times: HashMap::new(),
        }
    }
}

impl<F: Fold> DistinctValues<F>
where
    Native<F::Value>: Hash + Eq,
{
    fn add(&mut self, column: &ArrayRef) -> Result<()> {
        for value in values::<F::Value>(column)? {
            let times = self.times.entry(value).or_insert(0);
            *times += 1;
        }
        Ok(())
    }
}

fn values<T: ArrowPrimitiveType>(column: &ArrayRef) -> Result<Vec<Native<T>>> {
    let column = column
        .as_primitive_opt::<T>()
        .ok_or_else(|| internal_datafusion_err!("values of another type"))?;
    Ok(column.iter().flatten().collect())
}

fn first(columns: &[ArrayRef]) -> Result<&ArrayRef> {
    let first = columns.first();
    first.ok_or_else(|| internal_datafusion_err!("an aggregate without a column"))
}

impl<F: Fold> Accumulator for DistinctValues<F>
where
    Native<F::Value>: Hash + Eq,
{
    fn update_batch(&mut self, columns: &[ArrayRef]) -> Result<()> {
        self.add(first(columns)?)
    }

    fn retract_batch(&mut self, columns: &[ArrayRef]) -> Result<()> {
        for value in values::<F::Value>(first(columns)?)? {
            let times = self.times.get(&value).copied();
            match times.and_then(|times| times.checked_sub(1)) {
                None | Some(0) => self.times.remove(&value),
                Some(left) => self.times.insert(value, left),
            };
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let lists = first(states)?
            .as_list_opt::<i32>()
            .ok_or_else(|| internal_datafusion_err!("no lists of values"))?;
        lists.iter().flatten().try_for_each(|list| self.add(&list))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let value_type = F::Value::DATA_TYPE;
        let values = self
            .times
            .keys()
            .map(|value| ScalarValue::new_primitive::<F::Value>(Some(*value), &value_type))
            .collect::<Result<Vec<_>>>()?;
        let list = ScalarValue::new_list_nullable(&values, &value_type);
        Ok(vec![ScalarValue::List(list)])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut kept = F::START;
        for value in self.times.keys() {
            F::add(&mut kept, *value);
        }
        let result = (!self.times.is_empty())
            .then(|| F::result(kept))
            .transpose()?;
        ScalarValue::new_primitive::<F::Value>(result, &F::Value::DATA_TYPE)
    }

    fn size(&self) -> usize {
        let each = size_of::<(Native<F::Value>, u64)>();
        self.times.capacity() * each
    }
}
