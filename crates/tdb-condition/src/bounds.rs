//! The bounding box of all cells that match a condition, derived from its tests of dimensions.

use std::collections::BTreeMap;

use bytes::Bytes;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, Datatype, Range};

use crate::resolved::{ResolvedTest, Step};
use crate::{CompareOp, Predicate};

/// Where matching cells can be: within these ranges of some dimensions; `None` if nowhere.
type Reach = Option<BTreeMap<usize, Range>>;

impl Predicate {
    /// Returns ranges of some dimensions that contain all matching cells, for dimensions that have a domain; `None` if
    /// no cell can match. Cells within the ranges need not match.
    ///
    /// # Errors
    /// Only a [`Bug`].
    pub fn bounds(&self, schema: &ArraySchema) -> Result<Option<Vec<(usize, Range)>>, Bug> {
        let Some((condition, fields)) = self.condition() else {
            return Ok(Some(Vec::new()));
        };
        let mut waiting: Vec<Reach> = Vec::new();
        for step in condition.steps() {
            let reach = match step {
                Step::Test { field, test } => match fields.get(*field) {
                    Some(Some(FieldKind::Dimension(at))) => reach_of(test, *at, schema),
                    _ if *test == ResolvedTest::Never => None,
                    _ => Some(BTreeMap::new()),
                },
                Step::Compare(_) => Some(BTreeMap::new()),
                Step::And | Step::Or => {
                    let (last, before) = (waiting.pop(), waiting.pop());
                    let too_many = || Bug::new("a condition with a joint too many");
                    let (b, a) = last.zip(before).ok_or_else(too_many)?;
                    if *step == Step::And {
                        both(a, b, schema)
                    } else {
                        any(a, b, schema)
                    }
                }
            };
            waiting.push(reach);
        }
        let reach = waiting
            .pop()
            .ok_or_else(|| Bug::new("a condition without a test"))?;
        Ok(reach.map(|reach| reach.into_iter().collect()))
    }
}

/// The reach of cells that pass a test of dimension number `at`.
fn reach_of(test: &ResolvedTest, at: usize, schema: &ArraySchema) -> Reach {
    let dimension = schema.dimensions.get(at);
    let Some((dimension, domain)) = dimension.and_then(|d| Some((d, d.domain.as_ref()?))) else {
        return Some(BTreeMap::new());
    };
    let wanted = match test {
        ResolvedTest::Never => return None,
        ResolvedTest::Compare(CompareOp::Lt | CompareOp::Le, value) => {
            Range::new(domain.lo.clone(), value.clone())
        }
        ResolvedTest::Compare(CompareOp::Gt | CompareOp::Ge, value) => {
            Range::new(value.clone(), domain.hi.clone())
        }
        ResolvedTest::Compare(CompareOp::Eq, value) => Range::new(value.clone(), value.clone()),
        ResolvedTest::In(members) => match (members.first(), members.last()) {
            (Some(least), Some(greatest)) => Range::new(least.clone(), greatest.clone()),
            _ => return None,
        },
        _ => return Some(BTreeMap::new()),
    };
    if !is_number(dimension.datatype, &wanted.lo) || !is_number(dimension.datatype, &wanted.hi) {
        return Some(BTreeMap::new());
    }
    let inside = wanted.intersection(dimension.datatype, domain)?;
    Some(BTreeMap::from([(at, inside)]))
}

/// Whether a value can be ordered; NaN cannot.
fn is_number(datatype: Datatype, value: &Bytes) -> bool {
    datatype.compare(value, value).is_some()
}

/// The reach of cells that match both conditions.
fn both(a: Reach, b: Reach, schema: &ArraySchema) -> Reach {
    let (mut all, more) = (a?, b?);
    for (at, range) in more {
        let common = match all.get(&at) {
            Some(other) => range.intersection(schema.dimensions.get(at)?.datatype, other)?,
            None => range,
        };
        all.insert(at, common);
    }
    Some(all)
}

/// The reach of cells that match at least one of two conditions.
fn any(a: Reach, b: Reach, schema: &ArraySchema) -> Reach {
    let (a, b) = match (a, b) {
        (None, other) | (other, None) => return other,
        (Some(a), Some(b)) => (a, b),
    };
    let common = a.into_iter().filter_map(|(at, range)| {
        let datatype = schema.dimensions.get(at)?.datatype;
        Some((at, range.union(datatype, b.get(&at)?)))
    });
    Some(common.collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tdb_cells::FieldInfo;
    use tdb_schema::{ArrayType, Attribute, Dimension};
    use tdb_tile::Limits;

    use super::*;
    use crate::{Condition, FieldCells};

    /// Two dimensions with the domain 0 to 20, and an attribute.
    fn schema() -> ArraySchema {
        let side = |name| Dimension::numbers(name, Datatype::Int32, (0, 20), 7);
        let a = Attribute::new("a", Datatype::Int32);
        ArraySchema::new(ArrayType::Sparse, vec![side("x"), side("y")], vec![a])
    }

    fn bounds(condition: &str) -> Option<Vec<(usize, (i32, i32))>> {
        let schema = schema();
        let limits = Limits::default();
        let condition = Condition::parse(condition, &limits).unwrap();
        let fields = FieldInfo::of_schema(&schema, |_, _| None);
        let resolved = condition.resolve(&fields, &limits).unwrap();
        let bounds = Predicate::new(resolved, &schema).bounds(&schema).unwrap();
        let numbers = |(at, range): (usize, Range)| (at, range.ends::<i32>().unwrap());
        Some(bounds?.into_iter().map(numbers).collect())
    }

    #[test]
    fn tests_of_dimensions_say_where_to_look() {
        assert_eq!(bounds("x > 3 and x <= 9"), Some(vec![(0, (3, 9))]));
        assert_eq!(bounds("x = 3 or x = 12"), Some(vec![(0, (3, 12))]));
        assert_eq!(
            bounds("x in (4, 2) and y < 5 and a = 1"),
            Some(vec![(0, (2, 4)), (1, (0, 5))])
        );
        assert_eq!(bounds("x = 3 or a = 1"), Some(Vec::new()));
        assert_eq!(bounds("x = 3 or y = 1"), Some(Vec::new()));
        assert_eq!(bounds("x != 3"), Some(Vec::new()));
        assert_eq!(bounds("not x < 19"), Some(vec![(0, (19, 20))]));
        assert_eq!(bounds("x < 3 and x > 9"), None);
        assert_eq!(bounds("x > 20 and x < 1 or y = 7"), Some(vec![(1, (7, 7))]));
        assert_eq!(bounds("x = 30"), None);
    }

    fn some_test() -> impl Strategy<Value = String> {
        let field = prop_oneof![Just("x"), Just("y"), Just("a")];
        let op = prop_oneof![
            Just("<"),
            Just("<="),
            Just(">"),
            Just(">="),
            Just("="),
            Just("!=")
        ];
        (field, op, -3..24_i32).prop_map(|(field, op, value)| format!("{field} {op} {value}"))
    }

    fn some_condition() -> impl Strategy<Value = String> {
        some_test().prop_recursive(4, 12, 2, |inner| {
            let joint = prop_oneof![Just("and"), Just("or")];
            prop_oneof![
                (inner.clone(), joint, inner.clone())
                    .prop_map(|(a, joint, b)| format!("({a} {joint} {b})")),
                inner.prop_map(|a| format!("not {a}")),
            ]
        })
    }

    proptest! {
        #[test]
        fn cells_that_fit_lie_within(condition in some_condition(), cell in (0..21_i32, 0..21_i32, 0..21_i32)) {
            let schema = schema();
            let limits = Limits::default();
            let fields = FieldInfo::of_schema(&schema, |_, _| None);
            let resolved = Condition::parse(&condition, &limits).unwrap().resolve(&fields, &limits).unwrap();
            let bytes = [("x", cell.0), ("y", cell.1), ("a", cell.2)].map(|(name, value)| (name, value.to_le_bytes()));
            let cells: Vec<_> = resolved.fields().iter().map(|field| {
                let (_, values) = bytes.iter().find(|(name, _)| *name == field.name).unwrap();
                Some(FieldCells { values, offsets: None, validity: None })
            }).collect();
            let mut mask = Vec::new();
            resolved.evaluate(&cells, 1, &mut mask).unwrap();
            let bounds = bounds(&condition);
            let is_inside = bounds.is_some_and(|bounds| {
                let place = [cell.0, cell.1];
                bounds.iter().all(|(at, (lo, hi))| (lo..=hi).contains(&&place[*at]))
            });
            prop_assert!(mask == [0] || is_inside, "{condition} of {cell:?}");
        }
    }
}
