//! What an array answers of a condition of SQL.

use tdb_condition::Condition;

/// What an array answers of a condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pushed {
    pub(crate) condition: Condition,
    /// Whether it holds for just those cells for which SQL's condition is true.
    pub(crate) is_exact: bool,
    pub(crate) negation: Negation,
}

/// What the opposite of a condition that is exact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Negation {
    /// It lacks cells: the opposite of `<` is `>=` for an array, and NaN passes neither.
    Fewer,
    /// It has other cells, too: those for which SQL's condition is null.
    More,
    /// Just the opposite.
    Exact,
}

/// How the cells of a condition that is not exact may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum May {
    /// Also others, which DataFusion leaves out by itself.
    BeMore,
    /// Not all of them, but no others: what deletes can do with, if they are counted.
    BeFewer,
}

impl Pushed {
    /// Whether it will do; what is not exact here holds for other cells, too.
    pub(crate) fn fits(&self, may: May) -> bool {
        self.is_exact || may == May::BeMore
    }

    /// A condition made of two.
    pub(crate) fn joined(self, other: Self, join: fn(Condition, Condition) -> Condition) -> Self {
        Self {
            condition: join(self.condition, other.condition),
            is_exact: self.is_exact && other.is_exact,
            negation: self.negation.min(other.negation),
        }
    }

    /// The opposite, of a condition that is exact.
    pub(crate) fn negated(self) -> Option<Self> {
        (self.is_exact && self.negation > Negation::Fewer).then(|| Self {
            condition: !self.condition,
            is_exact: self.negation == Negation::Exact,
            negation: self.negation,
        })
    }
}
