//! The reliability of the statistics that writers store: `docs/format/fragments.md`, "Which
//! statistics to trust".

use tdb_filters::Registry;
use tdb_schema::{CellValNum, Field};
use tdb_tile::{Datatype, FormatVersion};

/// The reliability of a stored bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Never reliable.
    None,
    /// Not reliable alone, since a NaN replaces the bounds of earlier values; reliable if the sum
    /// proves that there is no NaN.
    Floats,
    /// Reliable for text without NUL, at which writers stopped comparing; for a single `char`,
    /// which they compared as signed, only up to 0x7f.
    Text { signed: bool },
    /// Always reliable.
    Full,
}

impl Trust {
    pub(crate) fn of(field: &Field<'_>, dense: bool, version: FormatVersion) -> Self {
        let datatype = field.datatype;
        let is_text = matches!(datatype, Datatype::Char | Datatype::StringAscii);
        if (field.is_var() && dense) || may_lose(field, version) {
            return Self::None;
        }
        if datatype.is_real() {
            return Self::Floats;
        }
        if !is_text {
            return Self::Full;
        }
        let nullable_fixed = field.nullable && !field.is_var();
        if nullable_fixed && version.misstates_nullable_string_statistics() {
            return Self::None;
        }
        let signed = datatype == Datatype::Char && field.cell_size() == Some(1);
        Self::Text { signed }
    }

    pub(crate) fn accepts(self, bound: &[u8]) -> bool {
        match self {
            Self::None | Self::Floats => false,
            Self::Full => true,
            Self::Text { signed } => {
                let highest = if signed { 0x7f } else { 0xff };
                bound.iter().all(|byte| (1..=highest).contains(byte))
            }
        }
    }
}

/// The reliability of a stored null count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nulls {
    /// The field has no null cells.
    Never,
    /// The stored count is reliable.
    Counted,
    /// The stored count is not reliable.
    Unknown,
}

impl Nulls {
    pub(crate) fn of(field: &Field<'_>, dense: bool, version: FormatVersion) -> Self {
        let datatype = field.datatype;
        let is_text = matches!(datatype, Datatype::Char | Datatype::StringAscii);
        let is_number = !is_text
            && !datatype.is_string()
            && !datatype.is_byte_like()
            && datatype != Datatype::Any
            && field.cell_val_num == CellValNum::Fixed(1);
        let is_counted = if is_text && field.is_var() {
            !dense
        } else {
            is_number || (is_text && !version.misstates_nullable_string_statistics())
        };
        match (field.nullable, is_counted) {
            (false, _) => Self::Never,
            (true, true) => Self::Counted,
            (true, false) => Self::Unknown,
        }
    }
}

/// The filter with which writers lost values: up to release 2.20 at least, it changed signed 16-bit
/// cells.
const BIT_WIDTH_REDUCTION: &str = "bit_width_reduction";

/// True if the field's filters may have changed cells; the stored statistics are of the cells
/// before filtering.
fn may_lose(field: &Field<'_>, version: FormatVersion) -> bool {
    let filters = Registry::builtin();
    field.filters.filters.iter().any(|record| {
        let entry = filters.entry(record.code);
        let loses = entry.is_none_or(|entry| entry.name == BIT_WIDTH_REDUCTION);
        // Unknown filters may be lossy.
        loses
            || filters
                .filter(record, version)
                .map_or(true, |filter| filter.is_lossy())
    })
}
