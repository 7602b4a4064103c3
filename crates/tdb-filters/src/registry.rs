use bytes::Bytes;
use tdb_tile::FormatVersion;

use crate::filter::{Entry, Filter, Options};
use crate::filters::{ALL, WITHDRAWN};
use crate::{Description, EncryptionKey, FilterError, FilterList, FilterRecord};

/// The filters that a pipeline may contain: those of this crate, and any that a caller adds.
#[derive(Clone, Debug)]
pub struct Registry {
    // Later entries win.
    entries: Vec<&'static Entry>,
}

impl Registry {
    /// The filters of this crate.
    #[must_use]
    pub fn builtin() -> &'static Self {
        static BUILTIN: std::sync::LazyLock<Registry> = std::sync::LazyLock::new(|| Registry {
            entries: ALL.to_vec(),
        });
        &BUILTIN
    }

    /// Returns a registry with one more filter, which replaces any with the same code or name.
    #[must_use]
    pub fn with(&self, entry: &'static Entry) -> Self {
        let mut entries = self.entries.clone();
        entries.push(entry);
        Self { entries }
    }

    /// Returns the filter with this code.
    #[must_use]
    pub fn entry(&self, code: u8) -> Option<&'static Entry> {
        self.entries.iter().rev().copied().find(|e| e.code == code)
    }

    /// Returns the filter with this name.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<&'static Entry> {
        self.entries.iter().rev().copied().find(|e| e.name == name)
    }

    /// Creates the filter of a stored record, to query its properties; running it takes a
    /// [`Pipeline`](crate::Pipeline).
    ///
    /// `version` is the format version of the record's container. Filters that are not compiled in
    /// can be created, too.
    ///
    /// # Errors
    /// Fails if the code is unknown or the options are invalid.
    pub fn filter(
        &self,
        record: &FilterRecord,
        version: FormatVersion,
    ) -> Result<Box<dyn Filter>, FilterError> {
        self.parse(record.code, &record.options, version, None)
            .map(|(_, filter)| filter)
    }

    /// Creates the filter with this code and these stored options; also returns its entry.
    pub(crate) fn parse(
        &self,
        code: u8,
        bytes: &[u8],
        version: FormatVersion,
        key: Option<&EncryptionKey>,
    ) -> Result<(&'static Entry, Box<dyn Filter>), FilterError> {
        let entry = self.entry(code).ok_or_else(|| unknown(code))?;
        let filter = (entry.parse)(&Options {
            filter: entry.name,
            bytes,
            version,
            key,
        })?;
        Ok((entry, filter))
    }

    /// Iterates over all filters: those of this crate by code, then those added, in order.
    pub fn entries(&self) -> impl Iterator<Item = &'static Entry> + '_ {
        self.entries.iter().copied()
    }
}

/// Creates the error for a code that no filter has.
fn unknown(code: u8) -> FilterError {
    let why = if WITHDRAWN.contains(&code) {
        "was withdrawn, and what it wrote cannot be read"
    } else {
        "is unknown"
    };
    FilterError::Unsupported { code, why }
}

/// Describes a stored filter in readable form; `version` is the format version of the record that
/// contains it.
///
/// Filters that are not compiled in can be described, too.
///
/// # Errors
/// Fails if the code is unknown or the options are invalid.
pub fn describe(
    record: &FilterRecord,
    version: FormatVersion,
    registry: &Registry,
) -> Result<Description, FilterError> {
    let (entry, filter) = registry.parse(record.code, &record.options, version, None)?;
    let options = filter.describe();
    Ok(Description {
        name: entry.name.to_owned(),
        options: options
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    })
}

impl FilterList {
    /// True if one of the filters encrypts with the array's key; unknown filters count as not
    /// encrypting.
    pub(crate) fn encrypts(&self, registry: &Registry) -> bool {
        let mut entries = self.filters.iter().filter_map(|f| registry.entry(f.code));
        entries.any(|entry| entry.encrypts)
    }
}

impl Description {
    /// Returns the stored form of this filter, for a record of `version`.
    ///
    /// # Errors
    /// Fails if the filter or an option is unknown, or if a value is out of range.
    pub fn record(
        &self,
        version: FormatVersion,
        registry: &Registry,
    ) -> Result<FilterRecord, FilterError> {
        let entry = registry
            .by_name(&self.name)
            .ok_or_else(|| FilterError::UnknownName {
                name: self.name.clone(),
                known: registry.entries().map(|entry| entry.name).collect(),
            })?;
        let filter = (entry.build)(self)?;
        let known: Vec<&str> = filter.describe().iter().map(|(known, _)| *known).collect();
        let mut names = self.options.iter().map(|(name, _)| name);
        if let Some(name) = names.find(|name| !known.contains(&name.as_str())) {
            return Err(FilterError::UnknownOption {
                filter: entry.name,
                name: name.clone(),
                known,
            });
        }
        Ok(FilterRecord::new(
            entry.code,
            Bytes::from(filter.options(version)),
        ))
    }
}
