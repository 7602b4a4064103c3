use std::any::Any;

use tdb_tile::{Datatype, FormatVersion, Limits};

use crate::FilterError;
use crate::scratch::{Buffer, Contexts};

/// The context in which a filter runs: everything that a filter may know beyond its options.
pub struct Stage<'a> {
    /// Format version of the fragment.
    pub version: FormatVersion,
    /// Datatype of the filter's input when encoding.
    pub datatype: Datatype,
    /// Bytes of a cell of the tile, even if earlier filters changed the datatype.
    pub cell_size: usize,
    /// True if the chunk holds strings whose offsets are folded into the data, or are to be.
    pub folds_offsets: bool,
    /// The caps that apply.
    pub limits: &'a Limits,
    pub(crate) contexts: &'a mut Contexts,
}

impl Stage<'_> {
    /// Returns the state of type `T` that a codec keeps per worker; the first call creates it.
    ///
    /// # Errors
    /// Passes on the errors of `make`.
    pub fn context<T: Any + Send>(
        &mut self,
        make: impl FnOnce() -> Result<T, FilterError>,
    ) -> Result<&mut T, FilterError> {
        self.contexts.get(make)
    }
}

/// The output of a stage. Memory is reused for every chunk, except for the values of a decode,
/// which go directly into the caller's memory.
pub struct Out<'a> {
    pub(crate) filter: &'static str,
    pub(crate) limits: &'a Limits,
    /// Maximum number of bytes that the stage may output.
    pub(crate) cap: usize,
    pub(crate) target: StageTarget<'a>,
    pub(crate) metadata: &'a mut Buffer,
    pub(crate) header: &'a mut Vec<u8>,
    pub(crate) starts: Option<&'a mut Vec<u64>>,
    pub(crate) made: StageOutputs,
}

/// The memory for a stage's output data.
pub(crate) enum StageTarget<'a> {
    /// The caller's memory, to be filled exactly.
    Caller(&'a mut [u8]),
    Scratch(&'a mut Buffer),
}

/// A record of the outputs that a stage produced.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StageOutputs {
    pub(crate) data: bool,
    pub(crate) keeps_data: bool,
    pub(crate) metadata: bool,
    /// Start of the input's metadata that goes on to the next stage; `None` if none does.
    pub(crate) keeps_metadata_from: Option<usize>,
}

impl Out<'_> {
    /// Returns memory for `len` bytes of data. Its content is arbitrary, and the stage must
    /// overwrite all of it.
    ///
    /// # Errors
    /// Fails if the length is over the cap or, for the caller's memory, not exactly its size.
    pub fn data(&mut self, len: usize) -> Result<&mut [u8], FilterError> {
        Ok(self.header_and_data(len)?.1)
    }

    /// When encoding: returns the stage's own metadata, to append to, and memory for `len` bytes of
    /// data.
    ///
    /// # Errors
    /// As for [`Out::data`].
    pub fn header_and_data(
        &mut self,
        len: usize,
    ) -> Result<(&mut Vec<u8>, &mut [u8]), FilterError> {
        self.made.data = true;
        let data = self.target.lend(self.filter, len, self.cap, self.limits)?;
        Ok((self.header, data))
    }

    /// When encoding: shortens the output data to `len` bytes.
    pub fn shorten_data(&mut self, len: usize) {
        if let StageTarget::Scratch(buffer) = &mut self.target {
            buffer.shorten(len);
        }
    }

    /// Passes the input data on unchanged.
    pub fn keep_data(&mut self) {
        self.made.keeps_data = true;
    }

    /// When encoding: returns the stage's own metadata, which becomes the first part.
    pub fn header(&mut self) -> &mut Vec<u8> {
        self.header
    }

    /// When decoding: returns memory for all metadata of the next stage.
    ///
    /// # Errors
    /// Fails if the length is over the cap.
    pub fn metadata(&mut self, len: usize) -> Result<&mut [u8], FilterError> {
        self.made.metadata = true;
        check_cap(len, self.cap)?;
        self.metadata.lend(len, self.limits)
    }

    /// Passes the input's metadata on unchanged: from byte `from` on when decoding, all parts when
    /// encoding.
    pub fn keep_metadata(&mut self, from: usize) {
        self.made.keeps_metadata_from = Some(from);
    }

    /// When decoding strings with folded offsets: returns memory for the data, and the list that
    /// receives the start of each cell; `None` if the caller does not need the starts.
    ///
    /// # Errors
    /// As for [`Out::data`].
    pub fn data_and_starts(
        &mut self,
        len: usize,
    ) -> Result<(&mut [u8], Option<&mut Vec<u64>>), FilterError> {
        let Self {
            filter,
            limits,
            cap,
            target,
            starts,
            made,
            ..
        } = self;
        made.data = true;
        let data = target.lend(filter, len, *cap, limits)?;
        Ok((data, starts.as_deref_mut()))
    }
}

impl StageTarget<'_> {
    fn lend(
        &mut self,
        filter: &'static str,
        len: usize,
        cap: usize,
        limits: &Limits,
    ) -> Result<&mut [u8], FilterError> {
        match self {
            StageTarget::Caller(memory) => {
                let wanted = memory.len();
                if wanted != len {
                    return Err(FilterError::mismatch(filter, "size", wanted, len));
                }
                Ok(memory)
            }
            StageTarget::Scratch(buffer) => {
                check_cap(len, cap)?;
                buffer.lend(len, limits)
            }
        }
    }
}

impl StageOutputs {
    /// Fails unless the stage either wrote data or passed its input on.
    pub(crate) fn checked(self, filter: &'static str) -> Result<Self, FilterError> {
        if self.data == self.keeps_data {
            return Err(FilterError::InvalidPipeline {
                filter,
                why: "it hands on no data, or two",
            });
        }
        Ok(self)
    }
}

fn check_cap(len: usize, cap: usize) -> Result<(), FilterError> {
    let (what, setting) = ("size between two filters", "data_tile");
    Ok(Limits::check(what, setting, len as u64, cap as u64)?)
}
