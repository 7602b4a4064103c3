//! Resolves tests of text: patterns and prefixes.

use bytes::Bytes;
use tdb_cells::FieldInfo;
use tdb_schema::{CellValNum, Enumeration};
use tdb_tile::{Bug, Datatype};

use super::value::{place, shown, sort, wanted};
use crate::literal_position::{LiteralPosition, is_text};
use crate::resolved::ResolvedTest;
use crate::{CompareOp, ConditionError, ConditionRules, FieldTest, Literal, Pattern};

/// Resolves `like`, or `not like` if `negated`.
pub(super) fn like(
    test: &FieldTest,
    field: &FieldInfo,
    pattern: &Pattern,
    negated: bool,
    rules: ConditionRules,
) -> Result<ResolvedTest, ConditionError> {
    let (datatype, values) = text_type(test, field)?;
    let is_padded = rules.padded_text && !values.is_var();
    let matcher = pattern
        .compile(datatype == Datatype::StringUtf8, is_padded)
        .ok_or_else(|| ConditionError::Unfit {
            test: shown(test),
            problem: "the escape character stands before something else than `%`, `_` or itself"
                .to_owned(),
            hint: None,
        })?;
    if field.enumeration.is_some() {
        return labels_that(field, negated, |label| matcher.matches(label));
    }
    Ok(match (matcher.prefix(), negated) {
        (Some((text, false)), _) => {
            let op = if negated {
                CompareOp::Ne
            } else {
                CompareOp::Eq
            };
            let text = LiteralPosition::At(text);
            match if is_padded {
                text.padded(datatype, values)
            } else {
                text
            } {
                LiteralPosition::At(text) => ResolvedTest::Compare(op, text.into()),
                _ => return Err(Bug::new("text that is no value of text").into()),
            }
        }
        (Some((prefix, true)), _) => starts_with(prefix, negated),
        (None, false) => ResolvedTest::Like(matcher),
        (None, true) => ResolvedTest::NotLike(matcher),
    })
}

/// Resolves `starts with`, or its opposite if `negated`.
pub(super) fn prefix(
    test: &FieldTest,
    field: &FieldInfo,
    begin: &Literal,
    negated: bool,
) -> Result<ResolvedTest, ConditionError> {
    let (datatype, _) = text_type(test, field)?;
    let LiteralPosition::At(prefix) = place(test, datatype, begin)? else {
        return Err(Bug::new("text that is no value of text").into());
    };
    if field.enumeration.is_some() {
        return labels_that(field, negated, |label| label.starts_with(&prefix));
    }
    Ok(starts_with(prefix, negated))
}

fn starts_with(prefix: Vec<u8>, negated: bool) -> ResolvedTest {
    if negated {
        ResolvedTest::NotStartsWith(prefix.into())
    } else {
        ResolvedTest::StartsWith(prefix.into())
    }
}

/// Type of a field's text; for an enumerated field, that of its labels.
fn text_type(
    test: &FieldTest,
    field: &FieldInfo,
) -> Result<(Datatype, CellValNum), ConditionError> {
    let labels = field.enumeration.as_deref();
    let of_labels = labels.map(|labels| (labels.datatype(), labels.cell_val_num()));
    let (datatype, values) = of_labels.unwrap_or((field.datatype, field.cell_val_num));
    if is_text(datatype) {
        return Ok((datatype, values));
    }
    Err(ConditionError::Unfit {
        test: shown(test),
        problem: format!("a value of type {datatype} is no text"),
        hint: wanted(datatype).map(|wanted| format!("it can be compared with {wanted}")),
    })
}

/// Tests whether the label of a cell is one for which `holds` returns true.
fn labels_that(
    field: &FieldInfo,
    negated: bool,
    holds: impl Fn(&[u8]) -> bool,
) -> Result<ResolvedTest, ConditionError> {
    let labels = field
        .enumeration
        .as_deref()
        .into_iter()
        .flat_map(Enumeration::iter);
    let mut indexes = Vec::new();
    for (index, label) in labels.enumerate() {
        if !holds(label) {
            continue;
        }
        if let LiteralPosition::At(index) =
            LiteralPosition::of_whole(index as i128, true, field.datatype)
        {
            indexes.push(Bytes::from(index));
        }
    }
    sort(&mut indexes, field.datatype);
    Ok(if negated {
        ResolvedTest::NotIn(indexes)
    } else {
        ResolvedTest::In(indexes)
    })
}
