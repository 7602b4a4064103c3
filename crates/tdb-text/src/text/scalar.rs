//! Parses numbers and truth values in their most common forms.

use std::str::FromStr;

use tdb_schema::value::{ValueError, parse_number};
use tdb_tile::{Datatype, Scalar};

use super::numeral::short_decimal;

/// Parses a truth value: `true`, `True` or `TRUE`, and the same for false.
pub(super) fn parse_flag(
    datatype: Datatype,
    text: &str,
    out: &mut Vec<u8>,
) -> Result<(), ValueError> {
    let text = match text {
        "True" | "TRUE" => "true",
        "False" | "FALSE" => "false",
        text => text,
    };
    parse_number(datatype, text, out)
}

pub(super) fn parse_float64(
    datatype: Datatype,
    text: &str,
    out: &mut Vec<u8>,
) -> Result<(), ValueError> {
    match short_decimal(text) {
        Some(value) => {
            value.write(out);
            Ok(())
        }
        // Too large a number is an error, not infinity.
        None => parse_number(datatype, text, out),
    }
}

pub(super) fn parse_scalar<T: Scalar + FromStr>(
    datatype: Datatype,
    text: &str,
    out: &mut Vec<u8>,
) -> Result<(), ValueError> {
    match text.parse::<T>() {
        Ok(value) => {
            value.write(out);
            Ok(())
        }
        // Gives the precise error.
        Err(_) => parse_number(datatype, text, out),
    }
}
