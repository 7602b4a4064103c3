//! Texts that stand for cells that are missing.

#[cfg(feature = "csv")]
use tdb_cells::files::InputOptions;

/// What other programs write for what is missing: R, pandas, databases.
const USUAL: [&str; 5] = ["NA", "N/A", NOT_A_NUMBER, "null", "NULL"];

/// Missing, or a number of floats.
pub(crate) const NOT_A_NUMBER: &str = "NaN";

/// Which texts of a file stand for a missing cell.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(feature = "csv"),
    expect(dead_code, reason = "JSON has a null of its own")
)]
pub(crate) enum Missing {
    /// None do.
    #[default]
    None,
    /// The usual ones, but not in fields of text.
    Usual,
    /// These, in all fields.
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

    /// How an empty text is told from null, where cells come from CSV.
    pub(crate) fn of_empty_text(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Usual | Self::Named(_) => Some(
                "nothing between two delimiters is null; an empty text is two quotes, \"\", as pandas writes it with \
                 quoting=csv.QUOTE_NONNUMERIC",
            ),
        }
    }

    /// Whether a text stands for a missing cell in every field.
    #[inline]
    pub(crate) fn is_named(&self, text: &str) -> bool {
        matches!(self, Self::Named(texts) if texts.iter().any(|named| named == text))
    }

    /// Whether a text stands for a missing cell in fields of anything but text.
    #[inline]
    pub(crate) fn is_usual(&self, text: &str) -> bool {
        // Most cells begin with something else.
        let may_be = matches!(text.as_bytes(), [b'N' | b'n', _, ..]);
        may_be && matches!(self, Self::Usual) && USUAL.contains(&text)
    }
}
