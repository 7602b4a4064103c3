use tdb_tile::{Exact, Range, Record, Walk, WireError, WireErrorKind};

use crate::DimensionType;

/// A minimum bounding rectangle: one range per dimension.
///
/// Footers store the non-empty domain in the same form.
///
/// A fixed-size coordinate is stored as lower and upper end. A range of strings is stored as the
/// bytes of both ends together and the bytes of the lower end (both `u64`), then the two ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mbr(pub Vec<Range>);

impl Record for Mbr {
    const NAME: &'static str = "Mbr";
    const MIN_SIZE: usize = 2;
    type Cx = [DimensionType];

    fn walk<W: Walk>(&mut self, w: &mut W, dimensions: &[DimensionType]) -> Result<(), WireError> {
        let Self(ranges) = self;
        ranges.resize(dimensions.len(), Range::default());
        ranges
            .iter_mut()
            .zip(dimensions)
            .try_for_each(|(range, dimension)| walk_range(w, range, *dimension))
    }
}

pub(crate) fn walk_range<W: Walk>(
    w: &mut W,
    range: &mut Range,
    dimension: DimensionType,
) -> Result<(), WireError> {
    let Range { lo, hi } = range;
    if let Some(size) = dimension.coordinate_size() {
        w.raw("lo", size as u64, lo)?;
        return w.raw("hi", size as u64, hi);
    }
    let both = lo
        .len()
        .exact_add(hi.len())
        .map_err(|bug| w.fail("range size", bug.into()))?;
    let size = w.count::<u64>("range size", both)?;
    let lo_size = w.count::<u64>("lo size", lo.len())?;
    let hi_size = size.checked_sub(lo_size).ok_or_else(|| {
        w.fail(
            "lo size",
            WireErrorKind::Invalid(
                "the lower end of a range takes more bytes than the whole range",
            ),
        )
    })?;
    w.raw("lo", lo_size, lo)?;
    w.raw("hi", hi_size, hi)
}
