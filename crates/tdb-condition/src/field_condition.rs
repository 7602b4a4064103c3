//! A builder for conditions on one field.

use crate::{CompareOp, Condition, FieldTest, Literal, Pattern, Test};

impl Condition {
    /// Starts a test of the field with this name.
    pub fn field(name: impl Into<String>) -> FieldCondition {
        FieldCondition { name: name.into() }
    }
}

/// The field of a test that is being built.
#[derive(Clone, Debug)]
#[must_use = "a name alone asks nothing"]
pub struct FieldCondition {
    name: String,
}

impl FieldCondition {
    /// Tests whether the cell is less than a value.
    #[must_use]
    pub fn lt(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Lt, value)
    }

    /// Tests whether the cell is at most a value.
    #[must_use]
    pub fn le(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Le, value)
    }

    /// Tests whether the cell is greater than a value.
    #[must_use]
    pub fn gt(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Gt, value)
    }

    /// Tests whether the cell is at least a value.
    #[must_use]
    pub fn ge(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Ge, value)
    }

    /// Tests whether the cell equals a value.
    #[must_use]
    pub fn eq(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Eq, value)
    }

    /// Tests whether the cell differs from a value and is not null.
    #[must_use]
    pub fn ne(self, value: impl Into<Literal>) -> Condition {
        self.compare(CompareOp::Ne, value)
    }

    /// Tests whether the cell is between `lo` and `hi`, both included.
    #[must_use]
    pub fn between(self, lo: impl Into<Literal>, hi: impl Into<Literal>) -> Condition {
        self.clone().ge(lo).and(self.le(hi))
    }

    /// Tests whether the cell is one of the values; without values, no cell is.
    #[must_use]
    pub fn is_in<L: Into<Literal>>(self, members: impl IntoIterator<Item = L>) -> Condition {
        self.ask(Test::In(members.into_iter().map(Into::into).collect()))
    }

    /// Tests whether the cell is none of the values and not null.
    #[must_use]
    pub fn not_in<L: Into<Literal>>(self, members: impl IntoIterator<Item = L>) -> Condition {
        self.ask(Test::NotIn(members.into_iter().map(Into::into).collect()))
    }

    /// Tests whether the cell is text that matches a pattern: `%` matches any text, `_` one character; case matters.
    #[must_use]
    pub fn like(self, pattern: impl Into<Pattern>) -> Condition {
        self.ask(Test::Like(pattern.into()))
    }

    /// Tests whether the cell is text that does not match a pattern; null cells fail.
    #[must_use]
    pub fn not_like(self, pattern: impl Into<Pattern>) -> Condition {
        self.ask(Test::NotLike(pattern.into()))
    }

    /// Tests whether the cell is text that begins with a text or with bytes.
    #[must_use]
    pub fn starts_with(self, prefix: impl Into<Literal>) -> Condition {
        self.ask(Test::StartsWith(prefix.into()))
    }

    /// Tests whether the cell is null.
    #[must_use]
    pub fn is_null(self) -> Condition {
        self.ask(Test::Null)
    }

    /// Tests whether the cell is not null.
    #[must_use]
    pub fn is_not_null(self) -> Condition {
        self.ask(Test::NotNull)
    }

    /// Compares the cell with a value.
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
