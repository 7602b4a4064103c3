//! Rules for stored values that represent no value: NaT, indexes without a label, padding.

/// Rules for stored values that represent no value. All rules apply by default; without a rule, conditions compare
/// stored bytes in its place, as TileDB does.
///
/// ```
/// use tdb_condition::ConditionRules;
///
/// let as_in_tiledb = ConditionRules::stored_bytes();
/// assert!(!as_in_tiledb.nulls_without_label);
/// assert!(ConditionRules::default().with_nulls_without_label(true) == ConditionRules::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ConditionRules {
    /// An index without a label counts as null, even if the attribute is not nullable. Otherwise indexes are compared
    /// as numbers.
    pub nulls_without_label: bool,
    /// NaT, stored as the least number of dates and times, compares like NaN: it is unequal to everything, and neither
    /// less nor greater than anything. Otherwise it is the least of all.
    pub unordered_nat: bool,
    /// NUL bytes at the end of text of fixed size are not part of the text. Otherwise all bytes of a cell are
    /// compared.
    pub padded_text: bool,
}

impl Default for ConditionRules {
    fn default() -> Self {
        Self {
            nulls_without_label: true,
            unordered_nat: true,
            padded_text: true,
        }
    }
}

macro_rules! with {
    ($($function:ident, $field:ident;)*) => {$(
        #[doc = concat!("The same with another [`ConditionRules::", stringify!($field), "`].")]
        #[must_use]
        pub fn $function(self, $field: bool) -> Self {
            Self { $field, ..self }
        }
    )*};
}

impl ConditionRules {
    with! {
        with_nulls_without_label, nulls_without_label;
        with_unordered_nat, unordered_nat;
        with_padded_text, padded_text;
    }

    /// Turns all rules off: conditions compare stored bytes, as TileDB does.
    #[must_use]
    pub fn stored_bytes() -> Self {
        Self {
            nulls_without_label: false,
            unordered_nat: false,
            padded_text: false,
        }
    }
}
