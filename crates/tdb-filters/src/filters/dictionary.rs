//! Filter 14: each distinct string once, and for every cell the index of its string.
//!
//! Only for var-sized ASCII (from format 13) and UTF-8 (from 17); offsets are folded into the data
//! (`docs/format/filters.md`, "Strings"). The metadata is `u32` 0, `u32` 1, `u32` bytes of the
//! strings, `u32` bytes of the indexes, `u32` bytes of the offsets, `u8` width of an index, `u8`
//! width of a string length, `u32` bytes of the dictionary, and the dictionary: length (big-endian)
//! and bytes of each string, in order of first appearance. The data is the indexes, big-endian;
//! their width depends on the number of *cells*.
//!
//! The cells `aa aa b "" "" b` are `00 00 01 02 02 01` with the dictionary `02 6161 01 62 00`.

use std::collections::HashMap;
use std::ops::Range;

use crate::codec;
use crate::header::{Reader, put_length};
use crate::strings::{self, Head};
use crate::{
    Chunk, Description, Entry, Filter, FilterError, Offsets, OptionValue, Options, Out, Stage,
    TileKind,
};
use tdb_tile::{Bug, Datatype, Exact, FormatVersion};

const NAME: &str = "dictionary";
const ID: u8 = 7;

pub(crate) static ENTRY: Entry = Entry::new(14, NAME, parse, build).since(13);

fn parse(options: &Options<'_>) -> Result<Box<dyn Filter>, FilterError> {
    let mut reader = options.reader();
    let level = codec::read_level(options, &mut reader, ID)?;
    reader.finish("options")?;
    Ok(Box::new(Dictionary { level }))
}

fn build(description: &Description) -> Result<Box<dyn Filter>, FilterError> {
    let level = description.integer(NAME, "level", -1)?;
    Ok(Box::new(Dictionary { level }))
}

#[derive(Debug)]
struct Dictionary {
    level: i32,
}

const NO_STRINGS: FilterError = FilterError::InvalidPipeline {
    filter: NAME,
    why: "it takes var-sized ASCII from format 13 and UTF-8 from format 17, and nothing else",
};

impl Filter for Dictionary {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        encode(chunk.data.bytes(), chunk.starts.ok_or(NO_STRINGS)?, out)
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        if !stage.folds_offsets {
            return Err(NO_STRINGS);
        }
        let mut header = Reader::new(NAME, chunk.metadata.bytes());
        let head = Head::read(NAME, &mut header, chunk, stage)?;
        let id_width = strings::read_width(NAME, &mut header, "number width")?;
        let width = strings::read_width(NAME, &mut header, "string length width")?;
        let dictionary = header.length("dictionary length")?;
        let dictionary = header.take("dictionary", dictionary)?;
        header.finish("header")?;
        let Entries(entries) = stage.context(|| Ok(Entries::default()))?;
        read_entries(dictionary, width, entries)?;
        expand(
            chunk.data.bytes(),
            id_width,
            dictionary,
            entries,
            &head,
            out,
        )
    }

    fn options(&self, _version: FormatVersion) -> Vec<u8> {
        codec::write_level(ID, self.level)
    }

    fn describe(&self) -> Vec<(&'static str, OptionValue)> {
        vec![("level", OptionValue::Integer(self.level.into()))]
    }

    fn compresses(&self) -> bool {
        true
    }

    fn offsets(&self, tile: &TileKind) -> Offsets {
        strings::offsets(tile, tile.version.folds_ascii_dictionary_offsets())
    }

    fn unites_chunks(&self, tile: &TileKind) -> bool {
        // Also for UTF-8 in versions that do not fold its offsets yet.
        tile.is_var_text() && tile.version.folds_ascii_dictionary_offsets()
    }

    fn check_tile(&self, tile: &TileKind) -> Result<(), &'static str> {
        match self.offsets(tile) {
            Offsets::Folded => Ok(()),
            Offsets::Apart | Offsets::ApartOrFolded => {
                Err("it takes var-sized ASCII from format 13 and UTF-8 from format 17 only")
            }
        }
    }

    fn breaks_values(&self, _: Datatype) -> bool {
        true
    }
}

fn encode(data: &[u8], starts: &[u64], out: &mut Out<'_>) -> Result<(), FilterError> {
    let cells = strings::cells(NAME, data, starts)?;
    let id_width = strings::width(starts.len());
    let total = starts.len().exact_mul(id_width.into())?;
    let (header, room) = out.header_and_data(total)?;
    let mut numbers: HashMap<&[u8], usize> = HashMap::new();
    let mut entries = Vec::new();
    for (place, cell) in room.chunks_exact_mut(id_width.into()).zip(cells) {
        let next = entries.len();
        let number = *numbers.entry(cell).or_insert(next);
        if number == next {
            entries.push(cell);
        }
        strings::put(number, place);
    }
    let longest = entries.iter().map(|entry| entry.len()).max().unwrap_or(0);
    let width = strings::width(longest);
    let head = Head {
        original: data.len(),
        cells: starts.len(),
    };
    head.write(NAME, total, header)?;
    header.extend([id_width, width]);
    let strings_size = entries.iter().try_fold(0_usize, |size, entry| {
        size.exact_add(entry.len())?.exact_add(width.into())
    })?;
    put_length(NAME, header, strings_size)?;
    for entry in entries {
        strings::push(entry.len(), width, header);
        header.extend_from_slice(entry);
    }
    Ok(())
}

/// The byte range of each string within the dictionary; kept per worker.
#[derive(Default)]
struct Entries(Vec<Range<usize>>);

fn read_entries(
    dictionary: &[u8],
    width: usize,
    entries: &mut Vec<Range<usize>>,
) -> Result<(), FilterError> {
    entries.clear();
    let mut reader = Reader::new(NAME, dictionary);
    while !reader.rest().is_empty() {
        let length = strings::length(NAME, &mut reader, "string length", width)?;
        let start = reader.position();
        reader.take("string", length)?;
        entries.push(start..reader.position());
    }
    Ok(())
}

fn expand(
    data: &[u8],
    id_width: usize,
    dictionary: &[u8],
    entries: &[Range<usize>],
    head: &Head,
    out: &mut Out<'_>,
) -> Result<(), FilterError> {
    if !data.len().is_multiple_of(id_width) {
        let finding = "is not a whole number of indexes";
        return Err(FilterError::invalid(NAME, "indexes", finding));
    }
    let found = data.chunks_exact(id_width).len();
    if found != head.cells {
        let (what, wanted) = ("number of cells", head.cells);
        return Err(FilterError::mismatch(NAME, what, wanted, found));
    }
    let (memory, starts) = out.data_and_starts(head.original)?;
    let mut cells = StringCells {
        dictionary,
        entries,
        memory,
        place: 0,
        starts,
    };
    match id_width {
        1 => cells.put_all(data.iter().map(|id| u64::from(*id)))?,
        2 => {
            let ids = data.as_chunks().0.iter();
            cells.put_all(ids.map(|id| u64::from(u16::from_be_bytes(*id))))?;
        }
        4 => {
            let ids = data.as_chunks().0.iter();
            cells.put_all(ids.map(|id| u64::from(u32::from_be_bytes(*id))))?;
        }
        _ => cells.put_all(data.chunks_exact(id_width).map(strings::number))?,
    }
    if cells.place != cells.memory.len() {
        return Err(FilterError::invalid(
            NAME,
            "strings",
            "end before the data does",
        ));
    }
    Ok(())
}

/// The state of a copy from the dictionary to the data.
struct StringCells<'a> {
    dictionary: &'a [u8],
    entries: &'a [Range<usize>],
    memory: &'a mut [u8],
    /// Number of bytes of `memory` that are filled.
    place: usize,
    starts: Option<&'a mut Vec<u64>>,
}

/// Strings up to this length are copied as 16 bytes in one instruction; the next string overwrites
/// the excess.
const SHORT: usize = 16;

impl StringCells<'_> {
    fn put_all(&mut self, ids: impl Iterator<Item = u64>) -> Result<(), FilterError> {
        for id in ids {
            let entry = usize::try_from(id)
                .ok()
                .and_then(|id| self.entries.get(id))
                .ok_or_else(|| FilterError::invalid(NAME, "number", "has no string"))?;
            if let Some(starts) = &mut self.starts {
                starts.push(self.place as u64);
            }
            self.put(entry)?;
        }
        Ok(())
    }

    #[inline]
    fn put(&mut self, entry: &Range<usize>) -> Result<(), FilterError> {
        let end = self.place.exact_add(entry.len())?;
        // Cannot fail: every entry lies within the dictionary, and `place` within the memory.
        let free = self.memory.get_mut(self.place..);
        let (Some(free), Some(left)) = (free, self.dictionary.get(entry.start..)) else {
            return Err(Bug::new("a string begins beyond its dictionary").into());
        };
        match (free.first_chunk_mut::<SHORT>(), left.first_chunk::<SHORT>()) {
            (Some(place), Some(value)) if entry.len() <= SHORT => *place = *value,
            _ => {
                let value = left
                    .get(..entry.len())
                    .ok_or_else(|| Bug::new("a string ends beyond its dictionary"))?;
                let cell = free
                    .get_mut(..entry.len())
                    .ok_or_else(|| FilterError::invalid(NAME, "strings", "go beyond the data"))?;
                cell.copy_from_slice(value);
            }
        }
        self.place = end;
        Ok(())
    }
}
