//! Combines the results of inspecting parts of a CSV column; the outcome is the same as inspecting all of it at once.

use super::super::numeral::{EXACT, float_of, greatest, is_one_type, least};
use super::{Kind, TextGuess};

impl TextGuess {
    /// Adds the result for later cells, which were inspected separately.
    pub(crate) fn join(&mut self, later: Self) {
        self.cells += later.cells;
        self.has_null |= later.has_null;
        self.has_empty |= later.has_empty;
        self.has_usual |= later.has_usual;
        self.has_no_number |= later.has_no_number;
        self.is_ascii &= later.is_ascii;
        let kind = std::mem::replace(&mut self.kind, Kind::Unknown);
        self.kind = kind.join(later.kind);
    }
}

impl Kind {
    /// Returns the kind that includes both.
    fn join(self, later: Self) -> Self {
        match (self, later) {
            (Self::Unknown, kind) | (kind, Self::Unknown) => kind,
            (Self::Bool, Self::Bool) => Self::Bool,
            (Self::Time(times), Self::Time(later)) => Self::Time(times.join(later)),
            (
                Self::Int { lo, hi },
                Self::Int {
                    lo: least,
                    hi: most,
                },
            ) => {
                let (lo, hi) = (lo.min(least), hi.max(most));
                if is_one_type(lo, hi) {
                    Self::Int { lo, hi }
                } else {
                    Self::Text
                }
            }
            (
                kind @ (Self::Int { .. } | Self::Float { .. }),
                later @ (Self::Int { .. } | Self::Float { .. }),
            ) => match (kind.as_floats(), later.as_floats()) {
                (Some((lo, hi)), Some((next_lo, next_hi))) => Self::Float {
                    lo: least(lo, next_lo),
                    hi: greatest(hi, next_hi),
                },
                _ => Self::Text,
            },
            // The other kinds occur only in JSON, which is not inspected in parts.
            (
                Self::Bool
                | Self::NoNumber
                | Self::Int { .. }
                | Self::Float { .. }
                | Self::Time(_)
                | Self::Text
                | Self::Digits
                | Self::Bytes
                | Self::TextAndBytes
                | Self::List(_),
                _,
            ) => Self::Text,
        }
    }

    /// Range of the numbers as floats; `None` if these would not be exact.
    fn as_floats(&self) -> Option<(f64, f64)> {
        let is_exact = |n: i128| n.unsigned_abs() <= EXACT.unsigned_abs();
        match self {
            Self::Float { lo, hi } => Some((*lo, *hi)),
            Self::Int { lo, hi } if is_exact(*lo) && is_exact(*hi) => {
                Some((float_of(*lo), float_of(*hi)))
            }
            Self::Int { .. }
            | Self::Unknown
            | Self::Bool
            | Self::NoNumber
            | Self::Time(_)
            | Self::Text
            | Self::Digits
            | Self::Bytes
            | Self::TextAndBytes
            | Self::List(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::missing::Missing;
    use super::super::super::token::Token;
    use super::*;

    fn looked(cells: &[&str]) -> TextGuess {
        let mut guess = TextGuess::new("a").with_missing(Missing::Usual);
        for cell in cells {
            let token = if cell.is_empty() {
                Token::Null
            } else {
                Token::Field(cell.trim_matches('"'))
            };
            guess.see(token).expect("fields of CSV may be anything");
        }
        guess
    }

    /// Cells of several kinds, and at the limits between kinds.
    const CELLS: &[&str] = &[
        "",
        "\"\"",
        "0",
        "-0",
        "1",
        "-7",
        "12.5",
        "-0.0",
        "0.0",
        "1e3",
        "inf",
        "nan",
        "NaN",
        "NA",
        "true",
        "False",
        "2024-02-29",
        "2024-02-29 12:30:01.5",
        "0001-01-01",
        "9999-12-31T00:00:00.000000001",
        "text",
        "zwölf",
        "007",
        "9007199254740992",
        "9007199254740993",
        "-9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999999999999999999999999999",
    ];

    proptest! {
        #[test]
        fn parts_looked_at_apart_make_what_one_look_makes(
            pool in prop::collection::vec(0..CELLS.len(), 1..4),
            picks in prop::collection::vec(0_usize..8, 0..8),
            cuts in prop::collection::vec(0_usize..8, 0..3),
        ) {
            let cells: Vec<&str> = picks.iter().map(|pick| CELLS[pool[pick % pool.len()]]).collect();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(cells.len())).collect();
            cuts.sort_unstable();
            let mut joined = looked(&[]);
            let mut start = 0;
            for end in cuts.into_iter().chain([cells.len()]) {
                joined.join(looked(&cells[start..end]));
                start = end;
            }
            let rows = cells.len() as u64;
            let (joined, whole) = (joined.finish(rows), looked(&cells).finish(rows));
            prop_assert_eq!(format!("{joined:?}"), format!("{whole:?}"));
        }
    }
}
