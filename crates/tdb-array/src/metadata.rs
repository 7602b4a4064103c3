use bytes::Bytes;
use tdb_tile::{
    Bug, Datatype, Exact, FormatVersion, Limits, Record, Walk, WireError, WireErrorKind,
};

/// A record of a metadata object: sets the value of a key, or removes the key.
///
/// An object in `__meta` is a generic tile that consists of such records. The layout does not depend on the format
/// version: see `docs/format/metadata.md`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataRecord {
    /// The key.
    pub key: String,
    /// The value; `None` removes the key.
    pub value: Option<MetadataValue>,
}

/// A metadata value of an array or a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataValue {
    /// The type of each element.
    pub datatype: Datatype,
    /// The number of elements; for text, the number of bytes. 0 is valid.
    pub count: u32,
    /// The elements as stored, little-endian, without gaps.
    pub bytes: Bytes,
}

impl Default for MetadataValue {
    fn default() -> Self {
        Self {
            datatype: Datatype::Int32,
            count: 0,
            bytes: Bytes::new(),
        }
    }
}

impl MetadataValue {
    /// Creates a value from the bytes of its elements.
    ///
    /// # Errors
    /// [`WireError`] if the bytes are not a whole number of elements, or more than `u32::MAX` elements.
    pub fn try_new(datatype: Datatype, bytes: impl Into<Bytes>) -> Result<Self, WireError> {
        let bytes = bytes.into();
        let fail = |kind| WireError::new(Self::NAME, "value", 0, kind);
        let not_whole = WireErrorKind::Invalid("the bytes are not a whole number of values");
        let values = bytes
            .len()
            .checked_div(datatype.size())
            .filter(|_| bytes.len().is_multiple_of(datatype.size()))
            .ok_or_else(|| fail(not_whole))?;
        let count =
            u32::try_from(values).map_err(|_| fail(WireErrorKind::Invalid("too many values")))?;
        Ok(Self {
            datatype,
            count,
            bytes,
        })
    }
}

impl Record for MetadataRecord {
    const NAME: &'static str = "Metadata";
    const MIN_SIZE: usize = 5;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, cx: &()) -> Result<(), WireError> {
        let Self { key, value } = self;
        w.text32("key", key)?;
        let mut deleted = value.is_none();
        w.flag("deleted", &mut deleted)?;
        if deleted {
            *value = None;
            return Ok(());
        }
        w.nested("value", value.get_or_insert_default(), cx)
    }
}

impl Record for MetadataValue {
    const NAME: &'static str = "MetadataValue";
    const MIN_SIZE: usize = 5;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self {
            datatype,
            count,
            bytes,
        } = self;
        w.code("datatype", datatype)?;
        w.scalar("count", count)?;
        let size = u64::from(*count)
            .exact_mul(datatype.size() as u64)
            .map_err(|bug| w.fail("bytes", bug.into()))?;
        w.raw("bytes", size, bytes)
    }
}

impl MetadataRecord {
    /// Decodes the records of a metadata tile.
    ///
    /// # Errors
    /// The bytes break the format or exceed `limits`.
    pub fn decode_all(
        bytes: &Bytes,
        version: FormatVersion,
        limits: &Limits,
    ) -> Result<Vec<Self>, WireError> {
        let mut records = Vec::new();
        let mut offset = 0;
        while offset < bytes.len() {
            let (record, end) = Self::decode_at(bytes, offset, version, &(), limits)?;
            if end <= offset {
                let kind = Bug::new("a record that was read takes no bytes");
                return Err(WireError::new(Self::NAME, "size", offset, kind.into()));
            }
            records.push(record);
            offset = end;
        }
        Ok(records)
    }

    /// Describes the bytes of a metadata tile field by field, as text. The result is the first error in them.
    pub fn describe_all(
        bytes: &Bytes,
        version: FormatVersion,
        limits: &Limits,
    ) -> (String, Result<(), WireError>) {
        let mut text = String::new();
        let mut offset = 0;
        while offset < bytes.len() {
            let rest = bytes.slice(offset..);
            let (part, result) = Self::describe(&rest, version, &(), limits);
            text.push_str(&format!("record at byte {offset}\n{part}"));
            let size = match result.and_then(|record| record.size(version, &())) {
                Ok(size) => size,
                Err(error) => return (text, Err(shift(error, offset))),
            };
            let next = usize::try_from(size)
                .ok()
                .and_then(|size| offset.checked_add(size));
            offset = match next {
                Some(next) if next > offset => next,
                _ => {
                    let kind = Bug::new("a record that was read has a size that it cannot have");
                    let error = WireError::new(Self::NAME, "size", offset, kind.into());
                    return (text, Err(error));
                }
            };
        }
        (text, Ok(()))
    }

    /// Encodes a metadata tile from records. TileDB writes them sorted by key.
    ///
    /// # Errors
    /// [`WireError`] if the length of a value does not match its type and count.
    pub fn encode_all(records: &[Self], version: FormatVersion) -> Result<Vec<u8>, WireError> {
        let mut out = Vec::new();
        for record in records {
            out.append(&mut record.encode(version, &())?);
        }
        Ok(out)
    }
}

/// The metadata of an array or a group as of a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The keys and values, sorted by key, without duplicates.
    entries: Vec<(String, MetadataValue)>,
}

impl Metadata {
    /// Applies records in the order of their objects, and within an object as stored; returns the resulting metadata.
    pub fn replay(records: impl IntoIterator<Item = MetadataRecord>) -> Self {
        let mut records: Vec<MetadataRecord> = records.into_iter().collect();
        // TileDB writes the records of an object sorted by key, so those of a single object need no sorting.
        if !records.is_sorted_by(|a, b| a.key < b.key) {
            records.sort_by(|a, b| a.key.cmp(&b.key));
            // If a key occurs several times, its last record counts.
            records.dedup_by(|later, kept| {
                let is_same = later.key == kept.key;
                if is_same {
                    std::mem::swap(later, kept);
                }
                is_same
            });
        }
        let entries = records
            .into_iter()
            .filter_map(|MetadataRecord { key, value }| Some((key, value?)));
        Self {
            entries: entries.collect(),
        }
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&MetadataValue> {
        let place = self
            .entries
            .binary_search_by(|(other, _)| other.as_str().cmp(key));
        let (_, value) = self.entries.get(place.ok()?)?;
        Some(value)
    }

    /// Iterates over all keys and values, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &MetadataValue)> {
        self.entries
            .iter()
            .map(|(key, value)| (key.as_str(), value))
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Converts the offset of an error from a part of the bytes to the whole.
fn shift(mut error: WireError, by: usize) -> WireError {
    error.offset = [error.offset, by].iter().sum();
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_record_of_a_key_counts() {
        let record = |key: &str, value: Option<u8>| MetadataRecord {
            key: key.to_owned(),
            value: value.map(|byte| MetadataValue::try_new(Datatype::UInt8, vec![byte]).unwrap()),
        };
        let first = [
            record("a", Some(1)),
            record("b", Some(2)),
            record("d", Some(3)),
        ];
        let then = [
            record("a", None),
            record("b", Some(4)),
            record("c", Some(5)),
        ];
        let again = [record("a", Some(6)), record("d", None)];
        let shown = |records: &[MetadataRecord]| {
            let metadata = Metadata::replay(records.iter().cloned());
            let all = metadata
                .iter()
                .map(|(key, value)| format!("{key}{:?}", value.bytes[0]));
            let all = all.collect::<Vec<_>>().join(" ");
            for (key, value) in metadata.iter() {
                assert_eq!(metadata.get(key), Some(value));
            }
            all
        };
        assert_eq!(shown(&first), "a1 b2 d3");
        assert_eq!(shown(&[&first[..], &then].concat()), "b4 c5 d3");
        assert_eq!(shown(&[&first[..], &then, &again].concat()), "a6 b4 c5");
        assert!(Metadata::replay([record("a", None)]).is_empty());
    }
}
