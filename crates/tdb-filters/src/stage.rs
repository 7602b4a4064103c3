use std::any::Any;

use tdb_tile::{Datatype, FormatVersion, Limits};

use crate::FilterError;
use crate::scratch::{Buffer, Contexts};

/// All that a filter may know of where it stands: never the tile, the array or a configuration.
pub struct Stage<'a> {
    /// Format version of the fragment.
    pub version: FormatVersion,
    /// Type of the values that the filter is given when encoding.
    pub datatype: Datatype,
    /// Bytes of a cell of the tile, whatever the datatype has become.
    pub cell_size: usize,
    /// The chunk holds strings whose offsets are folded into the data (or are to be).
    pub folds_offsets: bool,
    /// The caps in force.
    pub limits: &'a Limits,
    pub(crate) contexts: &'a mut Contexts,
}

impl Stage<'_> {
    /// The state that a codec keeps per worker, made when first asked for.
    ///
    /// # Errors
    /// What `make` returns.
    pub fn context<T: Any + Send>(
        &mut self,
        make: impl FnOnce() -> Result<T, FilterError>,
    ) -> Result<&mut T, FilterError> {
        self.contexts.get(make)
    }
}

/// Where a stage puts what it makes: memory kept from chunk to chunk, or, when the last
/// stage decodes, the caller's own.
pub struct Out<'a> {
    pub(crate) filter: &'static str,
    pub(crate) limits: &'a Limits,
    /// Most bytes that the stage may make.
    pub(crate) cap: usize,
    pub(crate) target: StageTarget<'a>,
    pub(crate) metadata: &'a mut Buffer,
    pub(crate) header: &'a mut Vec<u8>,
    pub(crate) starts: Option<&'a mut Vec<u64>>,
    pub(crate) made: Made,
}

/// Memory for data.
pub(crate) enum StageTarget<'a> {
    /// The caller's, to be filled exactly.
    Caller(&'a mut [u8]),
    Scratch(&'a mut Buffer),
}

/// What a stage did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Made {
    pub(crate) data: bool,
    pub(crate) keeps_data: bool,
    pub(crate) metadata: bool,
    /// The input's metadata goes on from this byte.
    pub(crate) keeps_metadata_from: Option<usize>,
}

impl Out<'_> {
    /// Memory for the data, all of it, to be overwritten.
    ///
    /// # Errors
    /// A length over the cap; when this is the caller's memory, any length but its own.
    pub fn data(&mut self, len: usize) -> Result<&mut [u8], FilterError> {
        Ok(self.header_and_data(len)?.1)
    }

    /// When encoding: the stage's own metadata, to be appended to, and memory for the data.
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

    /// When encoding: gives back the end of the memory for data.
    pub fn shorten_data(&mut self, len: usize) {
        if let StageTarget::Scratch(buffer) = &mut self.target {
            buffer.shorten(len);
        }
    }

    /// Hands the data on as it came.
    pub fn keep_data(&mut self) {
        self.made.keeps_data = true;
    }

    /// When encoding: the stage's own metadata, which becomes the first part.
    pub fn header(&mut self) -> &mut Vec<u8> {
        self.header
    }

    /// When decoding: memory for all metadata that goes to the next stage.
    ///
    /// # Errors
    /// A length over the cap.
    pub fn metadata(&mut self, len: usize) -> Result<&mut [u8], FilterError> {
        self.made.metadata = true;
        check_cap(len, self.cap)?;
        self.metadata.lend(len, self.limits)
    }

    /// Hands the metadata on as it came: from byte `from` on when decoding, all parts when encoding.
    pub fn keep_metadata(&mut self, from: usize) {
        self.made.keeps_metadata_from = Some(from);
    }

    /// When decoding strings with folded offsets: memory for the data, and where the start of
    /// each cell goes; nowhere if nobody asked.
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

impl Made {
    /// Fails where a stage did not say what becomes of its data.
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
