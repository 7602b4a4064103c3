//! Filter 4: runs of equal cells.
//!
//! Fixed-size cells: framing as [`Compression`]; a run is the cell's bytes and a *big-endian*
//! `u16` length. The cell is that of the tile, whatever datatype earlier filters have made of it.
//!
//! Var-sized ASCII and UTF-8, where offsets are folded (`docs/format/filters.md`, "Strings"): a run
//! is its length, the string's length, both big-endian, and the string. The metadata is `u32` 0,
//! `u32` 1, `u32` bytes of the strings, `u32` bytes of the runs, `u32` bytes of the offsets,
//! `u8` width of run lengths, `u8` width of string lengths.
//!
//! The cells `aa aa b "" "" b` are `02 02 6161 | 01 01 62 | 02 00 | 01 01 62`.

use tdb_tile::{Datatype, FormatVersion};

use crate::codec::{self, Codec, Compression, Leveled};
use crate::header::Reader;
use crate::room::cut;
use crate::strings::{self, Head};
use crate::{
    Chunk, Description, Entry, Filter, FilterError, FilterRecord, Offsets, OptionValue, Options,
    Out, Stage, TileKind,
};

const NAME: &str = "rle";
/// Bytes of a run's length.
const LENGTH: usize = 2;

pub(crate) static ENTRY: Entry = Entry::new(4, NAME, parse, build);

fn parse(options: &Options<'_>) -> Result<Box<dyn Filter>, FilterError> {
    let mut reader = options.reader();
    let level = codec::read_level(options, &mut reader, Runs::ID)?;
    reader.finish("options")?;
    Ok(Box::new(RunLength(Compression(Runs { level }))))
}

fn build(description: &Description) -> Result<Box<dyn Filter>, FilterError> {
    let level = description.integer(NAME, "level", -1)?;
    Ok(Box::new(RunLength(Compression(Runs { level }))))
}

/// The filter with its default level, which means nothing, as it is stored.
///
/// ```
/// use tdb_filters::{Description, Registry, filters};
/// use tdb_tile::FormatVersion;
/// let rle = Description::new("rle").record(FormatVersion::WRITTEN, Registry::builtin())?;
/// assert_eq!(filters::default_rle(), rle);
/// # Ok::<(), tdb_filters::FilterError>(())
/// ```
#[must_use]
pub fn default_rle() -> FilterRecord {
    FilterRecord::new(
        ENTRY.code,
        codec::write_level(Runs::ID, Runs::DEFAULT_LEVEL),
    )
}

/// Runs of fixed-size cells, or of strings where offsets are folded.
#[derive(Debug)]
struct RunLength(Compression<Runs>);

impl Filter for RunLength {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        match chunk.starts {
            Some(starts) => encode_strings(chunk.data.bytes(), starts, out),
            None => self.0.encode(chunk, out, stage),
        }
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        if stage.folds_offsets {
            return decode_strings(chunk, out, stage);
        }
        self.0.decode(chunk, out, stage)
    }

    fn options(&self, version: FormatVersion) -> Vec<u8> {
        self.0.options(version)
    }

    fn describe(&self) -> Vec<(&'static str, OptionValue)> {
        self.0.describe()
    }

    fn breaks_values(&self, _: Datatype) -> bool {
        true
    }

    fn compresses(&self) -> bool {
        true
    }

    fn offsets(&self, tile: &TileKind) -> Offsets {
        strings::offsets(tile, tile.version.folds_ascii_rle_offsets())
    }

    fn unites_chunks(&self, tile: &TileKind) -> bool {
        // UTF-8 too, also in versions that do not fold its offsets yet.
        tile.is_var_text() && tile.version.folds_ascii_rle_offsets()
    }
}

#[derive(Debug)]
struct Runs {
    level: i32,
}

impl Leveled for Runs {
    const ID: u8 = 4;

    fn at(level: i32) -> Self {
        Self { level }
    }

    fn level(&self) -> i32 {
        self.level
    }
}

impl Codec for Runs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn bound(&self, len: usize) -> usize {
        // Every cell a run, and cells of one byte.
        len.saturating_mul(1 + LENGTH)
    }

    fn compress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<usize, FilterError> {
        let cell = stage.cell_size.max(1);
        if !piece.len().is_multiple_of(cell) {
            return Err(FilterError::InvalidPipeline {
                filter: NAME,
                why: "the filters before it leave no whole number of cells",
            });
        }
        let mut cells = piece.chunks_exact(cell);
        let Some(mut value) = cells.next() else {
            return Ok(0);
        };
        let (mut length, all) = (1_u16, out.len());
        let mut room = out;
        for next in cells {
            if next == value && length < u16::MAX {
                length = length.wrapping_add(1);
                continue;
            }
            put_run(value, length, &mut room)?;
            (value, length) = (next, 1);
        }
        put_run(value, length, &mut room)?;
        Ok(all.saturating_sub(room.len()))
    }

    fn decompress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        match stage.cell_size {
            1 => expand::<1>(piece, out),
            2 => expand::<2>(piece, out),
            4 => expand::<4>(piece, out),
            8 => expand::<8>(piece, out),
            cell => expand_any(cell.max(1), piece, out),
        }
    }
}

/// Fills the start of the room, for which the bound is enough.
fn put_run(value: &[u8], length: u16, room: &mut &mut [u8]) -> Result<(), FilterError> {
    cut(room, value.len())?.copy_from_slice(value);
    cut(room, LENGTH)?.copy_from_slice(&length.to_be_bytes());
    Ok(())
}

fn expand<const C: usize>(piece: &[u8], out: &mut [u8]) -> Result<(), FilterError> {
    let (mut cells, rest) = out.as_chunks_mut::<C>();
    if !rest.is_empty() {
        return Err(FilterError::invalid(
            NAME,
            "data",
            "is not a whole number of cells",
        ));
    }
    let runs = piece.chunks_exact(C.saturating_add(LENGTH));
    if !runs.remainder().is_empty() {
        return Err(CUT);
    }
    for run in runs {
        let (value, length) = run.split_first_chunk::<C>().ok_or(CUT)?;
        let (run, left) = std::mem::take(&mut cells)
            .split_at_mut_checked(run_length(length)?)
            .ok_or(TOO_LONG)?;
        run.fill(*value);
        cells = left;
    }
    complete(cells.is_empty())
}

fn expand_any(cell: usize, piece: &[u8], mut out: &mut [u8]) -> Result<(), FilterError> {
    let runs = piece.chunks_exact(cell.saturating_add(LENGTH));
    if !runs.remainder().is_empty() {
        return Err(CUT);
    }
    for run in runs {
        let (value, length) = run.split_at_checked(cell).ok_or(CUT)?;
        let (run, left) = std::mem::take(&mut out)
            .split_at_mut_checked(run_length(length)?.saturating_mul(cell))
            .ok_or(TOO_LONG)?;
        for place in run.chunks_exact_mut(cell) {
            place.copy_from_slice(value);
        }
        out = left;
    }
    complete(out.is_empty())
}

fn run_length(bytes: &[u8]) -> Result<usize, FilterError> {
    let bytes = bytes.first_chunk().ok_or(CUT)?;
    Ok(u16::from_be_bytes(*bytes).into())
}

const CUT: FilterError = FilterError::Corrupt {
    filter: NAME,
    field: "runs",
    kind: tdb_tile::WireErrorKind::Invalid("end within one"),
};

const TOO_LONG: FilterError = FilterError::Corrupt {
    filter: NAME,
    field: "run length",
    kind: tdb_tile::WireErrorKind::Invalid("goes beyond the data"),
};

fn complete(is_full: bool) -> Result<(), FilterError> {
    if is_full {
        return Ok(());
    }
    Err(FilterError::invalid(
        NAME,
        "runs",
        "end before the data does",
    ))
}

/// Equal neighbours and how many there are.
fn runs<'a>(
    mut cells: impl Iterator<Item = &'a [u8]> + Clone,
) -> impl Iterator<Item = (&'a [u8], usize)> {
    let mut next = cells.next();
    std::iter::from_fn(move || {
        let value = next?;
        let mut length = 1_usize;
        loop {
            next = cells.next();
            if next != Some(value) {
                return Some((value, length));
            }
            length = length.saturating_add(1);
        }
    })
}

fn encode_strings(data: &[u8], starts: &[u64], out: &mut Out<'_>) -> Result<(), FilterError> {
    let cells = strings::cells(NAME, data, starts)?;
    let all = || runs(cells.clone());
    let longest_run = all().map(|(_, length)| length).max().unwrap_or(0);
    let longest = all().map(|(value, _)| value.len()).max().unwrap_or(0);
    let (run_width, width) = (strings::width(longest_run), strings::width(longest));
    let per_run = usize::from(run_width).saturating_add(width.into());
    let total = all()
        .map(|(value, _)| value.len().saturating_add(per_run))
        .fold(0, usize::saturating_add);
    let (header, mut room) = out.header_and_data(total)?;
    let head = Head {
        original: data.len(),
        cells: starts.len(),
    };
    head.write(NAME, total, header)?;
    header.extend([run_width, width]);
    for (value, length) in all() {
        strings::put(length, cut(&mut room, run_width.into())?);
        strings::put(value.len(), cut(&mut room, width.into())?);
        cut(&mut room, value.len())?.copy_from_slice(value);
    }
    Ok(())
}

fn decode_strings(
    chunk: Chunk<'_>,
    out: &mut Out<'_>,
    stage: &mut Stage<'_>,
) -> Result<(), FilterError> {
    let mut header = Reader::new(NAME, chunk.metadata.bytes());
    let head = Head::read(NAME, &mut header, chunk, stage)?;
    let run_width = strings::read_width(NAME, &mut header, "run length width")?;
    let width = strings::read_width(NAME, &mut header, "string length width")?;
    header.finish("header")?;
    expand_strings(chunk.data.bytes(), run_width, width, &head, out)
}

fn expand_strings(
    data: &[u8],
    run_width: usize,
    width: usize,
    head: &Head,
    out: &mut Out<'_>,
) -> Result<(), FilterError> {
    let mut runs = Reader::new(NAME, data);
    let (mut memory, mut starts) = out.data_and_starts(head.original)?;
    let (mut cells, mut start) = (head.cells, 0_u64);
    while !runs.rest().is_empty() {
        let length = strings::number(runs.take("run length", run_width)?);
        let size = strings::number(runs.take("string length", width)?);
        let value = runs.take("string", size)?;
        cells = cells.checked_sub(length).ok_or(TOO_LONG)?;
        let (run, rest) = std::mem::take(&mut memory)
            .split_at_mut_checked(length.saturating_mul(size))
            .ok_or(TOO_LONG)?;
        memory = rest;
        fill(run, value);
        if let Some(starts) = &mut starts {
            let step = size as u64;
            starts.extend((0..length as u64).map(|i| start.saturating_add(i.saturating_mul(step))));
        }
        start = start.saturating_add(run.len() as u64);
    }
    complete(cells == 0 && memory.is_empty())
}

/// Repeats a string until `run` is full.
fn fill(run: &mut [u8], value: &[u8]) {
    match *value {
        // Strings of no bytes fill nothing.
        [] => {}
        [byte] => run.fill(byte),
        _ => {
            for place in run.chunks_exact_mut(value.len()) {
                place.copy_from_slice(value);
            }
        }
    }
}
