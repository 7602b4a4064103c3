use strsim::osa_distance;
use tdb_filters::FilterError;
use tdb_tile::{Datatype, ErrorKind, HasKind, LimitError, WireError};

use crate::value::ValueError;

/// The reasons why a schema, an enumeration or a value is refused.
///
/// Only the caller knows whether the error means a damaged file (the input was read from a store)
/// or a wrong request (a person wrote it).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The bytes break the format, have a newer version, or exceed a limit.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A schema breaks a rule.
    #[error("{field}: {problem}")]
    Invalid {
        /// The field that breaks the rule: `extent of dimension "x"`.
        field: String,
        /// The rule that is broken.
        problem: Problem,
    },
    /// A stored file name leads out of the folder in which it must be.
    #[error("{field}: {name:?} leads out of the array")]
    EscapesRoot {
        /// The field that contains the name.
        field: String,
        /// The name that was found.
        name: String,
    },
    /// A cap of the limits was exceeded.
    #[error("{field}: {limit}")]
    Limit {
        /// The field that exceeds the cap.
        field: String,
        /// The amount that was asked for and the amount allowed.
        limit: LimitError,
    },
}

/// The rules that a schema, an enumeration or a value can break.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// At least one must exist, but none does.
    #[error("is missing")]
    Missing,
    /// There are more than the maximum.
    #[error("{found} are more than {most}")]
    TooMany {
        /// The number found.
        found: usize,
        /// The maximum number.
        most: usize,
    },
    /// A number that must be positive is not.
    #[error("must be more than 0")]
    NotPositive,
    /// The lower end of a range is above the upper end.
    #[error("the lower end is above the upper end")]
    Reversed,
    /// A number is NaN or infinite.
    #[error("must be finite")]
    NotFinite,
    /// A tile extent is larger than the domain.
    #[error("is larger than the domain")]
    BeyondDomain,
    /// A range does not lie within the domain.
    #[error("does not lie within the domain")]
    OutsideDomain,
    /// The last space tile ends beyond the largest value of the datatype.
    #[error("the last space tile goes beyond the largest {0}")]
    LastTileOverflows(Datatype),
    /// A domain holds every value of its datatype.
    #[error("holds every {0}, one more than can be counted")]
    HoldsEveryValue(Datatype),
    /// The number of stored bytes does not fit the datatype.
    #[error("takes {found} bytes, expected {wanted}")]
    Length {
        /// The length that the datatype requires.
        wanted: u64,
        /// The length that was found.
        found: u64,
    },
    /// A number of bytes is not a whole number of values.
    #[error("{found} bytes are not a whole number of values of {size} bytes")]
    Fraction {
        /// The bytes found.
        found: u64,
        /// The bytes of a value.
        size: u64,
    },
    /// The datatype is not allowed here.
    #[error("{found} is not allowed: {why}")]
    Datatype {
        /// The datatype that was found.
        found: Datatype,
        /// The reason why the datatype is not allowed.
        why: &'static str,
    },
    /// The number of values per cell is not allowed here; the text states the reason.
    #[error("{0}")]
    CellValNum(&'static str),
    /// Another dimension, attribute or label has the same name.
    #[error("the name is used twice")]
    DuplicateName,
    /// The name is not allowed for a new field; the text states the reason.
    #[error("{0}")]
    Name(&'static str),
    /// The schema refers to an object that does not exist.
    #[error("refers to {what} {name:?}, which does not exist")]
    Dangling {
        /// The kind of the missing object.
        what: &'static str,
        /// The name or number of the missing object.
        name: String,
    },
    /// An object cannot be removed because an attribute uses it.
    #[error("attribute {attribute:?} uses it")]
    InUse {
        /// The first attribute that uses it.
        attribute: String,
    },
    /// The object to be changed does not exist.
    #[error("does not exist")]
    Absent,
    /// This kind of array cannot have the feature; the text states the reason.
    #[error("{0}")]
    NotAllowed(&'static str),
    /// Offsets decrease, exceed the data, or do not start at 0.
    #[error(
        "value {index} starts at byte {offset}, out of order or beyond the {len} bytes of data"
    )]
    Offset {
        /// The index of the value with the wrong offset.
        index: usize,
        /// The wrong offset.
        offset: u64,
        /// The number of bytes of data.
        len: u64,
    },
    /// A value occurs twice.
    #[error("value {index} is there twice")]
    DuplicateValue {
        /// The index of the second occurrence.
        index: usize,
    },
    /// A text or number cannot be converted to a value.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The number of items is wrong.
    #[error("there are {found}, expected {wanted}")]
    Count {
        /// The number required.
        wanted: u64,
        /// The number found.
        found: u64,
    },
    /// A JSON value is of the wrong kind.
    #[error("is {found}, expected {wanted}")]
    Unexpected {
        /// A description of what was found.
        found: String,
        /// A description of what was expected.
        wanted: String,
    },
    /// A JSON object has an unknown member.
    #[error("{name:?} means nothing here{}; known are {}", meant(name, known), known.join(", "))]
    UnknownMember {
        /// The unknown member.
        name: String,
        /// The names of all known members.
        known: &'static [&'static str],
    },
    /// A filter or its options are invalid.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A cell is larger than the maximum.
    #[error("is too large")]
    TooLarge,
    /// The datatype of an attribute cannot count the values of its enumeration.
    #[error(
        "{datatype} has no index for each of the {values} values of enumeration {enumeration:?}"
    )]
    TooFewIndices {
        /// The datatype of the attribute.
        datatype: Datatype,
        /// The name of the enumeration.
        enumeration: String,
        /// The number of values of the enumeration.
        values: usize,
    },
}

impl SchemaError {
    pub(crate) fn invalid(field: impl Into<String>, problem: Problem) -> Self {
        Self::Invalid {
            field: field.into(),
            problem,
        }
    }

    /// Returns the cap that was exceeded; `None` for other errors.
    #[must_use]
    pub fn limit(&self) -> Option<&LimitError> {
        match self {
            Self::Wire(wire) => wire.limit(),
            Self::Limit { limit, .. } => Some(limit),
            _ => None,
        }
    }

    /// True if the cause is a newer version or an unknown feature.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Wire(wire) if wire.is_unsupported())
    }
}

/// Returns a hint with the nearest known name, `, "filters" is meant?`, or the empty string if none
/// is near.
pub(crate) fn meant(name: &str, known: &[&str]) -> String {
    // Typing errors are short, so 64 letters suffice to compare.
    let letters = |text: &str| text.chars().take(64).collect::<String>();
    let typed = letters(name);
    let near = known.iter().map(|known| {
        let longer = known.len().abs_diff(name.len());
        (osa_distance(&typed, &letters(known)), longer, known)
    });
    match near.min() {
        Some((steps, _, known)) if steps <= 2 => format!(", {known:?} is meant?"),
        _ => String::new(),
    }
}

impl HasKind for SchemaError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Wire(wire) => wire.kind(),
            Self::EscapesRoot { .. } => ErrorKind::EscapesRoot,
            Self::Limit { limit, .. } => limit.kind(),
            _ => ErrorKind::Corrupt,
        }
    }
}
