//! What values of settings mean.

use std::num::NonZeroUsize;
use std::str::FromStr;

/// The meaning of a setting, which decides which values it admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Anything: the setting has no effect in tdb.
    Ignored,
    /// Anything: the store looks at it when it is opened.
    OfStores,
    Threads,
    Bytes,
    /// A number of fragments or merges.
    Count,
    /// A number of bytes of a fragment, or of milliseconds since 1970.
    Number,
    Ratio,
    Switch,
    Strictness,
    Encryption,
    /// A key, whose length is checked once encryption is switched on.
    Key,
}

/// How something is treated that may be a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strictness {
    Warn,
    Error,
}

impl FromStr for Strictness {
    type Err = ();

    fn from_str(value: &str) -> Result<Self, ()> {
        match value {
            "warn" => Ok(Self::Warn),
            "error" => Ok(Self::Error),
            _ => Err(()),
        }
    }
}

/// How arrays are encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encryption {
    None,
    Aes256Gcm,
}

impl FromStr for Encryption {
    type Err = ();

    fn from_str(value: &str) -> Result<Self, ()> {
        match value {
            "NO_ENCRYPTION" => Ok(Self::None),
            "AES_256_GCM" => Ok(Self::Aes256Gcm),
            _ => Err(()),
        }
    }
}

impl Meaning {
    /// Says what a value should be, where it is something else.
    pub(super) fn complaint(self, value: &str) -> Option<&'static str> {
        (!self.admits(value)).then_some(match self {
            Self::Threads => "not a number of threads",
            Self::Bytes => "not a number of bytes",
            Self::Strictness => "expected error or warn",
            Self::Encryption => "expected AES_256_GCM or NO_ENCRYPTION",
            _ => "invalid value for this setting",
        })
    }

    fn admits(self, value: &str) -> bool {
        match self {
            Self::Ignored | Self::OfStores | Self::Key => true,
            Self::Threads => is::<NonZeroUsize>(value),
            Self::Bytes | Self::Number => is::<u64>(value),
            Self::Count => is::<u32>(value),
            Self::Ratio => is::<f64>(value),
            Self::Switch => is::<bool>(value),
            Self::Strictness => is::<Strictness>(value),
            Self::Encryption => is::<Encryption>(value),
        }
    }
}

fn is<T: FromStr>(value: &str) -> bool {
    value.parse::<T>().is_ok()
}
