//! The box that all cells lie in which fit a condition, as its tests of dimensions tell.

use std::collections::BTreeMap;

use bytes::Bytes;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, Datatype, Range};

use crate::resolved::{ResolvedTest, Step};
use crate::{CompareOp, Predicate};

/// Where cells that fit can lie: nowhere, or within these ranges of some dimensions.
type Reach = Option<BTreeMap<usize, Range>>;

impl Predicate {
    /// Ranges outside of which no cell fits the condition, of some of the dimensions that have a domain; `None` where no
    /// cell fits it at all. Cells within the ranges need not fit.
    ///
    /// # Errors
    /// [`Bug`].
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

/// Where the cells lie that pass a test of the dimension at an index.
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

/// Whether a value has a place among the others: NaN has none.
fn is_number(datatype: Datatype, value: &Bytes) -> bool {
    datatype.compare(value, value).is_some()
}

/// Where cells lie that fit both.
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

/// Where cells lie that fit any of the two.
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
