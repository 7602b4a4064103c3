use bytes::Bytes;
use tdb_tile::{Exact, Range, Record, Walk, WireError, WireErrorKind};

use crate::{CellValNum, CurrentDomainType, DimensionRecord};

/// The current domain, the part of the domain that is in use, in its stored form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurrentDomainRecord {
    /// The version of this record; only 0 is known.
    pub version: u32,
    /// True if there is a current domain. The stored flag is the opposite: true if there is none.
    pub is_set: bool,
    /// The shape.
    pub shape: CurrentDomainType,
    /// One range per dimension.
    pub ranges: Vec<RangeRecord>,
}

impl Record for CurrentDomainRecord {
    const NAME: &'static str = "CurrentDomain";
    type Cx = [DimensionRecord];

    fn walk<W: Walk>(
        &mut self,
        w: &mut W,
        dimensions: &[DimensionRecord],
    ) -> Result<(), WireError> {
        let Self {
            version,
            is_set,
            shape,
            ranges,
        } = self;
        w.scalar("version", version)?;
        if *version != 0 {
            let kind = WireErrorKind::NewerVersion {
                found: *version,
                newest: 0,
            };
            return Err(w.fail("version", kind));
        }
        let mut is_empty = !*is_set;
        w.flag("is_empty", &mut is_empty)?;
        *is_set = !is_empty;
        if is_empty {
            return Ok(());
        }
        w.code("shape", shape)?;
        ranges.resize_with(dimensions.len(), RangeRecord::default);
        for (range, dimension) in ranges.iter_mut().zip(dimensions) {
            let size = match CellValNum::from(dimension.cell_val_num) {
                CellValNum::Fixed(_) => Some(dimension.datatype.size()),
                CellValNum::Var => None,
            };
            w.nested("range", range, &size)?;
        }
        Ok(())
    }
}

/// A range of one dimension in its stored form, as in current domains, MBRs and non-empty domains.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RangeRecord(pub Range);

impl Record for RangeRecord {
    const NAME: &'static str = "Range";
    /// The size of a coordinate in bytes; `None` for strings.
    type Cx = Option<usize>;

    fn walk<W: Walk>(&mut self, w: &mut W, size: &Option<usize>) -> Result<(), WireError> {
        let Self(Range { lo, hi }) = self;
        if let Some(size) = size {
            w.raw("lo", *size as u64, lo)?;
            return w.raw("hi", *size as u64, hi);
        }
        let both = lo
            .len()
            .exact_add(hi.len())
            .map_err(|bug| w.fail("total", bug.into()))?;
        let total = w.count::<u64>("total", both)?;
        let start = w.count::<u64>("start", lo.len())?;
        let end = total.checked_sub(start).ok_or_else(|| {
            w.fail(
                "start",
                WireErrorKind::Invalid("the lower end is longer than both together"),
            )
        })?;
        w.raw("lo", start, lo)?;
        w.raw("hi", end, hi)
    }
}

impl From<RangeRecord> for Range {
    fn from(record: RangeRecord) -> Self {
        record.0
    }
}

impl RangeRecord {
    /// Creates a range between two stored values.
    #[must_use]
    pub fn new(lo: impl Into<Bytes>, hi: impl Into<Bytes>) -> Self {
        Self(Range::new(lo, hi))
    }
}
