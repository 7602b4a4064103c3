use bytes::Bytes;
use tdb_tile::FormatVersion;

use crate::filter::{Entry, Filter, Options};
use crate::filters::{ALL, WITHDRAWN};
use crate::{Description, EncryptionKey, FilterError, FilterList, FilterRecord};

/// The filters that a pipeline may name: those of this crate, and any brought from outside.
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

    /// These filters and one more, which replaces one of the same code or name.
    #[must_use]
    pub fn with(&self, entry: &'static Entry) -> Self {
        let mut entries = self.entries.clone();
        entries.push(entry);
        Self { entries }
    }

    /// The filter that a pipeline stores under this code.
    #[must_use]
    pub fn entry(&self, code: u8) -> Option<&'static Entry> {
        self.entries.iter().rev().copied().find(|e| e.code == code)
    }

    /// The filter with this name.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<&'static Entry> {
        self.entries.iter().rev().copied().find(|e| e.name == name)
    }

    /// The filter that a record stands for, ready to be asked; to run, it needs a [`Pipeline`](crate::Pipeline).
    ///
    /// `version` is that of what holds the record. Works for filters that are not compiled in, too.
    ///
    /// # Errors
    /// Codes that stand for nothing, and options that make no sense.
    pub fn filter(
        &self,
        record: &FilterRecord,
        version: FormatVersion,
    ) -> Result<Box<dyn Filter>, FilterError> {
        self.parse(record.code, &record.options, version, None)
            .map(|(_, filter)| filter)
    }

    /// The filter that is stored as this code and these options, and its entry.
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

    /// All filters, in the order in which they were announced.
    pub fn entries(&self) -> impl Iterator<Item = &'static Entry> + '_ {
        self.entries.iter().copied()
    }
}

/// A code that no filter has.
fn unknown(code: u8) -> FilterError {
    let why = if WITHDRAWN.contains(&code) {
        "was withdrawn, and what it wrote cannot be read"
    } else {
        "is unknown"
    };
    FilterError::Unsupported { code, why }
}

/// What a stored filter is, in people's terms; `version` is that of the record that holds it.
///
/// Works for filters that are not compiled in, too.
///
/// # Errors
/// Codes that stand for nothing, and options that make no sense.
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
    /// Whether one of the filters encrypts with the array's key; those that are unknown do not.
    pub(crate) fn encrypts(&self, registry: &Registry) -> bool {
        let mut entries = self.filters.iter().filter_map(|f| registry.entry(f.code));
        entries.any(|entry| entry.encrypts)
    }
}

impl Description {
    /// The stored form, for a record of `version`.
    ///
    /// # Errors
    /// Names of filters or options that there are not, and values out of range.
    pub fn record(
        &self,
        version: FormatVersion,
        registry: &Registry,
    ) -> Result<FilterRecord, FilterError> {
        let entry = registry.by_name(&self.name);
        let entry = entry.ok_or_else(|| FilterError::UnknownName {
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
