//! Resolves tests with a list of values.

use bytes::Bytes;
use tdb_cells::FieldInfo;

use super::groups::{Tests, period};
use super::labels;
use super::value::{place_in, sort};
use crate::literal_position::LiteralPosition;
use crate::resolved::ResolvedTest;
use crate::walk::Joint;
use crate::{ConditionError, ConditionRules, FieldTest, Literal};

/// Resolves `in`, or `not in` if not `is_in`. The list may contain values and periods.
pub(super) fn in_list(
    test: &FieldTest,
    field: &FieldInfo,
    members: &[Literal],
    is_in: bool,
    rules: ConditionRules,
) -> Result<Tests, ConditionError> {
    let mut values = Vec::new();
    let mut groups = Vec::new();
    for member in members {
        let place = match &field.enumeration {
            None => place_in(test, field, member, rules)?,
            Some(enumeration) => {
                values.extend(labels::indexes(test, field, enumeration, member)?);
                continue;
            }
        };
        match place {
            LiteralPosition::At(value) => values.push(Bytes::from(value)),
            LiteralPosition::Period(first, last) => groups.push(period(first, last, is_in)),
            _ => {}
        }
    }
    sort(&mut values, field.datatype);
    if groups.is_empty() || !values.is_empty() {
        groups.push(vec![if is_in {
            ResolvedTest::In(values)
        } else {
            ResolvedTest::NotIn(values)
        }]);
    }
    Ok(Tests {
        groups_by: if is_in { Joint::Or } else { Joint::And },
        groups,
    })
}
