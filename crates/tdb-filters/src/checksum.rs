use std::fmt;

use tdb_tile::Exact;

use crate::header::{Reader, put_length};
use crate::{Chunk, Entry, Filter, FilterError, Out, Stage};

/// A filter that leaves data and metadata unchanged and records digests of `N` bytes.
///
/// Format: `docs/format/filters.md`, "Checksums". The recorded metadata is two counts (metadata
/// parts, data parts), then the length as `u64` and the digest of each part; the metadata of
/// earlier filters follows.
pub(crate) struct Checksum<const N: usize> {
    pub(crate) entry: &'static Entry,
    pub(crate) digest: fn(&[u8]) -> [u8; N],
}

impl<const N: usize> fmt::Debug for Checksum<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)
    }
}

impl<const N: usize> Checksum<N> {
    const RECORD: usize = 8 + N;

    fn verify(
        &self,
        count: usize,
        header: &mut Reader<'_>,
        bytes: &[u8],
    ) -> Result<(), FilterError> {
        let name = self.entry.name;
        let mut covered = Reader::new(name, bytes);
        for _ in 0..count {
            let length = header.long_length("part length")?;
            let wanted = header.take("digest", N)?;
            let part = covered.take("part", length)?;
            if (self.digest)(part) != *wanted {
                return Err(FilterError::invalid(name, "digest", "does not match"));
            }
        }
        covered.finish("parts")
    }
}

impl<const N: usize> Filter for Checksum<N> {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        self.entry.available()?;
        let header = out.header();
        put_length(self.entry.name, header, chunk.metadata.len())?;
        put_length(self.entry.name, header, chunk.data.len())?;
        for part in chunk.metadata.iter().chain(chunk.data.iter()) {
            header.extend_from_slice(&(part.len() as u64).to_le_bytes());
            header.extend_from_slice(&(self.digest)(part));
        }
        out.keep_metadata(0);
        out.keep_data();
        Ok(())
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        self.entry.available()?;
        let mut header = Reader::new(self.entry.name, chunk.metadata.bytes());
        let metadata = header.length("metadata part count")?;
        let data = header.count("data part count", Self::RECORD)?;
        let count = metadata.exact_add(data)?;
        let records = header.take_records("digests", count, Self::RECORD)?;
        let mut digests = Reader::new(self.entry.name, records);
        self.verify(metadata, &mut digests, header.rest())?;
        self.verify(data, &mut digests, chunk.data.bytes())?;
        out.keep_metadata(header.position());
        out.keep_data();
        Ok(())
    }

    fn keeps_data(&self) -> bool {
        true
    }
}
