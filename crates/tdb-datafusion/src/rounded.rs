//! Times rounded down or up to a coarser unit.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use datafusion::arrow::compute::cast;
use datafusion::common::{Result, ScalarValue, exec_datafusion_err, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

/// Returns the nanoseconds per tick of a time type; `None` for other types.
pub(crate) fn tick(data_type: &DataType) -> Option<i128> {
    Some(match data_type {
        DataType::Timestamp(TimeUnit::Nanosecond, _) => 1,
        DataType::Timestamp(TimeUnit::Microsecond, _) => 1_000,
        DataType::Timestamp(TimeUnit::Millisecond, _) => 1_000_000,
        DataType::Timestamp(TimeUnit::Second, _) => 1_000_000_000,
        DataType::Date32 => 86_400_000_000_000,
        _ => return None,
    })
}

/// Direction in which a time between two ticks is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Neighbour {
    Before,
    After,
}

/// Function that rounds times to a coarser unit.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct TimeRounding {
    to: DataType,
    neighbour: Neighbour,
    signature: Signature,
}

impl TimeRounding {
    /// Creates a rounding to timestamps of a coarser unit without a time zone, or to dates.
    pub(crate) fn new(to: DataType, neighbour: Neighbour) -> Self {
        Self {
            to,
            neighbour,
            signature: Signature::any(1, Volatility::Immutable),
        }
    }

    /// Rounds the times of an array. Fails if one does not fit the type.
    pub(crate) fn of(&self, times: &dyn Array) -> Result<ArrayRef> {
        let (Some(from), Some(to)) = (tick(times.data_type()), tick(&self.to)) else {
            return internal_err!("{} of {}", self.name(), times.data_type());
        };
        let ticks = match times.data_type() {
            DataType::Date32 => cast(&cast(times, &DataType::Int32)?, &DataType::Int64)?,
            _ => cast(times, &DataType::Int64)?,
        };
        let rounded = |ticks: i64| {
            let time = i128::from(ticks) * from;
            let before = time.div_euclid(to);
            let is_between = time.rem_euclid(to) != 0;
            let rounded = match self.neighbour {
                Neighbour::After if is_between => before + 1,
                _ => before,
            };
            i64::try_from(rounded).map_err(|_| self.beyond(ticks))
        };
        let ticks = ticks.as_primitive::<Int64Type>();
        let rounded = ticks.try_unary::<_, Int64Type, _>(rounded)?;
        self.typed(&rounded)
    }

    fn typed(&self, ticks: &PrimitiveArray<Int64Type>) -> Result<ArrayRef> {
        let days = |ticks| i32::try_from(ticks).map_err(|_| self.beyond(ticks));
        Ok(match &self.to {
            DataType::Date32 => Arc::new(ticks.try_unary::<_, Date32Type, _>(days)?),
            DataType::Timestamp(TimeUnit::Second, None) => {
                Arc::new(ticks.reinterpret_cast::<TimestampSecondType>())
            }
            DataType::Timestamp(TimeUnit::Millisecond, None) => {
                Arc::new(ticks.reinterpret_cast::<TimestampMillisecondType>())
            }
            DataType::Timestamp(TimeUnit::Microsecond, None) => {
                Arc::new(ticks.reinterpret_cast::<TimestampMicrosecondType>())
            }
            _ => return internal_err!("{} to {}", self.name(), self.to),
        })
    }

    fn beyond(&self, ticks: i64) -> datafusion::common::DataFusionError {
        exec_datafusion_err!("the time {ticks} does not fit into {}", self.to)
    }

    /// Rounds one time.
    pub(crate) fn of_scalar(&self, time: &ScalarValue) -> Result<ScalarValue> {
        ScalarValue::try_from_array(&self.of(&time.to_array()?)?, 0)
    }
}

impl ScalarUDFImpl for TimeRounding {
    fn name(&self) -> &'static str {
        match self.neighbour {
            Neighbour::Before => "rounded_down",
            Neighbour::After => "rounded_up",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.to.clone())
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match &args.args[..] {
            [ColumnarValue::Array(times)] => Ok(ColumnarValue::Array(self.of(times)?)),
            [ColumnarValue::Scalar(time)] => Ok(ColumnarValue::Scalar(self.of_scalar(time)?)),
            _ => internal_err!("{} of other than one", self.name()),
        }
    }
}
