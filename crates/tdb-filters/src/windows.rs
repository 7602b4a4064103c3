//! The common part of bit-width reduction and positive delta: the datatypes that they apply to, and
//! windows.

use tdb_tile::{Datatype, FormatVersion};

use crate::Stage;
use crate::chunking::whole_cells;

/// True if both filters can be used with the datatype at all.
pub(crate) fn accepts(datatype: Datatype) -> bool {
    datatype.is_integer() || datatype.is_byte_like() || is_temporal(datatype)
}

const fn is_temporal(datatype: Datatype) -> bool {
    datatype.is_datetime() || datatype.is_time()
}

/// True if both filters change values of the stage's datatype; otherwise they pass them on.
pub(crate) fn acts(stage: &Stage<'_>) -> bool {
    acts_in(stage.datatype, stage.version)
}

fn acts_in(datatype: Datatype, version: FormatVersion) -> bool {
    if is_temporal(datatype) {
        return version.reduces_datetimes();
    }
    datatype.is_integer() || datatype.is_byte_like()
}

/// Splits a part into windows of whole values, at most `max` bytes but at least one value each. The
/// last window has the rest, which may not be a whole number of values.
pub(crate) fn windows(part: &[u8], size: usize, max: usize) -> impl Iterator<Item = &[u8]> + Clone {
    let whole = whole_cells(part.len().min(max), size.max(1));
    let window = if whole == 0 {
        part.len().min(size)
    } else {
        whole
    };
    part.chunks(window.max(1))
}
