use std::fmt;

use tdb_tile::FormatVersion;

use crate::name_parts::{NameError, NameForm, NameParts};

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
    parts: NameParts,
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
        let parts = NameParts::of(text)?;
        Ok(Self::of_parts(text, parts))
    }

    /// The name that says so.
    pub(crate) fn of_parts(text: &str, parts: NameParts) -> Self {
        let text = text.to_owned();
        Self { text, parts }
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
        let parts = NameParts { start, end, form }.checked()?;
        Ok(Self { text, parts })
    }

    pub(crate) fn parts(&self) -> NameParts {
        self.parts
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
        let place = match self.parts.form {
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
        self.parts.start
    }

    /// The last time that the object holds something of, in milliseconds since 1970.
    pub fn end(&self) -> u64 {
        self.parts.end
    }

    /// How the name is put together.
    pub fn form(&self) -> NameForm {
        self.parts.form
    }

    /// The format version, as far as the name tells: a fragment of version 1 shows as 2, one of
    /// version 3 as 4.
    pub fn version(&self) -> FormatVersion {
        self.parts.version()
    }
}

impl fmt::Display for TimestampedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
