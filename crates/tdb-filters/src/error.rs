use tdb_tile::{Bug, ErrorKind, LimitError, WireError, WireErrorKind};

/// Why a pipeline could not be built or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// What a filter stored cannot be what it wrote.
    #[error("{filter}.{field}: {kind}")]
    Corrupt {
        /// The filter's name.
        filter: &'static str,
        /// What it was reading.
        field: &'static str,
        /// What is wrong with it.
        kind: WireErrorKind,
    },
    /// The framing around the filters is wrong.
    #[error(transparent)]
    Wire(WireError),
    /// The filter is known, but was left out of this build.
    #[error("{name} (code {code}) is not compiled in; enable feature \"{feature}\"")]
    NotCompiledIn {
        /// The filter's name.
        name: &'static str,
        /// The filter's code.
        code: u8,
        /// The feature of this crate that brings it.
        feature: &'static str,
    },
    /// The pipeline names a filter that nobody can read.
    #[error("filter code {code} {why}")]
    Unsupported {
        /// The code found.
        code: u8,
        /// Why it cannot be read.
        why: &'static str,
    },
    /// The options of a filter make no sense.
    #[error("options of {filter}: {why}")]
    Options {
        /// The filter's name.
        filter: &'static str,
        /// What is wrong with them.
        why: &'static str,
    },
    /// There is no filter of this name.
    #[error("there is no filter {name:?}; known are {}", known.join(", "))]
    UnknownName {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<&'static str>,
    },
    /// A filter has no option of this name.
    #[error("{filter} has no option {name:?}; {}", options(known))]
    UnknownOption {
        /// The filter's name.
        filter: &'static str,
        /// The option.
        name: String,
        /// Those that it has.
        known: Vec<&'static str>,
    },
    /// A key is missing, of the wrong length, or not the one; deliberately no more is said.
    #[error("{0}")]
    Crypto(&'static str),
    /// A cap was reached.
    #[error(transparent)]
    Limit(LimitError),
    /// The filters do not fit each other or the field that they are for.
    #[error("{filter} cannot be used here: {why}")]
    InvalidPipeline {
        /// The filter's name.
        filter: &'static str,
        /// Why.
        why: &'static str,
    },
    /// What cannot happen, and did.
    #[error(transparent)]
    Bug(#[from] Bug),
    /// The values that are to be written cannot pass a filter.
    #[error("{filter} cannot encode these values: {why}")]
    Values {
        /// The filter's name.
        filter: &'static str,
        /// Why.
        why: &'static str,
    },
}

impl FilterError {
    /// What can be done about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Wire(wire) => wire.kind(),
            Self::NotCompiledIn { .. } | Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::Crypto(_) => ErrorKind::Crypto,
            Self::Limit(_) => ErrorKind::Limit,
            Self::Bug(_) => ErrorKind::Bug,
            _ => ErrorKind::Corrupt,
        }
    }

    /// Stored bytes of a filter that break its format.
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

    /// Stored bytes of a filter that break a rule; `finding` states what was found.
    #[must_use]
    pub fn invalid(filter: &'static str, field: &'static str, finding: &'static str) -> Self {
        Self::Corrupt {
            filter,
            field,
            kind: WireErrorKind::Invalid(finding),
        }
    }

    /// Two facts about stored bytes that do not agree.
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
