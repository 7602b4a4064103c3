use tdb_tile::{Bug, ErrorKind, HasKind, LimitError, WireError, WireErrorKind};

/// The reasons why a pipeline cannot be built or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// The stored bytes of a filter are not valid output of that filter.
    #[error("{filter}.{field}: {kind}")]
    Corrupt {
        /// The filter's name.
        filter: &'static str,
        /// The field that was being read.
        field: &'static str,
        /// The defect that was found in the field.
        kind: WireErrorKind,
    },
    /// The framing around the filters is wrong.
    #[error(transparent)]
    Wire(WireError),
    /// The filter is known but not compiled in.
    #[error("{name} (code {code}) is not compiled in; enable feature \"{feature}\"")]
    NotCompiledIn {
        /// The filter's name.
        name: &'static str,
        /// The filter's code.
        code: u8,
        /// The feature of this crate that enables the filter.
        feature: &'static str,
    },
    /// The pipeline contains a filter that cannot be read.
    #[error("filter code {code} {why}")]
    Unsupported {
        /// The stored filter code.
        code: u8,
        /// The reason why the filter cannot be read.
        why: &'static str,
    },
    /// The options of a filter are invalid.
    #[error("options of {filter}: {why}")]
    Options {
        /// The filter's name.
        filter: &'static str,
        /// The reason why the options are invalid.
        why: &'static str,
    },
    /// No filter has this name.
    #[error("there is no filter {name:?}; known are {}", known.join(", "))]
    UnknownName {
        /// The unknown name.
        name: String,
        /// The names of all known filters.
        known: Vec<&'static str>,
    },
    /// A filter has no option of this name.
    #[error("{filter} has no option {name:?}; {}", options(known))]
    UnknownOption {
        /// The filter's name.
        filter: &'static str,
        /// The unknown option.
        name: String,
        /// The names of the filter's options.
        known: Vec<&'static str>,
    },
    /// A key is missing, wrong, or of the wrong length. The message deliberately has no details.
    #[error("{0}")]
    Crypto(&'static str),
    /// A cap of the limits was exceeded.
    #[error(transparent)]
    Limit(LimitError),
    /// The filters cannot be combined, or do not suit the field.
    #[error("{filter} cannot be used here: {why}")]
    InvalidPipeline {
        /// The filter's name.
        filter: &'static str,
        /// The reason why the filter cannot be used.
        why: &'static str,
    },
    /// An invariant of this library is broken.
    #[error(transparent)]
    Bug(#[from] Bug),
    /// A filter cannot encode the values.
    #[error("{filter} cannot encode these values: {why}")]
    Values {
        /// The filter's name.
        filter: &'static str,
        /// The reason why the values cannot be encoded.
        why: &'static str,
    },
}

impl FilterError {
    /// Classifies the error by what the user can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Wire(wire) => wire.kind(),
            Self::NotCompiledIn { .. } | Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::Crypto(_) => ErrorKind::Crypto,
            Self::Limit(error) => error.kind(),
            Self::Bug(_) => ErrorKind::Bug,
            _ => ErrorKind::Corrupt,
        }
    }

    /// Creates an error for stored bytes that break a filter's format; a [`WireErrorKind::Limit`]
    /// becomes [`FilterError::Limit`].
    #[must_use]
    pub fn corrupt(
        filter: &'static str,
        field: &'static str,
        kind: impl Into<WireErrorKind>,
    ) -> Self {
        match kind.into() {
            WireErrorKind::Limit(limit) => Self::Limit(limit),
            kind => Self::Corrupt {
                filter,
                field,
                kind,
            },
        }
    }

    /// Creates an error for stored bytes that break a rule; `finding` states what was found.
    #[must_use]
    pub fn invalid(filter: &'static str, field: &'static str, finding: &'static str) -> Self {
        Self::Corrupt {
            filter,
            field,
            kind: WireErrorKind::Invalid(finding),
        }
    }

    /// Creates an error for two facts about stored bytes that do not agree.
    #[must_use]
    pub fn mismatch(filter: &'static str, what: &'static str, wanted: usize, found: usize) -> Self {
        Self::Corrupt {
            filter,
            field: "data",
            kind: WireErrorKind::Mismatch {
                what,
                wanted: wanted as u64,
                found: found as u64,
            },
        }
    }
}

impl HasKind for FilterError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }
}

impl From<WireError> for FilterError {
    fn from(error: WireError) -> Self {
        match error.limit() {
            Some(limit) => Self::Limit(limit.clone()),
            None => Self::Wire(error),
        }
    }
}

impl From<LimitError> for FilterError {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

fn options(known: &[&'static str]) -> String {
    match known {
        [] => "it has none".to_owned(),
        known => format!("known are {}", known.join(", ")),
    }
}
