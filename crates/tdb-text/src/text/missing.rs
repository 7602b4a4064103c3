//! Texts that represent missing cells.

#[cfg(feature = "csv")]
use tdb_cells::files::InputOptions;

/// Texts that other programs, such as R, pandas and databases, write for missing cells.
const USUAL: [&str; 5] = ["NA", "N/A", NOT_A_NUMBER, "null", "NULL"];

/// Text of a missing cell; in a float field, the float NaN.
pub(crate) const NOT_A_NUMBER: &str = "NaN";

/// The texts of a file that represent a missing cell.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(feature = "csv"),
    expect(dead_code, reason = "JSON has a null of its own")
)]
pub(crate) enum Missing {
    /// None.
    #[default]
    None,
    /// The usual ones, but not in text fields.
    Usual,
    /// These texts, in all fields.
    Named(Vec<String>),
}

impl Missing {
    #[cfg(feature = "csv")]
    pub(crate) fn of(options: &InputOptions) -> Self {
        match &options.missing {
            None => Self::Usual,
            Some(texts) => Self::Named(texts.clone()),
        }
    }

    /// Advice on how to write an empty text, if cells come from CSV.
    pub(crate) fn of_empty_text(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Usual | Self::Named(_) => Some(
                "nothing between two delimiters is null; an empty text is two quotes, \"\", as pandas writes it with \
                 quoting=csv.QUOTE_NONNUMERIC",
            ),
        }
    }

    /// Whether a text represents a missing cell in every field.
    #[inline]
    pub(crate) fn is_named(&self, text: &str) -> bool {
        matches!(self, Self::Named(texts) if texts.iter().any(|named| named == text))
    }

    /// Whether a text represents a missing cell in fields other than text.
    #[inline]
    pub(crate) fn is_usual(&self, text: &str) -> bool {
        // Most cells begin with another character.
        let may_be = matches!(text.as_bytes(), [b'N' | b'n', _, ..]);
        may_be && matches!(self, Self::Usual) && USUAL.contains(&text)
    }
}
