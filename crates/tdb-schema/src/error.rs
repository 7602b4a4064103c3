use strsim::osa_distance;
use tdb_filters::FilterError;
use tdb_tile::{Datatype, LimitError, WireError};

use crate::value::ValueError;

/// Why a schema, an enumeration or a value was refused.
///
/// Whether that means a damaged file or a wrong request knows who called: what was
/// read from a store is damaged, what a person wrote is a wrong request.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The bytes break the format, are of a newer version, or exceed a limit.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A rule that schemas obey is broken.
    #[error("{field}: {problem}")]
    Invalid {
        /// Which field of which dimension, attribute, ...: `extent of dimension "x"`.
        field: String,
        /// The rule.
        problem: Problem,
    },
    /// A stored name leads out of the place where it must stay.
    #[error("{field}: {name:?} leads out of the array")]
    EscapesRoot {
        /// Which field.
        field: String,
        /// The name found.
        name: String,
    },
    /// A cap was reached.
    #[error("{field}: {limit}")]
    Limit {
        /// Which field.
        field: String,
        /// What was asked and allowed.
        limit: LimitError,
    },
}

/// The rules that a schema can break.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// There must be at least one.
    #[error("is missing")]
    Missing,
    /// There are more than allowed.
    #[error("{found} are more than {most}")]
    TooMany {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A number that must be more than zero is not.
    #[error("must be more than 0")]
    NotPositive,
    /// The lower end is above the upper end.
    #[error("the lower end is above the upper end")]
    Reversed,
    /// A NaN or an infinity where a number is needed.
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
    /// The stored bytes have a length that the datatype rules out.
    #[error("takes {found} bytes, expected {wanted}")]
    Length {
        /// What the datatype asks for.
        wanted: u64,
        /// What was found.
        found: u64,
    },
    /// A number of bytes is no whole number of values.
    #[error("{found} bytes are not a whole number of values of {size} bytes")]
    Fraction {
        /// Bytes found.
        found: u64,
        /// Bytes of a value.
        size: u64,
    },
    /// The datatype cannot be used here.
    #[error("{found} is not allowed: {why}")]
    Datatype {
        /// The datatype found.
        found: Datatype,
        /// The rule.
        why: &'static str,
    },
    /// The values per cell cannot be used here.
    #[error("{0}")]
    CellValNum(&'static str),
    /// The name is that of another dimension, attribute or label.
    #[error("the name is used twice")]
    DuplicateName,
    /// The name may not be used for something new.
    #[error("{0}")]
    Name(&'static str),
    /// Something refers to what is not there.
    #[error("refers to {what} {name:?}, which does not exist")]
    Dangling {
        /// What is missing.
        what: &'static str,
        /// Its name or number.
        name: String,
    },
    /// What is to be taken away is needed.
    #[error("attribute {attribute:?} uses it")]
    InUse {
        /// The first one that does.
        attribute: String,
    },
    /// What is to be changed is not there.
    #[error("does not exist")]
    Absent,
    /// A feature that this kind of array does not have.
    #[error("{0}")]
    NotAllowed(&'static str),
    /// An offset goes down, beyond the data, or does not start at 0.
    #[error(
        "value {index} starts at byte {offset}, out of order or beyond the {len} bytes of data"
    )]
    Offset {
        /// The value that the offset belongs to.
        index: usize,
        /// The offset.
        offset: u64,
        /// Bytes of data.
        len: u64,
    },
    /// A value that must be unique is not.
    #[error("value {index} is there twice")]
    DuplicateValue {
        /// The later of the two.
        index: usize,
    },
    /// A value does not say what it should.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// There are more or fewer than there must be.
    #[error("there are {found}, expected {wanted}")]
    Count {
        /// How many there must be.
        wanted: u64,
        /// How many there are.
        found: u64,
    },
    /// Something else stands where a value is expected.
    #[error("is {found}, expected {wanted}")]
    Unexpected {
        /// What was found.
        found: String,
        /// What was expected.
        wanted: String,
    },
    /// An object has a member that means nothing.
    #[error("{name:?} means nothing here{}; known are {}", meant(name, known), known.join(", "))]
    UnknownMember {
        /// The member.
        name: String,
        /// Those that mean something.
        known: &'static [&'static str],
    },
    /// A filter or its options make no sense.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A cell would take more memory than cells may.
    #[error("is too large")]
    TooLarge,
    /// Indices of an attribute cannot count the values of its enumeration.
    #[error(
        "{datatype} has no index for each of the {values} values of enumeration {enumeration:?}"
    )]
    TooFewIndices {
        /// The attribute's datatype.
        datatype: Datatype,
        /// The enumeration.
        enumeration: String,
        /// How many values it has.
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

    /// Whether a cap was reached.
    #[must_use]
    pub fn limit(&self) -> Option<&LimitError> {
        match self {
            Self::Wire(wire) => wire.limit(),
            Self::Limit { limit, .. } => Some(limit),
            _ => None,
        }
    }

    /// Whether a newer version or an unknown feature is in the way.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Wire(wire) if wire.is_unsupported())
    }
}

/// The known name that is meant, if one is near: `, "filters" is meant?`.
pub(crate) fn meant(name: &str, known: &[&str]) -> String {
    // What people type by mistake is short; what is longer is no near miss.
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
