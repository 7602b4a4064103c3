//! The part of an SQL condition that an array evaluates.

use tdb_condition::Condition;

/// Condition that an array evaluates for an SQL condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PushedCondition {
    pub(crate) condition: Condition,
    /// Whether it matches exactly the cells for which SQL's condition is true.
    pub(crate) is_exact: bool,
    pub(crate) negation: Negation,
}

/// Relation between the negation of an exact condition and SQL's negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Negation {
    /// The negation lacks cells: for an array, the opposite of `<` is `>=`, and NaN passes neither.
    Fewer,
    /// The negation also matches other cells: those for which SQL's condition is null.
    More,
    /// The negation is exact.
    Exact,
}

/// How the cells of an inexact condition may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inexactness {
    /// It may match more cells, which DataFusion filters out itself.
    BeMore,
    /// It may match fewer cells, but no others. Deletes accept this if the cells are counted.
    BeFewer,
}

impl PushedCondition {
    /// True if the condition is acceptable. An inexact condition here may always match more cells.
    pub(crate) fn fits(&self, may: Inexactness) -> bool {
        self.is_exact || may == Inexactness::BeMore
    }

    /// Joins two conditions.
    pub(crate) fn joined(self, other: Self, join: fn(Condition, Condition) -> Condition) -> Self {
        Self {
            condition: join(self.condition, other.condition),
            is_exact: self.is_exact && other.is_exact,
            negation: self.negation.min(other.negation),
        }
    }

    /// Returns the negation of an exact condition; `None` if it would lack cells, or if the condition is not exact.
    pub(crate) fn negated(self) -> Option<Self> {
        (self.is_exact && self.negation > Negation::Fewer).then(|| Self {
            condition: !self.condition,
            is_exact: self.negation == Negation::Exact,
            negation: self.negation,
        })
    }
}
