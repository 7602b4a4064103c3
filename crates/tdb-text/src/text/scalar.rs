//! Numbers and truth values, as they are most often written.

use std::str::FromStr;

use tdb_schema::value::{ValueError, parse_number};
use tdb_tile::{Datatype, Scalar};

use super::numeral::short_decimal;

/// As programs write it: `true`, and also `True` and `TRUE`.
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
        // No infinity where it is too large.
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
        // It says what is wrong.
        Err(_) => parse_number(datatype, text, out),
    }
}
