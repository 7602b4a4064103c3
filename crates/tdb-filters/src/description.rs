use std::fmt;

use crate::FilterError;

/// A filter in readable form: its name and its options.
///
/// ```
/// use tdb_filters::{Description, FilterRecord, OptionValue, Registry, describe};
/// use tdb_tile::FormatVersion;
///
/// let stored = FilterRecord::new(2, &[2, 5, 0, 0, 0][..]);
/// let zstd = describe(&stored, FormatVersion::WRITTEN, Registry::builtin())?;
/// assert_eq!(zstd.to_string(), "zstd(level=5)");
/// assert_eq!(zstd.record(FormatVersion::WRITTEN, Registry::builtin())?, stored);
/// # Ok::<(), tdb_filters::FilterError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The name of the filter.
    pub name: String,
    /// The options by name, in stored order.
    pub options: Vec<(String, OptionValue)>,
}

/// The value of one option.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// A whole number: a level, a window size in bytes, a width in bytes.
    Integer(i64),
    /// A real number: a factor, an offset, a quality.
    Real(f64),
    /// True or false.
    Flag(bool),
    /// A word: a datatype, an image format.
    Text(String),
}

macro_rules! option_of {
    ($($variant:ident: $native:ty),*) => {$(
        impl From<$native> for OptionValue {
            fn from(value: $native) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

option_of!(Integer: i64, Integer: i32, Real: f64, Flag: bool, Text: &str, Text: String);

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(v) => v.fmt(f),
            Self::Real(v) => v.fmt(f),
            Self::Flag(v) => v.fmt(f),
            Self::Text(v) => v.fmt(f),
        }
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, (name, value)) in self.options.iter().enumerate() {
            let before = if index == 0 { "(" } else { ", " };
            write!(f, "{before}{name}={value}")?;
        }
        f.write_str(if self.options.is_empty() { "" } else { ")" })
    }
}

impl Description {
    /// Creates a filter with default options.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            options: Vec::new(),
        }
    }

    /// Returns the filter with one more option set.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: OptionValue) -> Self {
        self.options.push((name.into(), value));
        self
    }

    fn option(&self, name: &str) -> Option<&OptionValue> {
        let found = self.options.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// Returns an option that is a whole number, `default` if it is not set.
    ///
    /// # Errors
    /// [`FilterError::Options`] if the option has another type or is out of range.
    pub fn integer<T: TryFrom<i64>>(
        &self,
        filter: &'static str,
        name: &str,
        default: T,
    ) -> Result<T, FilterError> {
        match self.option(name) {
            None => Ok(default),
            Some(OptionValue::Integer(v)) => T::try_from(*v).map_err(|_| FilterError::Options {
                filter,
                why: "a number is out of range",
            }),
            Some(_) => Err(FilterError::Options {
                filter,
                why: "an option must be a whole number",
            }),
        }
    }

    /// Returns an option that is a number, `default` if it is not set.
    ///
    /// # Errors
    /// [`FilterError::Options`] if the option has another type.
    pub fn real(&self, filter: &'static str, name: &str, default: f64) -> Result<f64, FilterError> {
        match self.option(name) {
            None => Ok(default),
            Some(OptionValue::Real(v)) => Ok(*v),
            // Exact up to 2^53.
            Some(OptionValue::Integer(v)) => Ok(*v as f64),
            Some(_) => Err(FilterError::Options {
                filter,
                why: "an option must be a number",
            }),
        }
    }

    /// Returns an option that is true or false, `default` if it is not set.
    ///
    /// # Errors
    /// [`FilterError::Options`] if the option has another type.
    pub fn flag(
        &self,
        filter: &'static str,
        name: &str,
        default: bool,
    ) -> Result<bool, FilterError> {
        match self.option(name) {
            None => Ok(default),
            Some(OptionValue::Flag(v)) => Ok(*v),
            Some(_) => Err(FilterError::Options {
                filter,
                why: "an option must be true or false",
            }),
        }
    }

    /// Returns an option that is a word, `default` if it is not set.
    ///
    /// # Errors
    /// [`FilterError::Options`] if the option has another type.
    pub fn text<'a>(
        &'a self,
        filter: &'static str,
        name: &str,
        default: &'a str,
    ) -> Result<&'a str, FilterError> {
        match self.option(name) {
            None => Ok(default),
            Some(OptionValue::Text(v)) => Ok(v),
            Some(_) => Err(FilterError::Options {
                filter,
                why: "an option must be a word",
            }),
        }
    }
}
