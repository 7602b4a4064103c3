//! Conditions of one field, as programs write them.

use crate::{CompareOp, Condition, FieldTest, Literal, Pattern, Test};

impl Condition {
    /// Begins a test of the field with this name.
    pub fn field(name: impl Into<String>) -> FieldCondition {
        FieldCondition { name: name.into() }
    }
}

/// The name of a field, of which something is about to be asked.
#[derive(Clone, Debug)]
#[must_use = "a name alone asks nothing"]
pub struct FieldCondition {
    name: String,
}

impl FieldCondition {
    /// Less than a value.
    #[must_use]
    pub fn lt(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Lt, value)
    }

    /// Less than a value, or equal.
    #[must_use]
    pub fn le(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Le, value)
    }

    /// Greater than a value.
    #[must_use]
    pub fn gt(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Gt, value)
    }

    /// Greater than a value, or equal.
    #[must_use]
    pub fn ge(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Ge, value)
    }

    /// Equal to a value.
    #[must_use]
    pub fn eq(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Eq, value)
    }

    /// Not equal to a value, and not null.
    #[must_use]
    pub fn ne(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Ne, value)
    }

    /// Not below `lo` and not above `hi`.
    #[must_use]
    pub fn between(self, lo: impl Into<Literal>, hi: impl Into<Literal>) -> Condition {
        self.clone().ge(lo).and(self.le(hi))
    }

    /// One of the values; with none, never.
    #[must_use]
    pub fn is_in<L: Into<Literal>>(self, members: impl IntoIterator<Item = L>) -> Condition {
        self.ask(Test::In(members.into_iter().map(Into::into).collect()))
    }

    /// None of the values, and not null.
    #[must_use]
    pub fn not_in<L: Into<Literal>>(self, members: impl IntoIterator<Item = L>) -> Condition {
        self.ask(Test::NotIn(members.into_iter().map(Into::into).collect()))
    }

    /// Text that fits a pattern: `%` is any text, `_` one character; the case of letters matters.
    #[must_use]
    pub fn like(self, pattern: impl Into<Pattern>) -> Condition {
        self.ask(Test::Like(pattern.into()))
    }

    /// Text that does not fit a pattern, and is not null.
    #[must_use]
    pub fn not_like(self, pattern: impl Into<Pattern>) -> Condition {
        self.ask(Test::NotLike(pattern.into()))
    }

    /// Text that begins with a text, or with bytes.
    #[must_use]
    pub fn starts_with(self, prefix: impl Into<Literal>) -> Condition {
        self.ask(Test::StartsWith(prefix.into()))
    }

    /// Null.
    #[must_use]
    pub fn is_null(self) -> Condition {
        self.ask(Test::Null)
    }

    /// Not null.
    #[must_use]
    pub fn is_not_null(self) -> Condition {
        self.ask(Test::NotNull)
    }

    /// Compared with a value.
    #[must_use]
    pub fn compare(self, op: CompareOp, value: impl Into<Literal>) -> Condition {
        self.ask(Test::Compare(op, value.into()))
    }

    pub(crate) fn into_name(self) -> String {
        self.name
    }

    pub(crate) fn ask(self, test: Test) -> Condition {
        FieldTest {
            field: self.name,
            test,
        }
        .into()
    }
}
