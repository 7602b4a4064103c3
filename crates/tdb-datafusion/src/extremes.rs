//! `min` and `max` of floats with the same result for groups as for all rows.
//!
//! In DataFusion 55.2, those of groups start with the greatest or least finite number, and any value after a NaN
//! replaces it: infinities and NaN, which cells have that were never written, came out as other numbers.

use std::cmp::Ordering;
use std::fmt::Debug;

use arrow_array::types::{Float32Type, Float64Type};
use arrow_schema::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue, not_impl_err};
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, GroupsAccumulator, ReversedUDAF, SetMonotonicity,
    Signature, StatisticsArgs,
};

use crate::groups::{Fold, OfAll, OfGroups};

/// `min` that treats NaN as greater than all numbers.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Least(Min);

/// `max` that treats NaN as greater than all numbers.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Greatest(Max);

#[derive(Debug)]
struct Least32;

#[derive(Debug)]
struct Least64;

#[derive(Debug)]
struct Greatest32;

#[derive(Debug)]
struct Greatest64;

/// Implements a fold of floats that keeps the first value in an order in which the initial state comes last.
macro_rules! extreme {
    ($fold:ident, $value:ident, $native:ident, $start:expr, $replaces:pat) => {
        impl Fold for $fold {
            type Value = $value;
            type Kept = $value;
            const START: $native = $start;

            fn kept_type() -> DataType {
                <$value as arrow_array::types::ArrowPrimitiveType>::DATA_TYPE
            }

            fn add(kept: &mut $native, value: $native) {
                let order = value.is_nan().cmp(&kept.is_nan());
                let order = order.then_with(|| value.total_cmp(kept));
                if matches!(order, $replaces) {
                    *kept = value;
                }
            }

            fn merge(kept: &mut $native, other: $native) {
                Self::add(kept, other);
            }

            fn retract(_: &mut $native, _: $native) -> Result<()> {
                not_impl_err!("what was less before is not known")
            }

            fn result(kept: $native) -> Result<$native> {
                Ok(kept)
            }
        }
    };
}

extreme!(Least32, Float32Type, f32, f32::NAN, Ordering::Less);
extreme!(Least64, Float64Type, f64, f64::NAN, Ordering::Less);
extreme!(
    Greatest32,
    Float32Type,
    f32,
    f32::NEG_INFINITY,
    Ordering::Greater
);
extreme!(
    Greatest64,
    Float64Type,
    f64,
    f64::NEG_INFINITY,
    Ordering::Greater
);

macro_rules! of_floats {
    ($function:ident, $narrow:ident, $wide:ident) => {
        impl AggregateUDFImpl for $function {
            fn name(&self) -> &str {
                self.0.name()
            }

            fn signature(&self) -> &Signature {
                self.0.signature()
            }

            fn return_type(&self, types: &[DataType]) -> Result<DataType> {
                self.0.return_type(types)
            }

            fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
                match args.return_field.data_type() {
                    DataType::Float32 => Ok(Box::new(OfAll::<$narrow>::default())),
                    DataType::Float64 => Ok(Box::new(OfAll::<$wide>::default())),
                    _ => self.0.accumulator(args),
                }
            }

            fn create_sliding_accumulator(
                &self,
                args: AccumulatorArgs<'_>,
            ) -> Result<Box<dyn Accumulator>> {
                self.0.create_sliding_accumulator(args)
            }

            fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
                self.0.state_fields(args)
            }

            fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
                self.0.groups_accumulator_supported(args)
            }

            fn create_groups_accumulator(
                &self,
                args: AccumulatorArgs<'_>,
            ) -> Result<Box<dyn GroupsAccumulator>> {
                match args.return_field.data_type() {
                    DataType::Float32 => Ok(Box::new(OfGroups::<$narrow>::default())),
                    DataType::Float64 => Ok(Box::new(OfGroups::<$wide>::default())),
                    _ => self.0.create_groups_accumulator(args),
                }
            }

            fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
                self.0.coerce_types(types)
            }

            fn is_descending(&self) -> Option<bool> {
                self.0.is_descending()
            }

            fn reverse_expr(&self) -> ReversedUDAF {
                self.0.reverse_expr()
            }

            fn order_sensitivity(&self) -> AggregateOrderSensitivity {
                self.0.order_sensitivity()
            }

            fn value_from_stats(&self, args: &StatisticsArgs<'_>) -> Option<ScalarValue> {
                self.0.value_from_stats(args)
            }

            fn documentation(&self) -> Option<&Documentation> {
                self.0.documentation()
            }

            fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
                self.0.set_monotonicity(data_type)
            }
        }
    };
}

of_floats!(Least, Least32, Least64);
of_floats!(Greatest, Greatest32, Greatest64);
