//! What bit-width reduction and positive delta share: which types they act on, and windows.

use tdb_tile::{Datatype, FormatVersion};

use crate::Stage;

/// Whether the two filters can be used with a type at all.
pub(crate) fn accepts(datatype: Datatype) -> bool {
    datatype.is_integer() || datatype.is_byte_like() || is_temporal(datatype)
}

const fn is_temporal(datatype: Datatype) -> bool {
    datatype.is_datetime() || datatype.is_time()
}

/// Whether the two filters act on values of this type, or hand them on as they are.
pub(crate) fn acts(stage: &Stage<'_>) -> bool {
    acts_in(stage.datatype, stage.version)
}

fn acts_in(datatype: Datatype, version: FormatVersion) -> bool {
    if is_temporal(datatype) {
        return version.reduces_datetimes();
    }
    datatype.is_integer() || datatype.is_byte_like()
}

/// The windows of a part: whole values, at most `max` bytes; one of another length for a part
/// that is shorter than a value, and at the end.
pub(crate) fn windows(part: &[u8], size: usize, max: usize) -> impl Iterator<Item = &[u8]> + Clone {
    let most = part.len().min(max);
    let rest = most.checked_rem(size).unwrap_or(0);
    let whole = most.saturating_sub(rest);
    let window = if whole == 0 {
        part.len().min(size)
    } else {
        whole
    };
    part.chunks(window.max(1))
}
