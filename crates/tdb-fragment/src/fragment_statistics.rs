use bytes::Bytes;
use tdb_tile::{Record, Walk, WireError};

/// Statistics of all cells of a fragment, field by field (from format 12).
///
/// `docs/format/fragments.md`, "Fragment statistics".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FragmentStatistics {
    /// The statistics of each field, in the order of [`FieldLayout`](crate::FieldLayout).
    pub fields: Vec<FieldStatistics>,
}

impl Record for FragmentStatistics {
    const NAME: &'static str = "FragmentStatistics";
    /// The number of fields.
    type Cx = u64;

    fn walk<W: Walk>(&mut self, w: &mut W, fields: &u64) -> Result<(), WireError> {
        w.list("fields", *fields, &mut self.fields, &())
    }
}

/// Statistics of all cells of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldStatistics {
    /// The minimum; empty if there is none.
    pub min: Bytes,
    /// The maximum; empty if there is none.
    pub max: Bytes,
    /// The sum: the bits of an `i64`, `u64` or `f64`, depending on the datatype of the field.
    pub sum: u64,
    /// The number of null cells.
    pub null_count: u64,
}

impl Record for FieldStatistics {
    const NAME: &'static str = "FieldStatistics";
    const MIN_SIZE: usize = 32;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self {
            min,
            max,
            sum,
            null_count,
        } = self;
        w.bytes64("min", min)?;
        w.bytes64("max", max)?;
        w.scalar("sum", sum)?;
        w.scalar("null_count", null_count)
    }
}
