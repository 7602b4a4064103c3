//! Accumulators of aggregates that fold numbers into one, for all rows or for each group.

use std::fmt::Debug;
use std::mem::size_of;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray};
use arrow_schema::DataType;
use datafusion::arrow::buffer::NullBuffer;
use datafusion::common::{Result, ScalarValue, internal_datafusion_err, internal_err};
use datafusion::logical_expr::{Accumulator, EmitTo, GroupsAccumulator};

/// Rust type of an Arrow value.
pub(crate) type Native<T> = <T as ArrowPrimitiveType>::Native;

/// Rule for folding values of one type.
pub(crate) trait Fold: Debug + Send + Sync + 'static {
    /// Type of the values and of the result.
    type Value: ArrowPrimitiveType + Debug;
    /// Type of the state, which a partial aggregate sends to the final one.
    type Kept: ArrowPrimitiveType + Debug;
    /// Initial state.
    const START: Native<Self::Kept>;

    /// Returns the Arrow type of the state.
    fn kept_type() -> DataType;

    fn add(kept: &mut Native<Self::Kept>, value: Native<Self::Value>);

    fn merge(kept: &mut Native<Self::Kept>, other: Native<Self::Kept>);

    /// Removes a value that was added, if that is possible.
    fn retract(kept: &mut Native<Self::Kept>, value: Native<Self::Value>) -> Result<()>;

    /// Returns the result. Fails if it does not fit its type.
    fn result(kept: Native<Self::Kept>) -> Result<Native<Self::Value>>;

    /// Returns the state of values of which none is null.
    fn of_all(values: &[Native<Self::Value>]) -> Native<Self::Kept> {
        let mut kept = Self::START;
        for value in values {
            Self::add(&mut kept, *value);
        }
        kept
    }
}

fn column<T: ArrowPrimitiveType>(columns: &[ArrayRef]) -> Result<&PrimitiveArray<T>> {
    let column = columns.first().and_then(|column| column.as_primitive_opt());
    column.ok_or_else(|| internal_datafusion_err!("a column of another type than is folded"))
}

/// State over all rows.
#[derive(Debug)]
pub(crate) struct OfAll<F: Fold> {
    kept: Native<F::Kept>,
    /// Number of values that were added and, in the final aggregate, of states that were merged.
    values: u64,
}

impl<F: Fold> Default for OfAll<F> {
    fn default() -> Self {
        Self {
            kept: F::START,
            values: 0,
        }
    }
}

impl<F: Fold> Accumulator for OfAll<F> {
    fn update_batch(&mut self, columns: &[ArrayRef]) -> Result<()> {
        let column = column::<F::Value>(columns)?;
        let valid = column.len() - column.null_count();
        self.values += valid as u64;
        if column.null_count() == 0 {
            F::merge(&mut self.kept, F::of_all(column.values()));
        } else {
            for value in column.iter().flatten() {
                F::add(&mut self.kept, value);
            }
        }
        Ok(())
    }

    fn retract_batch(&mut self, columns: &[ArrayRef]) -> Result<()> {
        for value in column::<F::Value>(columns)?.iter().flatten() {
            F::retract(&mut self.kept, value)?;
            self.values -= 1;
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        F::retract(&mut F::START.clone(), Native::<F::Value>::default()).is_ok()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for other in column::<F::Kept>(states)?.iter().flatten() {
            F::merge(&mut self.kept, other);
            self.values += 1;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let kept = (self.values > 0).then_some(self.kept);
        let kept = PrimitiveArray::<F::Kept>::from_iter([kept]).with_data_type(F::kept_type());
        Ok(vec![ScalarValue::try_from_array(&kept, 0)?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let result = (self.values > 0)
            .then(|| F::result(self.kept))
            .transpose()?;
        ScalarValue::new_primitive::<F::Value>(result, &F::Value::DATA_TYPE)
    }

    fn size(&self) -> usize {
        size_of::<Self>()
    }
}

/// State of each group.
#[derive(Debug)]
pub(crate) struct OfGroups<F: Fold> {
    kept: Vec<Native<F::Kept>>,
    /// Whether each group has a value that is not null.
    is_any: Vec<bool>,
}

impl<F: Fold> Default for OfGroups<F> {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            is_any: Vec::new(),
        }
    }
}

impl<F: Fold> OfGroups<F> {
    /// Folds the values of a column into their groups.
    fn fold<T: ArrowPrimitiveType>(
        &mut self,
        column: &PrimitiveArray<T>,
        groups: &[usize],
        count: usize,
        add: impl Fn(&mut Native<F::Kept>, Native<T>),
    ) -> Result<()> {
        self.kept.resize(count, F::START);
        self.is_any.resize(count, false);
        let mut fold = |group: usize, value| {
            let (Some(kept), Some(is_any)) = (self.kept.get_mut(group), self.is_any.get_mut(group))
            else {
                return internal_err!("group {group} of {count}");
            };
            add(kept, value);
            *is_any = true;
            Ok(())
        };
        let mut pairs = groups.iter().zip(column.values());
        match column.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => pairs.try_for_each(|(group, value)| fold(*group, *value)),
            Some(nulls) => pairs
                .zip(nulls)
                .filter(|(_, is_valid)| *is_valid)
                .try_for_each(|((group, value), _)| fold(*group, *value)),
        }
    }

    fn take(&mut self, emit: EmitTo) -> (Vec<Native<F::Kept>>, NullBuffer) {
        let kept = emit.take_needed(&mut self.kept);
        (kept, emit.take_needed(&mut self.is_any).into())
    }
}

/// Returns the column with null for the cells that a filter excludes.
fn filtered<T: ArrowPrimitiveType>(
    column: &PrimitiveArray<T>,
    filter: Option<&BooleanArray>,
) -> Result<PrimitiveArray<T>> {
    let Some(filter) = filter else {
        return Ok(column.clone());
    };
    let taken = filter.iter().map(|is_taken| is_taken == Some(true));
    let nulls = NullBuffer::union(column.nulls(), Some(&NullBuffer::from_iter(taken)));
    Ok(PrimitiveArray::try_new(column.values().clone(), nulls)?
        .with_data_type(column.data_type().clone()))
}

impl<F: Fold> GroupsAccumulator for OfGroups<F> {
    fn update_batch(
        &mut self,
        columns: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        let column = filtered(column::<F::Value>(columns)?, filter)?;
        self.fold(&column, groups, count, F::add)
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], count: usize) -> Result<()> {
        self.fold(column::<F::Kept>(states)?, groups, count, F::merge)
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        let (kept, nulls) = self.take(emit);
        let results = kept
            .into_iter()
            .zip(&nulls)
            .map(|(kept, is_any)| is_any.then(|| F::result(kept)).transpose())
            .collect::<Result<PrimitiveArray<F::Value>>>()?;
        Ok(Arc::new(results))
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        let (kept, nulls) = self.take(emit);
        let kept = PrimitiveArray::<F::Kept>::try_new(kept.into(), Some(nulls))?;
        Ok(vec![Arc::new(kept.with_data_type(F::kept_type()))])
    }

    fn convert_to_state(
        &self,
        columns: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let column = filtered(column::<F::Value>(columns)?, filter)?;
        let kept = column
            .iter()
            .map(|value| {
                value.map(|value| {
                    let mut kept = F::START;
                    F::add(&mut kept, value);
                    kept
                })
            })
            .collect::<PrimitiveArray<F::Kept>>();
        Ok(vec![Arc::new(kept.with_data_type(F::kept_type()))])
    }

    fn size(&self) -> usize {
        let kept = self.kept.capacity() * size_of::<Native<F::Kept>>();
        kept + self.is_any.capacity()
    }
}
