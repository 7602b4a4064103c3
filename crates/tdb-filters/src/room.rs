//! Memory that is filled, or read, piece after piece.

use tdb_tile::{Bug, Limits};

use crate::FilterError;

/// Takes the first `len` bytes off memory that was asked for to hold them.
#[track_caller]
pub(crate) fn cut<'a>(room: &mut &'a mut [u8], len: usize) -> Result<&'a mut [u8], FilterError> {
    let piece = room.split_off_mut(..len);
    piece.ok_or_else(|| Bug::new("the memory of a filter is too short").into())
}

/// Takes the first `len` of bytes that were counted before.
#[track_caller]
pub(crate) fn cut_ref<'a>(bytes: &mut &'a [u8], len: usize) -> Result<&'a [u8], FilterError> {
    let piece = bytes.split_off(..len);
    piece.ok_or_else(|| Bug::new("lengths that add up are too long").into())
}

/// A size that is stored, as that of something in memory.
pub(crate) fn in_memory(
    what: &'static str,
    setting: &'static str,
    size: u64,
) -> Result<usize, FilterError> {
    Limits::check(what, setting, size, usize::MAX as u64)?;
    usize::try_from(size).map_err(|_| Bug::new("a size that was checked").into())
}
