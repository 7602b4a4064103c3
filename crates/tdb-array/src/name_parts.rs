//! The parts of a timestamped name.

use tdb_tile::FormatVersion;

/// The format version of a name without a version, by its form.
const UUID_FIRST_VERSION: FormatVersion = FormatVersion::new(2);
const UUID_LAST_VERSION: FormatVersion = FormatVersion::new(4);

const UUID_LEN: usize = 32;

/// The form of a [`TimestampedName`](crate::TimestampedName).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameForm {
    /// `__UUID_T` or `__UUID_T1_T`: fragments of versions 1 and 2. `T` is both the start and the end.
    UuidFirst,
    /// `__T1_T2_UUID`: fragments of versions 3 and 4, schemas, metadata.
    UuidLast,
    /// `__T1_T2_UUID_V`: all other objects from version 5 on.
    Versioned(FormatVersion),
}

/// The reason why a text is not a [`TimestampedName`](crate::TimestampedName).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The text has none of the forms.
    #[error("not a name with times")]
    Form,
    /// A time is not a number of 64 bits.
    #[error("a time in the name is not a number below 2^64")]
    Time,
    /// The version is not a number of 32 bits.
    #[error("the version in the name is not a number below 2^32")]
    Version,
    /// The end is before the start.
    #[error("the name ends before it starts")]
    Reversed,
}

/// The parts of a [`TimestampedName`](crate::TimestampedName) except its text. Parsing them allocates nothing, since
/// an array may have very many names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NameParts {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) form: NameForm,
}

impl NameParts {
    /// Parses a name without folder and ending.
    pub(crate) fn of(text: &str) -> Result<Self, NameError> {
        let text = text.strip_prefix("__").ok_or(NameError::Form)?;
        let mut rest = Some(text);
        let tokens = [(); 4].map(|()| next_token(&mut rest));
        if rest.is_some() {
            return Err(NameError::Form);
        }
        let (start, end, form) = match tokens {
            [Some(start), Some(end), Some(uuid), Some(version)] if is_uuid(uuid) => {
                let version = number(version).ok_or(NameError::Version)?;
                let version = u32::try_from(version).map_err(|_| NameError::Version)?;
                let form = NameForm::Versioned(FormatVersion::new(version));
                (time(start)?, time(end)?, form)
            }
            [Some(start), Some(end), Some(uuid), None]
                if is_uuid(uuid) && uuid.len() == UUID_LEN =>
            {
                (time(start)?, time(end)?, NameForm::UuidLast)
            }
            [Some(uuid), Some(end), None, None] | [Some(uuid), Some(_), Some(end), None]
                if is_uuid(uuid) && uuid.len() == UUID_LEN =>
            {
                let end = time(end)?;
                (end, end, NameForm::UuidFirst)
            }
            _ => return Err(NameError::Form),
        };
        Self { start, end, form }.checked()
    }

    /// Returns the parts, or an error if the end is before the start.
    pub(crate) fn checked(self) -> Result<Self, NameError> {
        if self.start > self.end {
            return Err(NameError::Reversed);
        }
        Ok(self)
    }

    pub(crate) fn version(self) -> FormatVersion {
        match self.form {
            NameForm::UuidFirst => UUID_FIRST_VERSION,
            NameForm::UuidLast => UUID_LAST_VERSION,
            NameForm::Versioned(version) => version,
        }
    }
}

/// Splits off the text before the next `_`. A byte-wise search is used because the tokens are too short to repay the
/// setup of a faster one.
fn next_token<'a>(rest: &mut Option<&'a str>) -> Option<&'a str> {
    let text = rest.take()?;
    let Some(end) = text.bytes().position(|byte| byte == b'_') else {
        return Some(text);
    };
    let (token, after) = text.split_at_checked(end)?;
    *rest = after.get(1..);
    Some(token)
}

/// True for any letters and digits: old releases were not strict about UUIDs.
fn is_uuid(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn time(token: &str) -> Result<u64, NameError> {
    number(token).ok_or(NameError::Time)
}

/// Parses a number of digits only; `parse` alone would accept a sign.
fn number(token: &str) -> Option<u64> {
    let digits = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| token.parse().ok()).flatten()
}
