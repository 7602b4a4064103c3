//! Dump of tiles: generic tiles with their content, and tiles of data files chunk by chunk.

use std::fmt::Display;
use std::io::Write;

use bytes::Bytes;
use tdb::engine::array::ErrorKind;
use tdb::engine::filters::{FilterList, Registry, describe, open_generic_tile};
use tdb::engine::store::{Read, read_one};
use tdb::engine::tile::{ChunkHeader, ChunkTable, FormatVersion, GenericTile, Record, Scalar};
use zerocopy::FromBytes;

use super::data::DataFile;
use super::{Description, Dump};
use crate::failure::Failure;
use crate::output::Output;
use crate::paint::{Role, plural, visible};

const HEADER: usize = size_of::<ChunkHeader>();

impl Dump<'_> {
    /// Dumps the generic tile at the start of `bytes`, which begin at `offset` in the object.
    pub(super) fn write_generic_tile(
        &self,
        bytes: &Bytes,
        offset: usize,
        out: &mut Output,
        describe: &dyn Fn(&Bytes, FormatVersion) -> Description,
    ) -> Result<(), Failure> {
        let tile = GenericTile::parse(bytes, &self.limits).map_err(Failure::of)?;
        let end = offset + tile.stored_size();
        heading(out, &format!("generic tile, bytes {offset}..{end}"))?;
        write!(out, "{}", tile.describe())?;
        heading(out, "its filters")?;
        self.write_filters(&tile, out)?;
        heading(out, "its chunks")?;
        let mut table = ChunkTable::default();
        table
            .parse(&tile.chunks, &self.limits)
            .map_err(Failure::of)?;
        for (number, chunk) in table.entries().iter().enumerate() {
            writeln!(
                out,
                "{}",
                chunk_line(number, chunk.original, chunk.metadata, chunk.filtered)
            )?;
        }
        let payload = open_generic_tile(&tile, self.encryption.as_ref(), &self.limits)
            .map_err(Failure::of)?;
        heading(
            out,
            &format!("its content, {}", plural(payload.len() as u64, "byte")),
        )?;
        let Description { text, result } = describe(&payload, tile.version());
        for line in text.lines() {
            writeln!(out, "{}", visible(line))?;
        }
        result
    }

    fn write_filters(&self, tile: &GenericTile, out: &mut Output) -> Result<(), Failure> {
        let (text, list) = FilterList::describe(&tile.pipeline, tile.version(), &(), &self.limits);
        write!(out, "{text}")?;
        for filter in list.map_err(Failure::of)?.filters {
            let described = describe(&filter, tile.version(), Registry::builtin())
                .map_or_else(|error| error.to_string(), |d| d.to_string());
            writeln!(out, "{:>16}  {described}", "")?;
        }
        Ok(())
    }

    /// Dumps the tiles of a data file, each of which contains its own length. `file` provides the values, if the
    /// field is known.
    pub(super) fn write_data(
        &self,
        size: u64,
        file: Option<&DataFile<'_>>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let (mut offset, mut number) = (0, 0_u64);
        while offset < size {
            let start = offset;
            let count = self.piece(&mut offset, u64::SIZE as u64)?;
            let count = u64::read(&count).ok_or_else(|| cut_short(start))?;
            heading(
                out,
                &format!("tile {number} at byte {start}: {}", plural(count, "chunk")),
            )?;
            for chunk in 0..count {
                let header = self.piece(&mut offset, HEADER as u64)?;
                let Ok((header, _)) = ChunkHeader::read_from_prefix(&header) else {
                    return Err(cut_short(offset));
                };
                let (original, metadata, filtered) = (
                    header.original.get(),
                    header.metadata.get(),
                    header.filtered.get(),
                );
                writeln!(out, "{}", chunk_line(chunk, original, metadata, filtered))?;
                offset += u64::from(metadata) + u64::from(filtered);
                if offset > size {
                    // Reading the last promised byte fails with an error that says what is missing, and where.
                    self.piece(&mut (offset - 1), 1)?;
                }
            }
            for line in file.map_or(Ok(Vec::new()), |file| file.first_cells(number))? {
                writeln!(out, "{:>16}  {}", "", visible(&line))?;
            }
            number += 1;
        }
        Ok(())
    }

    fn piece(&self, offset: &mut u64, len: u64) -> Result<Bytes, Failure> {
        let piece = read_one(self.store, Read::bounded(self.key, *offset, len))?;
        *offset += len;
        Ok(piece.bytes)
    }
}

/// Error for a store that returned too few bytes without an error.
fn cut_short(offset: u64) -> Failure {
    let what = format!("the store gave too few bytes at byte {offset}, and no error");
    Failure::new(ErrorKind::Bug, what)
}

fn chunk_line(number: impl Display, original: u32, metadata: u32, filtered: u32) -> String {
    format!(
        "{:>16}  chunk {number}: {original} bytes, stored as {metadata} of metadata and {filtered} of data",
        ""
    )
}

pub(super) fn heading(out: &mut Output, text: &str) -> Result<(), Failure> {
    let text = out.look.paint(Role::Type, text);
    Ok(writeln!(out, "{text}")?)
}
