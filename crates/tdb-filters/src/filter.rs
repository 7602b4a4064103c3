use std::fmt;

use tdb_tile::{Datatype, FormatVersion};

use crate::header::Reader;
use crate::{
    Chunk, Description, EncryptionKey, FilterError, FilteredField, Misfit, OptionValue, Out, Stage,
    TileKind,
};

/// One reversible stage of a pipeline. It reads and writes memory that the pipeline lends it, and
/// allocates nothing per chunk.
///
/// `docs/adding-a-filter.md` is a tutorial; `conformance::check` (feature `conformance`) tests a
/// filter.
pub trait Filter: fmt::Debug + Send + Sync {
    /// Encodes a chunk.
    ///
    /// # Errors
    /// [`FilterError::Values`] or [`FilterError::InvalidPipeline`] if the filter cannot encode the
    /// data.
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError>;

    /// Undoes [`Filter::encode`]. Data and metadata are one part each.
    ///
    /// # Errors
    /// [`FilterError::Corrupt`] if the bytes cannot be output of `encode`.
    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError>;

    /// The options in their stored form, which [`Entry::parse`] must be able to read.
    fn options(&self, _version: FormatVersion) -> Vec<u8> {
        Vec::new()
    }

    /// The options in their readable form, which [`Entry::build`] must accept.
    fn describe(&self) -> Vec<(&'static str, OptionValue)> {
        Vec::new()
    }

    /// The datatype that the next stage sees.
    fn output(&self, input: Datatype) -> Datatype {
        input
    }

    /// True if the filter can encode values of this type.
    fn accepts(&self, _input: Datatype) -> bool {
        true
    }

    /// The place of a var-sized tile's offsets if this is the first filter.
    fn offsets(&self, _tile: &TileKind) -> Offsets {
        Offsets::Apart
    }

    /// True if the filter needs the whole tile as one chunk.
    fn unites_chunks(&self, _tile: &TileKind) -> bool {
        false
    }

    /// Fails if the filter cannot encode tiles of this kind at all, whatever datatype earlier
    /// filters output.
    ///
    /// # Errors
    /// The reason, as the end of the message "cannot be used here: ".
    fn check_tile(&self, _tile: &TileKind) -> Result<(), &'static str> {
        Ok(())
    }

    /// Fails if a new array must not use the filter for this field.
    ///
    /// # Errors
    /// The property of the field that does not suit the filter.
    fn check_field(&self, _field: &FilteredField<'_>) -> Result<(), Misfit> {
        Ok(())
    }

    /// True if the filter changes neither data nor metadata, so that it need not run.
    fn does_nothing(&self) -> bool {
        false
    }

    /// True for compressors: format version 1 stores coordinates dimension by dimension if the
    /// pipeline has one.
    fn compresses(&self) -> bool {
        false
    }

    /// True if the filter does not change the data (checksums), so that the data need not be
    /// copied.
    fn keeps_data(&self) -> bool {
        false
    }

    /// True if decoded values may differ, however little, from the encoded ones.
    fn is_lossy(&self) -> bool {
        false
    }

    /// Returns the first of these values that the filter cannot represent: it would be clamped, not
    /// just rounded.
    fn first_unfit(&self, _values: &[u8], _input: Datatype) -> Option<Unfit> {
        None
    }

    /// True if output parts may have lengths that are not multiples of the input's value size.
    fn breaks_values(&self, _input: Datatype) -> bool {
        false
    }

    /// The filter's treatment of parts that are not a whole number of values.
    fn broken_values(&self) -> BrokenValues {
        BrokenValues::Fine
    }
}

/// The place of the offsets of a tile of var-sized values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offsets {
    /// In a tile of their own; the filter sees only values.
    Apart,
    /// In a tile of their own, according to the format version. Some writers folded them
    /// nevertheless; these wrote an offsets tile without chunks.
    ApartOrFolded,
    /// Folded into the data: the filter receives [`Chunk::starts`] and returns them through
    /// [`Out::data_and_starts`].
    Folded,
}

/// A value that a filter cannot represent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unfit {
    /// The index of the value, from 0.
    pub index: usize,
    /// The name of the filter.
    pub filter: &'static str,
    /// The least and the greatest value that the filter can represent.
    pub range: (f64, f64),
}

/// A filter's treatment of parts that are not a whole number of values. Some of TileDB's filters
/// silently drop the end of such a part, so pipelines that produce such parts must not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenValues {
    /// Parts with incomplete values are encoded and decoded correctly.
    Fine,
    /// An incomplete value at the end of a part is lost, unless values are single bytes.
    Lost,
    /// The output cannot be read if any earlier filter [breaks values](Filter::breaks_values).
    Unreadable,
}

/// The stored options of a filter, input of [`Entry::parse`].
#[derive(Debug)]
pub struct Options<'a> {
    /// The filter's name.
    pub filter: &'static str,
    /// The options in their stored form.
    pub bytes: &'a [u8],
    /// The format version of the record that contains the options.
    pub version: FormatVersion,
    pub(crate) key: Option<&'a EncryptionKey>,
}

impl<'a> Options<'a> {
    /// The key of the array, for filters that [encrypt](Entry::encrypts); `None` if the options are
    /// only described.
    #[must_use]
    pub fn key(&self) -> Option<&'a EncryptionKey> {
        self.key
    }

    /// Creates an error about these options.
    #[must_use]
    pub fn fail(&self, why: &'static str) -> FilterError {
        FilterError::Options {
            filter: self.filter,
            why,
        }
    }

    /// Returns a reader of the options.
    #[must_use]
    pub fn reader(&self) -> Reader<'a> {
        Reader::new(self.filter, self.bytes)
    }

    /// Fails if there are options.
    ///
    /// # Errors
    /// [`FilterError::Corrupt`] if the options are not empty.
    pub fn none(&self) -> Result<(), FilterError> {
        self.reader().finish("options")
    }
}

/// The entry of a filter in the table of filters: everything needed to parse, build and list it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The code in stored pipelines.
    pub code: u8,
    /// The name in descriptions.
    pub name: &'static str,
    /// The format version of the first release that wrote the filter.
    pub since: u32,
    /// The feature that enables the filter; `None` if it is always compiled in.
    pub feature: Option<&'static str>,
    /// True if this build can run the filter.
    pub compiled: bool,
    /// True if the filter encrypts with the array's key and cannot run without it. With a key,
    /// [`Pipeline::new`](crate::Pipeline::new) appends encryption only if no filter of the pipeline
    /// encrypts.
    pub encrypts: bool,
    /// Creates the filter from stored options.
    pub parse: fn(&Options<'_>) -> Result<Box<dyn Filter>, FilterError>,
    /// Creates the filter from a description, with defaults for missing options.
    pub build: fn(&Description) -> Result<Box<dyn Filter>, FilterError>,
}

impl Entry {
    /// Creates an entry for a filter that is always compiled in.
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

    /// Sets the format version of the first release that wrote the filter.
    #[must_use]
    pub const fn since(mut self, version: u32) -> Self {
        self.since = version;
        self
    }

    /// Sets the feature that enables the filter, and whether it is compiled in.
    #[must_use]
    pub const fn behind(mut self, feature: &'static str, compiled: bool) -> Self {
        self.feature = Some(feature);
        self.compiled = compiled;
        self
    }

    /// Marks the filter as one that encrypts with the array's key.
    #[must_use]
    pub const fn encrypting(mut self) -> Self {
        self.encrypts = true;
        self
    }

    /// Fails unless this build can run the filter.
    ///
    /// # Errors
    /// [`FilterError::NotCompiledIn`] if the filter is not compiled in.
    pub fn available(&self) -> Result<(), FilterError> {
        if self.compiled {
            return Ok(());
        }
        Err(FilterError::NotCompiledIn {
            name: self.name,
            code: self.code,
            // Only `behind` clears `compiled`, and it sets the feature.
            feature: self.feature.unwrap_or("of another build"),
        })
    }
}
