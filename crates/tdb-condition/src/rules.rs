//! What conditions make of stored values that stand for no value.

/// How conditions look at stored values that stand for no value. All rules apply by default; without one of them, conditions
/// compare the stored bytes in its place, as TileDB does.
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
    /// An index that no label of the enumeration has is null, also where the attribute is not nullable. Otherwise indexes are
    /// compared as numbers.
    pub nulls_without_label: bool,
    /// NaT, the least number of dates and times, compares as NaN does: it is unequal to everything, and neither less nor greater
    /// than anything. Otherwise it is the least of all.
    pub unordered_nat: bool,
    /// NUL bytes at the end of text of fixed size are no part of the text. Otherwise texts are compared with all bytes of a cell.
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

    /// Conditions compare stored bytes, as TileDB does.
    #[must_use]
    pub fn stored_bytes() -> Self {
        Self {
            nulls_without_label: false,
            unordered_nat: false,
            padded_text: false,
        }
    }
}
