use std::fmt;

use tdb_tile::FormatVersion;

use crate::name_parts::{NameError, NameForm, NameParts};

/// A name with the time of its object: of a fragment, a commit, a schema or metadata.
///
/// The forms in all versions are described in `docs/format/directory.md`, "Names".
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
    parts: NameParts,
}

impl TimestampedName {
    /// Creates a new name in the form of versions from 5 on.
    ///
    /// Names with the same time sort by `uuid`, so its upper bits should increase with each new name.
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

    /// Creates a new name for a schema or a metadata object.
    ///
    /// # Errors
    /// [`NameError::Reversed`].
    pub fn unversioned(start: u64, end: u64, uuid: u128) -> Result<Self, NameError> {
        let text = format!("__{start}_{end}_{uuid:032x}");
        Self::checked(text, start, end, NameForm::UuidLast)
    }

    /// Parses a name without folder and ending.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let parts = NameParts::of(text)?;
        Ok(Self::of_parts(text, parts))
    }

    /// Combines a text with its parsed parts.
    pub(crate) fn of_parts(text: &str, parts: NameParts) -> Self {
        let text = text.to_owned();
        Self { text, parts }
    }

    /// Parses the name in an object's key: the last part of the key, up to its last dot.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn of_key(key: &str) -> Result<Self, NameError> {
        let name = tdb_store::name(key);
        Self::parse(name.rsplit_once('.').map_or(name, |(name, _)| name))
    }

    fn checked(text: String, start: u64, end: u64, form: NameForm) -> Result<Self, NameError> {
        let parts = NameParts { start, end, form }.checked()?;
        Ok(Self { text, parts })
    }

    pub(crate) fn parts(&self) -> NameParts {
        self.parts
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the unique part of the name. Only the list that commits a fragment together with other changes has the
    /// same id as that fragment.
    ///
    /// # Errors
    /// [`NameError::Form`] if the name has no id; every parsed or created name has one.
    pub fn id(&self) -> Result<&str, NameError> {
        let place = match self.parts.form {
            NameForm::UuidFirst => 0,
            NameForm::UuidLast | NameForm::Versioned(_) => 2,
        };
        let tokens = self.text.trim_start_matches("__").split('_');
        tokens.into_iter().nth(place).ok_or(NameError::Form)
    }

    /// Returns the name of the list that commits the fragment of this name together with other changes.
    pub(crate) fn of_list(
        &self,
        (start, end): (u64, u64),
        version: FormatVersion,
    ) -> Result<Self, NameError> {
        let text = format!("__{start}_{end}_{}_{version}", self.id()?);
        Self::checked(text, start, end, NameForm::Versioned(version))
    }

    /// Returns the first time of the object's content, in milliseconds since 1970.
    pub fn start(&self) -> u64 {
        self.parts.start
    }

    /// Returns the last time of the object's content, in milliseconds since 1970.
    pub fn end(&self) -> u64 {
        self.parts.end
    }

    /// Returns the form of the name.
    pub fn form(&self) -> NameForm {
        self.parts.form
    }

    /// Returns the format version, as far as the name tells: for a fragment of version 1 it is 2, for one of version 3
    /// it is 4.
    pub fn version(&self) -> FormatVersion {
        self.parts.version()
    }
}

impl fmt::Display for TimestampedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
