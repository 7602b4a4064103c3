use bytes::Bytes;
use tdb_tile::{Record, Walk, WireError};

/// What the cells of the whole fragment come to, field by field (from format 12).
///
/// `docs/format/fragments.md`, "Fragment statistics".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FragmentStatistics {
    /// One for every field, in the order of [`FieldLayout`](crate::FieldLayout).
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

/// What the cells of a field come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldStatistics {
    /// The least value; no bytes where there is none.
    pub min: Bytes,
    /// The greatest value; no bytes where there is none.
    pub max: Bytes,
    /// The sum: `i64`, `u64` or `f64`, by the datatype of the field.
    pub sum: u64,
    /// How many cells are null.
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
