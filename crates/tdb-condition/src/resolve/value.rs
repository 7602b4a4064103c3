//! Converts the values of tests into the types of fields.

use bytes::Bytes;
use tdb_cells::FieldInfo;
use tdb_schema::value::NOT_A_TIME;
use tdb_tile::Datatype;

use crate::literal_position::{LiteralPosition, is_number, is_text, order};
use crate::{ConditionError, ConditionRules, FieldTest, Literal};

/// Sorts the members of a set for binary search and removes duplicates.
pub(crate) fn sort(values: &mut Vec<Bytes>, datatype: Datatype) {
    values.sort_by(|a, b| order(datatype, a, b));
    values.dedup_by(|a, b| order(datatype, a, b).is_eq());
}

pub(super) fn place(
    test: &FieldTest,
    datatype: Datatype,
    value: &Literal,
) -> Result<LiteralPosition, ConditionError> {
    LiteralPosition::of(value, datatype).ok_or_else(|| ConditionError::Unfit {
        test: shown(test),
        problem: format!("a value of type {datatype} cannot be compared with {value}"),
        hint: wanted(datatype).map(|wanted| format!("wanted {wanted}")),
    })
}

/// Like [`place`], by the given rules: text is padded to the size of cells, and NaT is unordered.
pub(super) fn place_in(
    test: &FieldTest,
    field: &FieldInfo,
    value: &Literal,
    rules: ConditionRules,
) -> Result<LiteralPosition, ConditionError> {
    let place = place(test, field.datatype, value)?;
    if rules.padded_text && is_text(field.datatype) {
        return Ok(place.padded(field.datatype, field.cell_val_num));
    }
    let is_nat =
        matches!(&place, LiteralPosition::At(value) if **value == NOT_A_TIME.to_le_bytes());
    if rules.unordered_nat && is_time(field.datatype) && is_nat {
        return Ok(LiteralPosition::Unordered);
    }
    Ok(place)
}

/// Whether the type has NaT, a least value that represents no time.
pub(super) fn is_time(datatype: Datatype) -> bool {
    datatype.is_datetime() || datatype.is_time()
}

/// Describes the literals with which values of a type can be compared.
pub(super) fn wanted(datatype: Datatype) -> Option<&'static str> {
    Some(match datatype {
        _ if datatype == Datatype::Bool => "true, false or a number",
        _ if is_text(datatype) => "'text' or x'hex'",
        _ if datatype.is_datetime() => {
            "a time of ISO 8601 such as '2024-02-29T12:30:00', or ticks as a number"
        }
        _ if datatype.is_time() => "a time such as '12:30:00', or ticks as a number",
        _ if is_number(datatype) => "a number",
        _ => return None,
    })
}

/// Maximum number of characters of a condition in an error.
const MOST_SHOWN: usize = 200;

pub(crate) fn shown(test: &FieldTest) -> String {
    shown_text(&test.to_string())
}

/// Quotes a test for an error, shortened if necessary.
pub(crate) fn shown_text(text: &str) -> String {
    let mut rest = text.chars();
    let begin: String = rest.by_ref().take(MOST_SHOWN).collect();
    match rest.next() {
        Some(_) => format!("`{begin}…`"),
        None => format!("`{begin}`"),
    }
}
