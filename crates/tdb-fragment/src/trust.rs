//! What the statistics that writers store are worth: `docs/format/fragments.md`, "Which statistics to trust".

use tdb_filters::Registry;
use tdb_schema::{CellValNum, Field};
use tdb_tile::{Datatype, FormatVersion};

/// What a stored bound is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Nothing.
    None,
    /// Nothing by themselves, as a NaN replaces what came before it; something together with the sum.
    Floats,
    /// As far as text goes: a NUL ends the writers' comparison, and a single `char` was signed.
    Text { signed: bool },
    /// Everything.
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

/// What is known of the null cells of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nulls {
    /// There can be none.
    Never,
    /// How many is stored.
    Counted,
    /// What is stored cannot be relied on.
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

/// Writes that lost values: up to release 2.20 at least, cells of 16 bits with a sign came out of it as others.
const BIT_WIDTH_REDUCTION: &str = "bit_width_reduction";

/// Whether cells may come out of a field's filters as others than went in, which is what statistics are of.
fn may_lose(field: &Field<'_>, version: FormatVersion) -> bool {
    let filters = Registry::builtin();
    field.filters.filters.iter().any(|record| {
        let entry = filters.entry(record.code);
        let loses = entry.is_none_or(|entry| entry.name == BIT_WIDTH_REDUCTION);
        // Of a filter that is not known nothing is.
        loses
            || filters
                .filter(record, version)
                .map_or(true, |filter| filter.is_lossy())
    })
}
