//! Taking memory or bytes piece by piece from the front of a slice.

use tdb_tile::{Bug, Limits};

use crate::FilterError;

/// Splits off the first `len` bytes of memory that was reserved for them; it is a bug if there are
/// fewer.
#[track_caller]
pub(crate) fn cut<'a>(room: &mut &'a mut [u8], len: usize) -> Result<&'a mut [u8], FilterError> {
    let piece = room.split_off_mut(..len);
    piece.ok_or_else(|| Bug::new("the memory of a filter is too short").into())
}

/// Splits off the first `len` of bytes that were counted before; it is a bug if there are fewer.
#[track_caller]
pub(crate) fn cut_ref<'a>(bytes: &mut &'a [u8], len: usize) -> Result<&'a [u8], FilterError> {
    let piece = bytes.split_off(..len);
    piece.ok_or_else(|| Bug::new("lengths that add up are too long").into())
}

/// Converts a stored size to a size in memory; fails if it exceeds the address space.
pub(crate) fn in_memory(
    what: &'static str,
    setting: &'static str,
    size: u64,
) -> Result<usize, FilterError> {
    Limits::check(what, setting, size, usize::MAX as u64)?;
    usize::try_from(size).map_err(|_| Bug::new("a size that was checked").into())
}
