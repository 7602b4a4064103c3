use tdb_array::{Metadata, MetadataRecord, MetadataValue};
use tdb_tile::Datatype;

use crate::{Error, Result};

/// What is noted in the new array while it is not whole.
const KEY: &str = "__tdb_rewrite";

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

    pub(super) fn record(&self) -> Result<MetadataRecord> {
        let Self {
            from,
            at,
            begun,
            rows,
        } = self;
        let text = format!("at {at} begun {begun} rows {rows} from {from}");
        let value = MetadataValue::try_new(Datatype::StringUtf8, text.into_bytes());
        Ok(MetadataRecord {
            key: KEY.to_owned(),
            value: Some(value.map_err(Error::of)?),
        })
    }

    /// The end of it.
    pub(super) fn gone() -> MetadataRecord {
        MetadataRecord {
            key: KEY.to_owned(),
            value: None,
        }
    }

    /// What stands in the metadata of an array; `None` where nothing does.
    pub(super) fn of(metadata: &Metadata) -> Option<Self> {
        let value = metadata.get(KEY)?;
        let text = std::str::from_utf8(&value.bytes).ok()?;
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
