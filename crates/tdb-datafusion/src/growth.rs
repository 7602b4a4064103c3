//! How long the results of functions may be. A new function of DataFusion has to be decided about here: a test walks
//! through the registry.

use arrow_array::types::{Date32Type, IntervalMonthDayNanoType, TimestampNanosecondType};
use arrow_array::{Array, cast::AsArray};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use datafusion::common::Result;

use crate::sizes::{Argument, at_least_none};

/// Bound of the size of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Growth {
    /// A value of a type of fixed size, or a part of an argument.
    None,
    /// All arguments together, this many times.
    Arguments(u64),
    /// The arguments, and the first one between each two of the others.
    Separated,
    /// Text of the length in the second argument, filled with characters of the third.
    Filled,
    /// The first argument, repeated as often as the second says.
    Repeated,
    /// Elements from the first argument to the second, or from 0 to the only one; the third is the step.
    Series,
    /// The first argument; each of its bytes may become what the argument at this place has.
    Replaced(usize),
    /// The list, with all elements replaced by the last argument.
    Elements,
    /// The list as text, with the other arguments between the elements.
    Listed,
    /// A list of the length in the second argument, filled with the third.
    Resized,
}

use Growth::{Arguments, Elements, Filled, Listed, Repeated, Replaced, Resized, Separated, Series};

/// The functions whose results may be longer than an argument.
const GROWING: &[(&str, Growth)] = &[
    ("array_add", Arguments(8)),
    ("array_append", Arguments(1)),
    ("array_concat", Arguments(1)),
    ("array_normalize", Arguments(8)),
    ("array_positions", Arguments(8)),
    ("array_prepend", Arguments(1)),
    ("array_repeat", Repeated),
    ("array_replace", Elements),
    ("array_replace_all", Elements),
    ("array_replace_n", Elements),
    ("array_resize", Resized),
    ("array_scale", Arguments(8)),
    ("array_subtract", Arguments(8)),
    ("array_to_string", Listed),
    ("array_union", Arguments(1)),
    // Lists are filled up with nulls to the longest one of a row.
    ("arrays_zip", Arguments(16)),
    ("coalesce", Arguments(1)),
    ("concat", Arguments(1)),
    ("concat_operator", Arguments(1)),
    ("concat_ws", Separated),
    ("encode", Arguments(2)),
    ("generate_series", Series),
    ("greatest", Arguments(1)),
    ("initcap", Arguments(3)),
    ("least", Arguments(1)),
    ("lower", Arguments(3)),
    ("lpad", Filled),
    ("make_array", Arguments(1)),
    ("map", Arguments(1)),
    ("map_entries", Arguments(1)),
    ("named_struct", Arguments(1)),
    ("nvl", Arguments(1)),
    ("nvl2", Arguments(1)),
    ("overlay", Arguments(1)),
    ("range", Series),
    // Each group of a pattern may take the whole text.
    ("regexp_match", Replaced(1)),
    ("regexp_replace", Replaced(2)),
    ("repeat", Repeated),
    ("replace", Replaced(2)),
    ("rpad", Filled),
    // A list has an offset for each character.
    ("string_to_array", Arguments(8)),
    ("struct", Arguments(1)),
    // Two characters of a format make up to 35.
    ("to_char", Arguments(20)),
    ("translate", Arguments(4)),
    ("upper", Arguments(3)),
];

/// The functions whose results are of a fixed size, or a part of an argument.
#[cfg(test)]
#[rustfmt::skip]
const BOUNDED: &[&str] = &[
    "abs", "acos", "acosh", "array_any_value", "array_avg", "array_compact", "array_dims",
    "array_distance", "array_distinct", "array_element", "array_except", "array_has",
    "array_has_all", "array_has_any", "array_intersect", "array_length", "array_max", "array_min",
    "array_ndims", "array_pop_back", "array_pop_front", "array_position", "array_product",
    "array_remove", "array_remove_all", "array_remove_n", "array_reverse", "array_slice",
    "array_sort", "array_sum", "arrow_cast", "arrow_field", "arrow_metadata", "arrow_try_cast",
    "arrow_typeof", "ascii", "asin", "asinh", "atan", "atan2", "atanh", "bit_length", "btrim",
    "cardinality", "cast_to_type", "cbrt", "ceil", "character_length", "chr", "contains", "cos",
    "cosh", "cosine_distance", "cot", "current_date", "current_time", "date_bin", "date_part",
    "date_trunc", "decode", "degrees", "empty", "ends_with", "exact_minus", "exact_negative",
    "exact_plus", "exact_times", "exp", "factorial", "file_row_index", "find_in_set", "flatten",
    "floor", "from_unixtime", "gcd", "get_field", "inner_product", "input_file_name", "isnan",
    "iszero", "lcm", "left", "levenshtein", "ln", "log", "log10", "log2", "ltrim", "make_date",
    "make_time", "map_extract", "map_keys", "map_values", "nanvl", "now", "nullif", "octet_length",
    "pi", "power", "radians", "random", "regexp_count", "regexp_instr", "regexp_like", "reverse",
    "right", "round", "rtrim", "signum", "sin", "sinh", "split_part", "sqrt", "starts_with",
    "strpos", "substr", "substr_index", "tan", "tanh", "to_date", "to_hex", "to_local_time",
    "to_time", "to_timestamp", "to_timestamp_micros", "to_timestamp_millis", "to_timestamp_nanos",
    "to_timestamp_seconds", "to_unixtime", "trunc", "try_cast_to_type", "union_extract",
    "union_tag", "uuid", "version", "with_metadata",
];

/// Returns the bound of the result of a function; [`Growth::None`] for those that do not grow.
pub(crate) fn growth(name: &str) -> Growth {
    let known = GROWING.iter().find(|(known, _)| *known == name);
    known.map_or(Growth::None, |(_, growth)| *growth)
}

/// Maximum bytes of a character, and bytes of an element of a series.
const CHARACTER: u128 = 4;
const IN_SERIES: u128 = 8;

/// Bytes of a number as text, at most, for each of its own.
const DIGITS: u128 = 25;

const DAY: i128 = 86_400_000_000_000;

/// Fewest days of a month.
const MONTH: i128 = 28;

impl Growth {
    /// Returns whether results usually are much shorter than the bound.
    pub(crate) fn is_loose(self) -> bool {
        matches!(self, Replaced(_) | Elements | Listed | Arguments(2..))
    }

    /// Returns the most bytes that a result for a number of rows can have. The number has 128 bits, which the bytes of
    /// a value, times a number of 64 bits, times the rows of a batch cannot exceed.
    pub(crate) fn bytes(self, arguments: &[Argument], rows: usize) -> Result<u128> {
        let size = |place: usize| {
            let argument = arguments.get(place);
            argument.map_or(Ok(0), |argument| argument.bytes(rows))
        };
        let all = || {
            let sizes = arguments.iter().map(|argument| argument.bytes(rows));
            sizes.sum::<Result<u128>>()
        };
        Ok(match self {
            Growth::None => 0,
            Arguments(times) => all()? * u128::from(times),
            Separated => {
                // A separator for each argument: two more than stand between the others.
                all()? + size(0)? * arguments.len() as u128
            }
            Replaced(by) => size(0)? + product(arguments, (0, by), rows)?,
            Elements => {
                // The last one of array_replace_n is a number.
                size(0)? + of_elements(arguments, &[2], rows)?
            }
            Listed => size(0)? * DIGITS + of_elements(arguments, &[1, 2], rows)?,
            Filled | Repeated | Series | Resized => (0..rows)
                .try_fold(0_u128, |sum, row| -> Result<u128> {
                    Ok(sum + self.row_bytes(arguments, row)?)
                })?,
        })
    }

    /// Returns the bytes of the result of a row, where a number in it decides.
    fn row_bytes(self, arguments: &[Argument], row: usize) -> Result<u128> {
        let bytes = |place: usize| {
            let argument = arguments.get(place);
            argument.map_or(Ok(0), |argument| argument.row_bytes(row))
        };
        let number = |place: usize| arguments.get(place).and_then(|column| column.number(row));
        let times = || number(1).map_or(0, at_least_none);
        Ok(match self {
            Filled => {
                // Spaces by default.
                let filling = arguments.get(2).map_or(Ok(1), |_| bytes(2))?;
                times() * filling.clamp(1, CHARACTER)
            }
            Repeated => times() * bytes(0)?,
            Resized => times() * bytes(2)?.max(IN_SERIES),
            Series => elements(arguments, row) * IN_SERIES,
            _ => 0,
        })
    }
}

/// Returns the sum of the products of the sizes of two arguments in each row.
fn product(arguments: &[Argument], places: (usize, usize), rows: usize) -> Result<u128> {
    let (Some(of), Some(by)) = (arguments.get(places.0), arguments.get(places.1)) else {
        return Ok(0);
    };
    if by.is_scalar() {
        let each = by.row_bytes(0)?;
        return Ok((of.bytes(rows)? + rows as u128) * each);
    }
    (0..rows).try_fold(0_u128, |sum, row| {
        let times = of.row_bytes(row)? + 1;
        Ok(sum + times * by.row_bytes(row)?)
    })
}

/// Returns the bytes of some arguments, each as often as the list of the row has elements.
fn of_elements(arguments: &[Argument], places: &[usize], rows: usize) -> Result<u128> {
    let Some(list) = arguments.first() else {
        return Ok(0);
    };
    (0..rows).try_fold(0_u128, |sum, row| {
        let mut each = 0_u128;
        for argument in places.iter().filter_map(|place| arguments.get(*place)) {
            each += argument.row_bytes(row)?;
        }
        Ok(sum + list.elements(row)? * each)
    })
}

/// Returns the number of elements of a series.
fn elements(arguments: &[Argument], row: usize) -> u128 {
    let number = |place: usize| arguments.get(place).and_then(|column| column.number(row));
    let span = match (number(0), number(1)) {
        (Some(from), Some(to)) => Some(from.abs_diff(to)),
        (Some(to), None) => Some(to.unsigned_abs()),
        (None, _) => None,
    };
    if let Some(span) = span {
        let step = number(2).map_or(1, i64::unsigned_abs);
        // A step of zero is an error of the function.
        return u128::from(span).checked_div(step.into()).unwrap_or(0);
    }
    let time = |place: usize| arguments.get(place).and_then(|column| time(column, row));
    match (time(0), time(1), time(2)) {
        (Some(from), Some(to), Some(step)) => {
            let span = from.abs_diff(to).checked_div(step.unsigned_abs());
            span.unwrap_or(0)
        }
        _ => 0,
    }
}

/// Returns a time, or the least length of an interval, in nanoseconds.
fn time(argument: &Argument, row: usize) -> Option<i128> {
    let (values, row) = (argument.values(), argument.row(row));
    if row >= values.len() || values.is_null(row) {
        return None;
    }
    match values.data_type() {
        DataType::Date32 => {
            let days = values.as_primitive::<Date32Type>().value(row);
            Some(i128::from(days) * DAY)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            let ticks = values.as_primitive::<TimestampNanosecondType>().value(row);
            Some(i128::from(ticks))
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let step = values.as_primitive::<IntervalMonthDayNanoType>().value(row);
            let days = i128::from(step.months) * MONTH + i128::from(step.days);
            Some(days * DAY + i128::from(step.nanoseconds))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use datafusion::execution::SessionStateBuilder;

    use super::*;
    use crate::functions::with_functions;

    #[test]
    fn each_function_of_the_registry_is_decided_about() {
        let state = with_functions(SessionStateBuilder::new().with_default_features()).build();
        let functions = state.scalar_functions().values();
        let names: BTreeSet<&str> = functions.map(|function| function.name()).collect();
        let decided: BTreeSet<&str> = GROWING
            .iter()
            .map(|(name, _)| *name)
            .chain(BOUNDED.iter().copied())
            .collect();
        assert_eq!(decided.len(), GROWING.len() + BOUNDED.len());
        let undecided: Vec<&&str> = names.difference(&decided).collect();
        assert!(undecided.is_empty(), "to be decided about: {undecided:?}");
        let unknown: Vec<&&str> = decided.difference(&names).collect();
        assert!(unknown.is_empty(), "no longer there: {unknown:?}");
    }
}
