//! Tests of enumerated attributes: what is compared is labels, what is stored their indexes.

use bytes::Bytes;
use tdb_cells::FieldInfo;
use tdb_schema::Enumeration;

use super::groups::Tests;
use super::value::{place, shown, sort};
use crate::literal_position::{LiteralPosition, order};
use crate::resolved::ResolvedTest;
use crate::{CompareOp, ConditionError, FieldTest, Literal};

/// Compares the index of a label: of which the enumeration knows the order, if it has one.
pub(super) fn compare(
    test: &FieldTest,
    field: &FieldInfo,
    enumeration: &Enumeration,
    op: CompareOp,
    value: &Literal,
) -> Result<Tests, ConditionError> {
    let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
    if !equality && !enumeration.is_ordered() {
        return Err(ConditionError::Unfit {
            test: shown(test),
            problem: "the labels of this field have no order".to_owned(),
            hint: Some("labels can be compared with `=`, `!=`, `in` and `not in`".to_owned()),
        });
    }
    let mut indexes = indexes(test, field, enumeration, value)?;
    sort(&mut indexes, field.datatype);
    let place = match (op, &indexes[..]) {
        (_, []) => LiteralPosition::Unordered,
        (_, [index]) => LiteralPosition::At(index.to_vec()),
        // A period, of which several labels are.
        (CompareOp::Eq, _) => return Ok(ResolvedTest::In(indexes).into()),
        (CompareOp::Ne, _) => return Ok(ResolvedTest::NotIn(indexes).into()),
        (_, [first, .., last]) => LiteralPosition::Period(first.to_vec(), last.to_vec()),
    };
    Ok(place.compare(op).into())
}

/// The indexes of the labels that equal a value, as cells hold them: one or none, and more of a period.
pub(super) fn indexes(
    test: &FieldTest,
    field: &FieldInfo,
    enumeration: &Enumeration,
    value: &Literal,
) -> Result<Vec<Bytes>, ConditionError> {
    let place = place(test, enumeration.datatype(), value)?;
    let stored = |index: usize| {
        let place = LiteralPosition::of_whole(index as i128, true, field.datatype);
        match place {
            LiteralPosition::At(value) => Some(Bytes::from(value)),
            _ => None,
        }
    };
    Ok(of_place(&place, enumeration).filter_map(stored).collect())
}

/// The places in an enumeration of the labels that are at a place.
pub(crate) fn of_place<'e>(
    place: &'e LiteralPosition,
    enumeration: &'e Enumeration,
) -> Box<dyn Iterator<Item = usize> + 'e> {
    match place {
        // Zeros of either sign are labels of their own, and equal.
        LiteralPosition::At(value) if enumeration.datatype().is_real() => {
            let datatype = enumeration.datatype();
            let labels = enumeration.iter().enumerate();
            let equal = labels.filter(move |(_, label)| {
                datatype
                    .compare(label, value)
                    .is_some_and(|order| order.is_eq())
            });
            Box::new(equal.map(|(index, _)| index))
        }
        LiteralPosition::At(value) => Box::new(enumeration.index_of(value).into_iter()),
        LiteralPosition::Period(first, last) => {
            let datatype = enumeration.datatype();
            let labels = enumeration.iter().enumerate();
            let within = labels.filter(move |(_, label)| {
                order(datatype, first, label).is_le() && order(datatype, label, last).is_le()
            });
            Box::new(within.map(|(index, _)| index))
        }
        _ => Box::new(std::iter::empty()),
    }
}
