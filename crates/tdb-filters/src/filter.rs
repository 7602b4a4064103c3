use std::fmt;

use tdb_tile::{Datatype, FormatVersion};

use crate::filters::ALL;
use crate::header::Reader;
use crate::{Chunk, Description, EncryptionKey, FilterError, OptionValue, Out, Stage};

/// One reversible stage of a pipeline: reads what it is lent, writes into what it is lent,
/// and allocates nothing per chunk.
///
/// `docs/adding-a-filter.md` walks through writing one;
/// `conformance::check` (feature `conformance`) tests it.
pub trait Filter: fmt::Debug + Send + Sync {
    /// Filters a chunk on the way to storage.
    ///
    /// # Errors
    /// [`FilterError::Values`] or [`FilterError::InvalidPipeline`] where the data cannot pass.
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError>;

    /// Undoes [`Filter::encode`]; data and metadata come joined.
    ///
    /// # Errors
    /// [`FilterError::Corrupt`] where the bytes cannot come from `encode`.
    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError>;

    /// The options as they are stored; must be what [`Entry::parse`] reads back.
    fn options(&self, _version: FormatVersion) -> Vec<u8> {
        Vec::new()
    }

    /// The options as people read them; must be what [`Entry::build`] takes.
    fn describe(&self) -> Vec<(&'static str, OptionValue)> {
        Vec::new()
    }

    /// The datatype that the next stage sees.
    fn output(&self, input: Datatype) -> Datatype {
        input
    }

    /// Whether values of this type can be written through the filter.
    fn accepts(&self, _input: Datatype) -> bool {
        true
    }

    /// Whether data leaves as it came (checksums), so that it need not be moved.
    fn keeps_data(&self) -> bool {
        false
    }

    /// Whether values come back changed, however little.
    fn is_lossy(&self) -> bool {
        false
    }

    /// The first of these values of a type that comes back as quite another: one that the filter can only cut off,
    /// which is more than it rounds.
    fn first_unfit(&self, _values: &[u8], _input: Datatype) -> Option<Unfit> {
        None
    }

    /// Whether data or metadata can leave in parts of any length, whatever the size of the
    /// values that came.
    fn breaks_values(&self, _input: Datatype) -> bool {
        false
    }

    /// What the filter makes of parts that are no whole number of values.
    fn broken_values(&self) -> BrokenValues {
        BrokenValues::Fine
    }
}

/// A value that a filter cannot store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unfit {
    /// Its number among the values, from 0.
    pub index: usize,
    /// Name of the filter.
    pub filter: &'static str,
    /// The least and the greatest value that it can store.
    pub range: (f64, f64),
}

/// What a filter makes of parts that are no whole number of values: some of TileDB's drop
/// their end without a word, so that such pipelines must not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenValues {
    /// They pass.
    Fine,
    /// They are lost, unless values are single bytes.
    Lost,
    /// Whatever follows a filter that [breaks values](Filter::breaks_values) cannot be read.
    Unreadable,
}

/// The stored options of a filter, on their way to becoming one.
#[derive(Debug)]
pub struct Options<'a> {
    /// The filter's name.
    pub filter: &'static str,
    /// The options as stored.
    pub bytes: &'a [u8],
    /// The version of the record that holds them.
    pub version: FormatVersion,
    pub(crate) key: Option<&'a EncryptionKey>,
}

impl<'a> Options<'a> {
    /// An error about these options.
    #[must_use]
    pub fn fail(&self, why: &'static str) -> FilterError {
        FilterError::Options {
            filter: self.filter,
            why,
        }
    }

    /// A reader over the options.
    #[must_use]
    pub fn reader(&self) -> Reader<'a> {
        Reader::new(self.filter, self.bytes)
    }

    /// Fails unless there are none.
    ///
    /// # Errors
    /// [`FilterError::Corrupt`] where there are bytes.
    pub fn none(&self) -> Result<(), FilterError> {
        self.reader().finish("options")
    }
}

/// What a table of filters holds of each: the one place where a filter is announced.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The code that pipelines store.
    pub code: u8,
    /// The name that people use.
    pub name: &'static str,
    /// The format version of the first release that wrote it.
    pub since: u32,
    /// The feature that brings the filter; `None` where it is always there.
    pub feature: Option<&'static str>,
    /// Whether this build can run the filter.
    pub compiled: bool,
    /// Makes a filter of stored options.
    pub parse: fn(&Options<'_>) -> Result<Box<dyn Filter>, FilterError>,
    /// Makes a filter of options as people write them, with defaults for those left out.
    pub build: fn(&Description) -> Result<Box<dyn Filter>, FilterError>,
}

impl Entry {
    /// An entry for a filter that is always there.
    #[must_use]
    pub const fn new(
        code: u8,
        name: &'static str,
        parse: fn(&Options<'_>) -> Result<Box<dyn Filter>, FilterError>,
        build: fn(&Description) -> Result<Box<dyn Filter>, FilterError>,
    ) -> Self {
        Self {
            code,
            name,
            since: 1,
            feature: None,
            compiled: true,
            parse,
            build,
        }
    }

    /// The same entry, for a filter that releases write from this format version on.
    #[must_use]
    pub const fn since(mut self, version: u32) -> Self {
        self.since = version;
        self
    }

    /// The same entry, for a filter that a feature brings.
    #[must_use]
    pub const fn behind(mut self, feature: &'static str, compiled: bool) -> Self {
        self.feature = Some(feature);
        self.compiled = compiled;
        self
    }

    /// Fails unless this build can run the filter.
    ///
    /// # Errors
    /// [`FilterError::NotCompiledIn`].
    pub fn available(&self) -> Result<(), FilterError> {
        if self.compiled {
            return Ok(());
        }
        Err(FilterError::NotCompiledIn {
            name: self.name,
            code: self.code,
            feature: self.feature.unwrap_or_default(),
        })
    }
}

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

    /// All filters, in the order in which they were announced.
    pub fn entries(&self) -> impl Iterator<Item = &'static Entry> + '_ {
        self.entries.iter().copied()
    }
}
