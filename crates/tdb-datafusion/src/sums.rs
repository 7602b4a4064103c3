//! Exact `sum` of integers, like `tdb agg`.
//!
//! DataFusion 55.2 adds 64-bit integers modulo 2^64, so that a sum that overflows is wrong.

use std::fmt::Debug;
use std::sync::Arc;

use arrow_array::types::{Decimal128Type, Int64Type, UInt64Type};
use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_datafusion_err};
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, GroupsAccumulator, ReversedUDAF, SetMonotonicity,
    Signature, StatisticsArgs,
};

use crate::distinct::DistinctValues;
use crate::groups::{Fold, OfAll, OfGroups};

/// `sum` that fails if the sum of integers does not fit in 64 bits. Intermediate sums may be larger.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ExactSum(Sum);

/// Sum of signed integers.
#[derive(Debug)]
pub(crate) struct SignedSum;

/// Sum of unsigned integers.
#[derive(Debug)]
pub(crate) struct UnsignedSum;

/// Implements a sum in 128 bits, which would overflow only after at least 2^63 values.
macro_rules! exact {
    ($fold:ident, $value:ident, $native:ident, $high:ident) => {
        impl Fold for $fold {
            type Value = $value;
            type Kept = Decimal128Type;
            const START: i128 = 0;

            fn kept_type() -> DataType {
                kept_type()
            }

            fn add(kept: &mut i128, value: $native) {
                *kept = kept.wrapping_add(value.into());
            }

            fn merge(kept: &mut i128, other: i128) {
                *kept = kept.wrapping_add(other);
            }

            fn retract(kept: &mut i128, value: $native) -> Result<()> {
                *kept = kept.wrapping_sub(value.into());
                Ok(())
            }

            fn result(kept: i128) -> Result<$native> {
                kept.try_into().map_err(|_| too_large(kept))
            }

            /// Adds the 32-bit halves of the values in 64-bit sums, which the compiler vectorizes.
            fn of_all(values: &[$native]) -> i128 {
                let parts = values.chunks(1 << 30).map(|values| {
                    let (mut low, mut high) = (0_u64, 0 as $high);
                    for value in values {
                        low = low.wrapping_add(*value as u64 & 0xffff_ffff);
                        high = high.wrapping_add(*value >> 32);
                    }
                    (i128::from(high) << 32).wrapping_add(low.into())
                });
                parts.fold(0, i128::wrapping_add)
            }
        }
    };
}

exact!(SignedSum, Int64Type, i64, i64);
exact!(UnsignedSum, UInt64Type, u64, u64);

fn kept_type() -> DataType {
    DataType::Decimal128(DECIMAL128_MAX_PRECISION, 0)
}

fn too_large(sum: i128) -> datafusion::common::DataFusionError {
    exec_datafusion_err!(
        "the sum {sum} does not fit into an integer of 64 bits\nsum(x::double) is about right, and sum(x::decimal(38,0)) is exact"
    )
}

/// Chooses an expression by the type of integers that is summed: signed, unsigned, or any other.
macro_rules! for_integers {
    ($args:ident, $ours:expr, $unsigned:expr, $other:expr) => {
        match $args.return_field.data_type() {
            DataType::Int64 => $ours,
            DataType::UInt64 => $unsigned,
            _ => $other,
        }
    };
}

impl AggregateUDFImpl for ExactSum {
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
        if args.is_distinct {
            return for_integers!(
                args,
                Ok(Box::new(DistinctValues::<SignedSum>::default())),
                Ok(Box::new(DistinctValues::<UnsignedSum>::default())),
                self.0.accumulator(args)
            );
        }
        for_integers!(
            args,
            Ok(Box::new(OfAll::<SignedSum>::default())),
            Ok(Box::new(OfAll::<UnsignedSum>::default())),
            self.0.accumulator(args)
        )
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        for_integers!(
            args,
            self.accumulator(args),
            self.accumulator(args),
            self.0.create_sliding_accumulator(args)
        )
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let is_ours = matches!(args.return_type(), DataType::Int64 | DataType::UInt64);
        if args.is_distinct || !is_ours {
            return self.0.state_fields(args);
        }
        let name = format_state_name(args.name, "sum");
        Ok(vec![Arc::new(Field::new(name, kept_type(), true))])
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        self.0.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        for_integers!(
            args,
            Ok(Box::new(OfGroups::<SignedSum>::default())),
            Ok(Box::new(OfGroups::<UnsignedSum>::default())),
            self.0.create_groups_accumulator(args)
        )
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        self.0.reverse_expr()
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.0.order_sensitivity()
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.0.set_monotonicity(data_type)
    }

    fn value_from_stats(&self, args: &StatisticsArgs<'_>) -> Option<ScalarValue> {
        self.0.value_from_stats(args)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_add_up_to_the_sum() {
        let signed = [
            i64::MIN,
            i64::MAX,
            -1,
            1,
            0,
            1 << 32,
            -(1 << 32),
            i64::MAX,
            7,
        ];
        let exact = signed.iter().map(|value| i128::from(*value)).sum::<i128>();
        assert_eq!(SignedSum::of_all(&signed), exact);
        let unsigned = [u64::MAX, u64::MAX, 1, 1 << 32, 0];
        let exact = unsigned
            .iter()
            .map(|value| i128::from(*value))
            .sum::<i128>();
        assert_eq!(UnsignedSum::of_all(&unsigned), exact);
        assert!(UnsignedSum::result(exact).is_err());
        assert_eq!(SignedSum::result(-5).ok(), Some(-5));
    }
}
