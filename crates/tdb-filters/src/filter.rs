use std::fmt;

use tdb_tile::{Datatype, FormatVersion};

use crate::header::Reader;
use crate::{
    Chunk, Description, EncryptionKey, FilterError, FilteredField, Misfit, OptionValue, Out, Stage,
    TileKind,
};

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

    /// What the filter does with the offsets of a tile of var-sized values, where it comes first.
    fn offsets(&self, _tile: &TileKind) -> Offsets {
        Offsets::Apart
    }

    /// Whether the filter must be given such a tile as one chunk.
    fn unites_chunks(&self, _tile: &TileKind) -> bool {
        false
    }

    /// Fails, with the reason, where the filter cannot write such a tile at all, whatever the type that the
    /// filters before it leave.
    ///
    /// # Errors
    /// Why, as the end of "cannot be used here: ".
    fn check_tile(&self, _tile: &TileKind) -> Result<(), &'static str> {
        Ok(())
    }

    /// Fails where a new array may not have the filter on this field.
    ///
    /// # Errors
    /// What does not fit.
    fn check_field(&self, _field: &FilteredField<'_>) -> Result<(), Misfit> {
        Ok(())
    }

    /// Whether data and metadata leave and come back as they are, so that the filter need not run.
    fn does_nothing(&self) -> bool {
        false
    }

    /// Whether this is a compressor: format 1 keeps coordinates dimension by dimension where one follows.
    fn compresses(&self) -> bool {
        false
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

/// Where the offsets of a tile of var-sized values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offsets {
    /// In a tile of their own; the filter sees values only.
    Apart,
    /// In a tile of their own, by the rules of the format version; a writer that folded them nevertheless
    /// left that tile without chunks.
    ApartOrFolded,
    /// Folded into the data: the filter is given [`Chunk::starts`], and gives them back through
    /// [`Out::data_and_starts`].
    Folded,
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
    /// The key of the array, for filters that [encrypt](Entry::encrypts): none where options are only looked at.
    #[must_use]
    pub fn key(&self) -> Option<&'a EncryptionKey> {
        self.key
    }

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
    /// Whether it encrypts with the array's key, without which it cannot run. A pipeline with such a filter
    /// gets no other when there is a key.
    pub encrypts: bool,
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
            encrypts: false,
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

    /// The same entry, for a filter that encrypts with the array's key.
    #[must_use]
    pub const fn encrypting(mut self) -> Self {
        self.encrypts = true;
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
            // Only `behind` says that something is not there, and it names the feature.
            feature: self.feature.unwrap_or("of another build"),
        })
    }
}
