//! Tests of enumerated attributes: conditions compare labels, cells store indexes.

use bytes::Bytes;
use tdb_cells::FieldInfo;
use tdb_schema::Enumeration;
use tdb_tile::Bug;

use super::groups::Tests;
use super::value::{place, shown, sort};
use crate::literal_position::{LiteralPosition, order};
use crate::resolved::ResolvedTest;
use crate::walk::Joint;
use crate::{CompareOp, ConditionError, FieldTest, Literal};

/// Resolves a comparison with a label into one of indexes. Ordered comparisons need an ordered enumeration.
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
        // A period may contain several labels.
        (CompareOp::Eq, _) => return Ok(ResolvedTest::In(indexes).into()),
        (CompareOp::Ne, _) => return Ok(ResolvedTest::NotIn(indexes).into()),
        (_, [first, .., last]) => LiteralPosition::Period(first.to_vec(), last.to_vec()),
    };
    Ok(place.compare(op).into())
}

/// Returns the indexes of the labels that equal a value, in stored form: at most one, or several for a period.
pub(super) fn indexes(
    test: &FieldTest,
    field: &FieldInfo,
    enumeration: &Enumeration,
    value: &Literal,
) -> Result<Vec<Bytes>, ConditionError> {
    let place = place(test, enumeration.datatype(), value)?
        .padded(enumeration.datatype(), enumeration.cell_val_num());
    let stored = |index: usize| {
        let place = LiteralPosition::of_whole(index as i128, true, field.datatype);
        match place {
            LiteralPosition::At(value) => Some(Bytes::from(value)),
            _ => None,
        }
    };
    Ok(of_place(&place, enumeration).filter_map(stored).collect())
}

/// Adapts a test of indexes so that an index without a label counts as null.
pub(super) fn of_labelled(
    tests: Tests,
    field: &FieldInfo,
    enumeration: &Enumeration,
) -> Result<Tests, Bug> {
    let one = match &tests.groups[..] {
        [group] => group.first().filter(|_| group.len() == 1),
        _ => None,
    };
    let test = one.ok_or_else(|| Bug::new("several tests of the index of a label"))?;
    let outside = outside(field, enumeration);
    let is_empty = enumeration.is_empty();
    let wanted: &[CompareOp] = match test {
        ResolvedTest::Null if is_empty => return Ok(ResolvedTest::Always.into()),
        ResolvedTest::Null => {
            return Ok(Tests {
                groups_by: Joint::Or,
                groups: std::iter::once(vec![ResolvedTest::Null])
                    .chain(outside.into_iter().map(|test| vec![test]))
                    .collect(),
            });
        }
        ResolvedTest::Always | ResolvedTest::Never => return Ok(tests),
        _ if is_empty => return Ok(ResolvedTest::Never.into()),
        // These tests only match indexes of labels.
        ResolvedTest::Compare(CompareOp::Eq, _) | ResolvedTest::In(_) => return Ok(tests),
        ResolvedTest::Compare(CompareOp::Lt | CompareOp::Le, _) => &[CompareOp::Lt],
        ResolvedTest::Compare(CompareOp::Gt | CompareOp::Ge, _) => &[CompareOp::Gt],
        _ => &[CompareOp::Lt, CompareOp::Gt],
    };
    let within = outside.into_iter().filter_map(|test| match test {
        ResolvedTest::Compare(op, value) if wanted.contains(&op) => {
            Some(ResolvedTest::Compare(op.negated(), value))
        }
        _ => None,
    });
    Ok(tests.and(&within.collect::<Vec<_>>()))
}

/// Tests for indexes before the first label and after the last, as far as the type of the indexes has such values.
#[expect(clippy::arithmetic_side_effects, reason = "a length is at least 0")]
fn outside(field: &FieldInfo, enumeration: &Enumeration) -> Vec<ResolvedTest> {
    let test = |op, index: i128| match LiteralPosition::of_whole(index, true, field.datatype) {
        LiteralPosition::At(value) => Some(ResolvedTest::Compare(op, value.into())),
        _ => None,
    };
    let last = i128::try_from(enumeration.len()).unwrap_or(i128::MAX);
    let before = test(CompareOp::Lt, 0).filter(|_| field.datatype.is_signed());
    // No test is needed if the type has no greater index.
    let behind = test(CompareOp::Gt, last - 1);
    before.into_iter().chain(behind).collect()
}

/// Returns the indexes of the labels at a position.
pub(crate) fn of_place<'e>(
    place: &'e LiteralPosition,
    enumeration: &'e Enumeration,
) -> Box<dyn Iterator<Item = usize> + 'e> {
    match place {
        // 0.0 and -0.0 may be separate labels, but are equal.
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
