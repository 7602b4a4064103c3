//! The result of resolving a test: usually one comparison, but several if a date names a period.

use crate::CompareOp;
use crate::literal_position::Outcome;
use crate::resolved::ResolvedTest;
use crate::walk::Joint;

/// Groups of tests, never empty. The groups are joined by `groups_by`, the tests within a group by the opposite.
#[derive(Debug)]
pub(super) struct Tests {
    pub(super) groups_by: Joint,
    pub(super) groups: Vec<Vec<ResolvedTest>>,
}

impl Tests {
    /// Requires that these tests hold, too.
    pub(super) fn and(mut self, more: &[ResolvedTest]) -> Self {
        if more.is_empty() {
            return self;
        }
        if self.groups_by == Joint::Or
            && let [_] = &self.groups[..]
        {
            // The tests in the only group are joined by `and`.
            let tests = self.groups.into_iter().flatten();
            self.groups = tests.map(|test| vec![test]).collect();
            self.groups_by = Joint::And;
        }
        match self.groups_by {
            Joint::And => self
                .groups
                .extend(more.iter().map(|test| vec![test.clone()])),
            Joint::Or => self
                .groups
                .iter_mut()
                .for_each(|group| group.extend_from_slice(more)),
        }
        self
    }
}

impl From<ResolvedTest> for Tests {
    fn from(test: ResolvedTest) -> Self {
        Self {
            groups_by: Joint::Or,
            groups: vec![vec![test]],
        }
    }
}

impl From<Outcome> for Tests {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Compare(op, value) => ResolvedTest::Compare(op, value.into()).into(),
            Outcome::True => ResolvedTest::NotNull.into(),
            Outcome::False => ResolvedTest::Never.into(),
            Outcome::Within(first, last) => Self {
                groups_by: Joint::Or,
                groups: vec![period(first, last, true)],
            },
            Outcome::Outside(first, last) => Self {
                groups_by: Joint::And,
                groups: vec![period(first, last, false)],
            },
        }
    }
}

/// Returns tests for `first <= cell <= last`, to be joined by `and`; or if not `within`, for `cell < first` or
/// `cell > last`, to be joined by `or`.
pub(super) fn period(first: Vec<u8>, last: Vec<u8>, within: bool) -> Vec<ResolvedTest> {
    let (from, to) = if within {
        (CompareOp::Ge, CompareOp::Le)
    } else {
        (CompareOp::Lt, CompareOp::Gt)
    };
    vec![
        ResolvedTest::Compare(from, first.into()),
        ResolvedTest::Compare(to, last.into()),
    ]
}
