use crate::{Bug, ErrorKind, LimitError};

/// A defect of stored bytes and its location: record, field and byte offset.
///
/// The error does not name the object; the caller that read the bytes adds its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{record}.{field} at byte {offset}: {kind}")]
pub struct WireError {
    /// The name that the format gives to the record being read.
    pub record: &'static str,
    /// The field of that record.
    pub field: &'static str,
    /// Offset of the field from the start of the bytes passed to the decoder.
    pub offset: usize,
    /// The defect that was found in the field.
    pub kind: WireErrorKind,
}

impl WireError {
    /// Creates an error for `field` at byte `offset`.
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

    /// Classifies the error by what the user can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match &self.kind {
            WireErrorKind::Limit(limit) => limit.kind(),
            WireErrorKind::Bug(_) => ErrorKind::Bug,
            _ if self.is_unsupported() => ErrorKind::Unsupported,
            _ => ErrorKind::Corrupt,
        }
    }

    /// The cap of [`Limits`](crate::Limits) that was exceeded; `None` if the bytes themselves are
    /// wrong.
    #[must_use]
    pub fn limit(&self) -> Option<&LimitError> {
        match &self.kind {
            WireErrorKind::Limit(limit) => Some(limit),
            _ => None,
        }
    }

    /// True if the bytes have a version or use a feature that this build does not know.
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
    /// The bytes end before the field does: they are cut short, or a stored length is too large.
    #[error("needs {}, but the data ends after {left}", count_of(*needs, "byte"))]
    Truncated {
        /// Bytes that the field takes.
        needs: u64,
        /// Bytes that are left for the field.
        left: u64,
    },
    /// Bytes follow the end of the record.
    #[error("{} where the data should end", count_of(*left, "more byte"))]
    Trailing {
        /// Number of bytes that follow.
        left: u64,
    },
    /// A code has no meaning in the format.
    #[error("no {what} has code {code}")]
    UnknownCode {
        /// The kind of thing that the code should name.
        what: &'static str,
        /// The code that was found.
        code: u64,
    },
    /// A value cannot be written in the requested format version; the number is the first version
    /// that can hold it.
    #[error("needs format version {0} or newer")]
    NotBefore(u32),
    /// The format version is newer than any that this build reads.
    #[error("version {found} is too new for this tdb, which reads up to version {newest}")]
    NewerVersion {
        /// The version found.
        found: u32,
        /// The newest version that is read.
        newest: u32,
    },
    /// The data has the layout of releases before 1.4, which stored no format version.
    #[error("a release of TileDB before 1.4 wrote this, in a form that tdb does not read")]
    BeforeVersions,
    /// A feature of the format that this library does not read on purpose; the text names it.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
    /// A text is not UTF-8.
    #[error("the text is not valid UTF-8")]
    NotUtf8,
    /// Two facts that must agree do not agree.
    #[error("{what} is {found}, expected {wanted}")]
    Mismatch {
        /// The quantity that was compared.
        what: &'static str,
        /// The value that the other facts require.
        wanted: u64,
        /// The value that was found.
        found: u64,
    },
    /// A rule of the format is broken; the text states the finding.
    #[error("{0}")]
    Invalid(&'static str),
    /// A cap of [`Limits`](crate::Limits) was exceeded.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// An invariant of this library is broken.
    #[error(transparent)]
    Bug(#[from] Bug),
}

impl WireErrorKind {
    /// Returns the bytes that `count` items of `size` bytes take, if that many are left.
    ///
    /// # Errors
    /// [`WireErrorKind::Truncated`] if fewer than that are left.
    pub(crate) fn check_items(count: u64, size: usize, left: u64) -> Result<u64, Self> {
        // Clamped: more bytes than there can be are refused like those that are not there.
        let needs = count.saturating_mul(size as u64);
        if needs > left {
            return Err(Self::Truncated { needs, left });
        }
        Ok(needs)
    }
}

/// Formats a count with its noun: "1 byte", "2 bytes".
fn count_of(count: u64, thing: &str) -> String {
    if count == 1 {
        format!("{count} {thing}")
    } else {
        format!("{count} {thing}s")
    }
}
