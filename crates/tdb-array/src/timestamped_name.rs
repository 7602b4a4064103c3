use std::fmt;

use tdb_tile::FormatVersion;

/// The version that a name without one stands for, by its form.
const UUID_FIRST_VERSION: FormatVersion = FormatVersion::new(2);
const UUID_LAST_VERSION: FormatVersion = FormatVersion::new(4);

const UUID_LEN: usize = 32;

/// A name that says when its object was written: of a fragment, a commit, a schema, metadata.
///
/// The forms of all versions are in `docs/format/directory.md`, "Names".
///
/// ```
/// use tdb_array::TimestampedName;
/// let name = TimestampedName::parse("__10_20_0123456789abcdef0123456789abcdef_22")?;
/// assert_eq!((name.start(), name.end(), name.version().number()), (10, 20, 22));
/// # Ok::<(), tdb_array::NameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimestampedName {
    text: String,
    start: u64,
    end: u64,
    form: NameForm,
}

/// How a [`TimestampedName`] is put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameForm {
    /// `__UUID_T` or `__UUID_T1_T`: fragments of versions 1 and 2. The last time counts, as both.
    UuidFirst,
    /// `__T1_T2_UUID`: fragments of versions 3 and 4, schemas, metadata.
    UuidLast,
    /// `__T1_T2_UUID_V`: all else from version 5 on.
    Versioned(FormatVersion),
}

/// Why a text is no [`TimestampedName`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It has none of the forms.
    #[error("not a name with times")]
    Form,
    /// A time is no number of 64 bits.
    #[error("a time in the name is not a number below 2^64")]
    Time,
    /// The version is no number of 32 bits.
    #[error("the version in the name is not a number below 2^32")]
    Version,
    /// The times are in the wrong order.
    #[error("the name ends before it starts")]
    Reversed,
}

impl TimestampedName {
    /// The name of something written now, in the form that versions from 5 on have.
    ///
    /// Two names of one time sort by `uuid`, so whoever makes names counts up in its upper bits.
    ///
    /// # Errors
    /// [`NameError::Reversed`].
    pub fn versioned(
        start: u64,
        end: u64,
        uuid: u128,
        version: FormatVersion,
    ) -> Result<Self, NameError> {
        let text = format!("__{start}_{end}_{uuid:032x}_{version}");
        Self::checked(text, start, end, NameForm::Versioned(version))
    }

    /// The name of a schema or of metadata written now.
    ///
    /// # Errors
    /// [`NameError::Reversed`].
    pub fn unversioned(start: u64, end: u64, uuid: u128) -> Result<Self, NameError> {
        let text = format!("__{start}_{end}_{uuid:032x}");
        Self::checked(text, start, end, NameForm::UuidLast)
    }

    /// Reads a name without folder and without ending.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let tokens: Vec<&str> = text
            .strip_prefix("__")
            .ok_or(NameError::Form)?
            .split('_')
            .collect();
        let (start, end, form) = match tokens.as_slice() {
            [start, end, uuid, version] if is_uuid(uuid) => {
                let version = number(version).ok_or(NameError::Version)?;
                let version = u32::try_from(version).map_err(|_| NameError::Version)?;
                let form = NameForm::Versioned(FormatVersion::new(version));
                (time(start)?, time(end)?, form)
            }
            [start, end, uuid] if is_uuid(uuid) && uuid.len() == UUID_LEN => {
                (time(start)?, time(end)?, NameForm::UuidLast)
            }
            [uuid, end] | [uuid, _, end] if is_uuid(uuid) && uuid.len() == UUID_LEN => {
                let end = time(end)?;
                (end, end, NameForm::UuidFirst)
            }
            _ => return Err(NameError::Form),
        };
        Self::checked(text.to_owned(), start, end, form)
    }

    /// Reads the name of an object from its key: the last part, up to the last dot.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn of_key(key: &str) -> Result<Self, NameError> {
        let name = tdb_store::name(key);
        Self::parse(name.rsplit_once('.').map_or(name, |(name, _)| name))
    }

    fn checked(text: String, start: u64, end: u64, form: NameForm) -> Result<Self, NameError> {
        if start > end {
            return Err(NameError::Reversed);
        }
        Ok(Self {
            text,
            start,
            end,
            form,
        })
    }

    /// The name as it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The part that no other object has, but for the list that commits a fragment together with other changes: that one
    /// bears it, too.
    ///
    /// # Errors
    /// [`NameError::Form`] where the name lacks it, which no name does that was read or made.
    pub fn id(&self) -> Result<&str, NameError> {
        let place = match self.form {
            NameForm::UuidFirst => 0,
            NameForm::UuidLast | NameForm::Versioned(_) => 2,
        };
        let tokens = self.text.trim_start_matches("__").split('_');
        tokens.into_iter().nth(place).ok_or(NameError::Form)
    }

    /// The name of the list that commits a fragment of this name together with other changes.
    pub(crate) fn of_list(
        &self,
        (start, end): (u64, u64),
        version: FormatVersion,
    ) -> Result<Self, NameError> {
        let text = format!("__{start}_{end}_{}_{version}", self.id()?);
        Self::checked(text, start, end, NameForm::Versioned(version))
    }

    /// The first time that the object holds something of, in milliseconds since 1970.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The last time that the object holds something of, in milliseconds since 1970.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// How the name is put together.
    pub fn form(&self) -> NameForm {
        self.form
    }

    /// The format version, as far as the name tells: a fragment of version 1 shows as 2, one of
    /// version 3 as 4.
    pub fn version(&self) -> FormatVersion {
        match self.form {
            NameForm::UuidFirst => UUID_FIRST_VERSION,
            NameForm::UuidLast => UUID_LAST_VERSION,
            NameForm::Versioned(version) => version,
        }
    }
}

impl fmt::Display for TimestampedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Old releases were not strict about the digits, so neither is this.
fn is_uuid(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn time(token: &str) -> Result<u64, NameError> {
    number(token).ok_or(NameError::Time)
}

/// Digits and nothing else: `parse` alone would take a sign.
fn number(token: &str) -> Option<u64> {
    let digits = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| token.parse().ok()).flatten()
}
