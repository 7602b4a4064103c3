//! SQL values as literals of conditions.

use datafusion::common::ScalarValue;
use tdb_condition::Literal;
use tdb_schema::value::Moment;
use tdb_tile::Datatype;

/// Returns the literal of a value; `None` if a condition cannot hold it. DataFusion has given the value the type of
/// the column that it is compared with.
pub(crate) fn literal(value: &ScalarValue) -> Option<Literal> {
    use ScalarValue as S;
    Some(match value {
        S::Dictionary(_, value) => literal(value)?,
        S::Boolean(Some(value)) => Literal::Bool(*value),
        S::Int8(Some(value)) => (*value).into(),
        S::Int16(Some(value)) => (*value).into(),
        S::Int32(Some(value)) => (*value).into(),
        S::Int64(Some(value)) => (*value).into(),
        S::UInt8(Some(value)) => (*value).into(),
        S::UInt16(Some(value)) => (*value).into(),
        S::UInt32(Some(value)) => (*value).into(),
        S::UInt64(Some(value)) => (*value).into(),
        S::Float32(Some(value)) if !value.is_nan() => (*value).into(),
        S::Float64(Some(value)) if !value.is_nan() => (*value).into(),
        S::Utf8(Some(text)) | S::LargeUtf8(Some(text)) | S::Utf8View(Some(text)) => {
            text.as_str().into()
        }
        S::Binary(Some(bytes)) | S::LargeBinary(Some(bytes)) | S::BinaryView(Some(bytes)) => {
            bytes.as_slice().into()
        }
        S::Date32(Some(days)) => moment(Datatype::DateTimeDay, (*days).into())?,
        S::TimestampSecond(Some(ticks), None) => moment(Datatype::DateTimeSecond, *ticks)?,
        S::TimestampMillisecond(Some(ticks), None) => {
            moment(Datatype::DateTimeMillisecond, *ticks)?
        }
        S::TimestampMicrosecond(Some(ticks), None) => {
            moment(Datatype::DateTimeMicrosecond, *ticks)?
        }
        S::TimestampNanosecond(Some(ticks), None) => moment(Datatype::DateTimeNanosecond, *ticks)?,
        // Ticks of the unit of the column, which is that of the field.
        S::DurationSecond(Some(ticks))
        | S::DurationMillisecond(Some(ticks))
        | S::DurationMicrosecond(Some(ticks))
        | S::DurationNanosecond(Some(ticks)) => (*ticks).into(),
        _ => return None,
    })
}

fn moment(datatype: Datatype, ticks: i64) -> Option<Literal> {
    Moment::of_ticks(datatype, ticks).map(Literal::Moment)
}
