/// What a rewrite is of, so that it can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    /// The URI of the old array.
    pub(super) from: String,
    /// The time of the old array.
    pub(super) at: u64,
    /// The time of the new array; its parts follow, each a millisecond later.
    pub(super) begun: u64,
    /// Cells of a part.
    pub(super) rows: u64,
}

impl Marker {
    /// The time of a part.
    pub(super) fn time_of(&self, part: u64) -> u64 {
        self.begun.saturating_add(1).saturating_add(part)
    }

    /// As it is noted.
    pub(super) fn text(&self) -> String {
        let Self {
            from,
            at,
            begun,
            rows,
        } = self;
        format!("at {at} begun {begun} rows {rows} from {from}")
    }

    /// What was noted; `None` where that cannot be.
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
