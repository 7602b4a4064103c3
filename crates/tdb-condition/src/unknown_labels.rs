//! Finds labels in a condition that no cell can have.

use std::fmt::{self, Display};

use tdb_cells::FieldInfo;
use tdb_schema::{Enumeration, names};

use crate::literal_position::{LiteralPosition, is_text};
use crate::resolve::of_place;
use crate::{Condition, ConditionNode, FieldTest, Literal, Test};

/// Maximum number of labels that are searched for a similar one.
const MOST_LABELS: usize = 10_000;

/// Maximum size in bytes of labels that are compared for similarity.
const LONGEST: usize = 256;

/// A label in a condition that the field's enumeration lacks, so that no cell equals it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownLabel {
    /// Name of the enumerated attribute.
    pub field: String,
    /// The label, as written in a condition: `'snw'`.
    pub label: String,
    /// A similar label, or the existing labels.
    pub hint: String,
}

impl Display for UnknownLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, label, hint } = self;
        write!(
            f,
            "no cell equals {label}, which is no label of {field:?}: {hint}"
        )
    }
}

impl Condition {
    /// Returns the labels in the condition that the enumerations of these fields lack, in order, without duplicates.
    /// They are not an error, because an enumeration may be extended later.
    #[must_use]
    pub fn unknown_labels(&self, fields: &[FieldInfo]) -> Vec<UnknownLabel> {
        let tests = self.nodes().iter().filter_map(|node| match node {
            ConditionNode::Test(test) => Some(test),
            _ => None,
        });
        let mut unknown = Vec::new();
        for test in tests {
            let field = fields.iter().find(|field| field.name == test.field);
            let Some(enumeration) = field.and_then(|field| field.enumeration.as_deref()) else {
                continue;
            };
            for label in labels(test)
                .iter()
                .filter(|label| is_unknown(label, enumeration))
            {
                let label = UnknownLabel {
                    field: test.field.clone(),
                    label: label.to_string(),
                    hint: hint(label, enumeration),
                };
                if !unknown.contains(&label) {
                    unknown.push(label);
                }
            }
        }
        unknown
    }
}

/// The values that a test compares for equality or order; prefixes and patterns are not labels.
fn labels(test: &FieldTest) -> &[Literal] {
    match &test.test {
        Test::Compare(_, label) => std::slice::from_ref(label),
        Test::In(labels) | Test::NotIn(labels) => labels,
        Test::Like(_) | Test::NotLike(_) | Test::StartsWith(_) | Test::NotStartsWith(_) => &[],
        Test::Null | Test::NotNull => &[],
    }
}

/// Whether a literal could be a label but is not one.
fn is_unknown(label: &Literal, enumeration: &Enumeration) -> bool {
    match LiteralPosition::of(label, enumeration.datatype()) {
        Some(place @ (LiteralPosition::At(_) | LiteralPosition::Period(..))) => {
            of_place(&place, enumeration).next().is_none()
        }
        // A literal of another type is reported as an error elsewhere.
        place => place.is_some(),
    }
}

fn hint(label: &Literal, enumeration: &Enumeration) -> String {
    let count = enumeration.len();
    let short = |text: &&str| text.len() <= LONGEST;
    if let Literal::Text(label) = label
        && is_text(enumeration.datatype())
        && count <= MOST_LABELS
        && label.len() <= LONGEST
    {
        let known: Option<Vec<&str>> = enumeration
            .iter()
            .map(|label| std::str::from_utf8(label).ok())
            .map(|label| label.filter(short))
            .collect();
        if let Some(known) = known.filter(|known| !known.is_empty()) {
            return names::hint("label", label, known);
        }
    }
    match count {
        0 => "there are no labels".to_owned(),
        1 => "there is one label".to_owned(),
        count => format!("there are {count} labels"),
    }
}
