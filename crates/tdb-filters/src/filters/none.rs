//! Filter 0: passes every chunk on unchanged.
//!
//! Has no options and records nothing. TileDB stores a compression filter without a compressor as
//! this filter.

use crate::{Chunk, Entry, Filter, FilterError, Out, Stage};

pub(crate) static ENTRY: Entry = Entry::new(
    0,
    "none",
    |options| options.none().map(|()| Box::new(NoFilter) as _),
    |_| Ok(Box::new(NoFilter)),
);

#[derive(Debug)]
struct NoFilter;

impl Filter for NoFilter {
    fn encode(
        &self,
        _: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        out.keep_data();
        out.keep_metadata(0);
        Ok(())
    }

    fn decode(
        &self,
        _: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        out.keep_data();
        out.keep_metadata(0);
        Ok(())
    }

    fn does_nothing(&self) -> bool {
        true
    }

    fn keeps_data(&self) -> bool {
        true
    }
}
