use crate::{Bug, ErrorKind, LimitError};

/// What is wrong with stored bytes, and where: record, field and byte offset.
///
/// Who read the bytes adds the name of the object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{record}.{field} at byte {offset}: {kind}")]
pub struct WireError {
    /// The record that was being read, as the format calls it.
    pub record: &'static str,
    /// The field of that record.
    pub field: &'static str,
    /// Offset of the field from the start of the bytes that were given to the decoder.
    pub offset: usize,
    /// What is wrong with it.
    pub kind: WireErrorKind,
}

impl WireError {
    /// An error at `offset` of the given field.
    #[must_use]
    pub fn new(
        record: &'static str,
        field: &'static str,
        offset: usize,
        kind: WireErrorKind,
    ) -> Self {
        Self {
            record,
            field,
            offset,
            kind,
        }
    }

    /// What can be done about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.kind {
            WireErrorKind::Limit(_) => ErrorKind::Limit,
            WireErrorKind::Bug(_) => ErrorKind::Bug,
            _ if self.is_unsupported() => ErrorKind::Unsupported,
            _ => ErrorKind::Corrupt,
        }
    }

    /// Whether a cap of [`Limits`](crate::Limits) was reached, rather than the bytes being wrong.
    #[must_use]
    pub fn limit(&self) -> Option<&LimitError> {
        match &self.kind {
            WireErrorKind::Limit(limit) => Some(limit),
            _ => None,
        }
    }

    /// Whether the bytes are of a version or use a feature that this build does not know.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        matches!(
            self.kind,
            WireErrorKind::NewerVersion { .. }
                | WireErrorKind::BeforeVersions
                | WireErrorKind::Unsupported(_)
        )
    }
}

/// The ways in which a field can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireErrorKind {
    /// The bytes end before the field does: they are cut short, or a length in them is wrong.
    #[error("needs {}, but the data ends after {left}", count_of(*needs, "byte"))]
    Truncated {
        /// Bytes that the field takes.
        needs: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// Bytes follow where the record must end.
    #[error("{} where the data should end", count_of(*left, "more byte"))]
    Trailing {
        /// Bytes that are left over.
        left: u64,
    },
    /// A code that the format gives no meaning.
    #[error("no {what} has code {code}")]
    UnknownCode {
        /// What the code should name.
        what: &'static str,
        /// The code found.
        code: u64,
    },
    /// A value does not fit the format version that is being written.
    #[error("needs format version {0} or newer")]
    NotBefore(u32),
    /// The format version is beyond those known.
    #[error("version {found} is too new for this tdb, which reads up to version {newest}")]
    NewerVersion {
        /// The version found.
        found: u32,
        /// The newest version that is read.
        newest: u32,
    },
    /// The form that releases before 1.4 wrote, which knew no format versions.
    #[error("a release of TileDB before 1.4 wrote this, in a form that tdb does not read")]
    BeforeVersions,
    /// Something that is deliberately not read.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
    /// A text is not UTF-8.
    #[error("the text is not valid UTF-8")]
    NotUtf8,
    /// Two facts that must agree do not.
    #[error("{what} is {found}, expected {wanted}")]
    Mismatch {
        /// What was compared.
        what: &'static str,
        /// The value that follows from the rest.
        wanted: u64,
        /// The value found.
        found: u64,
    },
    /// A rule of the format is broken; the text states the finding.
    #[error("{0}")]
    Invalid(&'static str),
    /// A cap was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// What cannot happen, and did.
    #[error(transparent)]
    Bug(#[from] Bug),
}

/// So many things, in words: "1 byte", "2 bytes".
fn count_of(count: u64, thing: &str) -> String {
    if count == 1 {
        format!("{count} {thing}")
    } else {
        format!("{count} {thing}s")
    }
}
