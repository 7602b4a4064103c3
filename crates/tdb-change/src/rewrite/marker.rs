use tdb_array::ErrorKind;
use tdb_open::{Error, Result};

/// Note in the draft of a rewrite, from which it can be resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    /// URI of the old array.
    pub(super) from: String,
    /// Time at which the old array is read.
    pub(super) at: u64,
    /// Time of the new array; part number N is written at `begun + 1 + N` milliseconds.
    pub(super) begun: u64,
    /// Number of cells per part.
    pub(super) rows: u64,
}

impl Marker {
    /// Returns the time of a part.
    ///
    /// # Errors
    /// Fails if the note is damaged, and states a time after which none is left.
    pub(super) fn time_of(&self, part: u64) -> Result<u64> {
        let first = self.begun.checked_add(1);
        let time = first.and_then(|first| first.checked_add(part));
        time.ok_or_else(|| {
            let what = format!("the note of the rewrite states the time {}", self.begun);
            Error::new(ErrorKind::Corrupt, what)
        })
    }

    /// Formats the note.
    pub(super) fn text(&self) -> String {
        let Self {
            from,
            at,
            begun,
            rows,
        } = self;
        format!("at {at} begun {begun} rows {rows} from {from}")
    }

    /// Parses a note; `None` if it is damaged.
    pub(super) fn of(note: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(note).ok()?;
        let rest = text.strip_prefix("at ")?;
        let (at, rest) = rest.split_once(" begun ")?;
        let (begun, rest) = rest.split_once(" rows ")?;
        let (rows, from) = rest.split_once(" from ")?;
        Some(Self {
            from: from.to_owned(),
            at: at.parse().ok()?,
            begun: begun.parse().ok()?,
            rows: rows.parse().ok().filter(|rows| *rows > 0)?,
        })
    }
}
