use bytes::Bytes;
use tdb_tile::{Range, Record, Walk, WireError, WireErrorKind};

use crate::{CellValNum, CurrentDomainType, DimensionRecord};

/// The part of the domain that is in use, as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurrentDomainRecord {
    /// The version of this record; only 0 is known.
    pub version: u32,
    /// Whether there is a current domain. What is stored says the opposite: whether there is none.
    pub is_set: bool,
    /// Its shape.
    pub shape: CurrentDomainType,
    /// One range for each dimension.
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

/// A range of one dimension, as current domains, bounding rectangles and non-empty domains store it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RangeRecord(pub Range);

impl Record for RangeRecord {
    const NAME: &'static str = "Range";
    /// Bytes of a coordinate, or `None` for strings.
    type Cx = Option<usize>;

    fn walk<W: Walk>(&mut self, w: &mut W, size: &Option<usize>) -> Result<(), WireError> {
        let Self(Range { lo, hi }) = self;
        if let Some(size) = size {
            w.raw("lo", *size as u64, lo)?;
            return w.raw("hi", *size as u64, hi);
        }
        let total = w.count::<u64>("total", lo.len().saturating_add(hi.len()))?;
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
    /// The range between two stored values.
    #[must_use]
    pub fn new(lo: impl Into<Bytes>, hi: impl Into<Bytes>) -> Self {
        Self(Range::new(lo, hi))
    }
}
