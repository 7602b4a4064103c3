//! Filter 4: runs of equal cells.
//!
//! Fixed-size cells: framing as for [`Compression`]; a run is the cell's bytes and a *big-endian*
//! `u16` length. The cell size is that of the tile, even if earlier filters changed the datatype.
//!
//! Var-sized ASCII and UTF-8, if offsets are folded (`docs/format/filters.md`, "Strings"): a run is
//! its length, the string's length, both big-endian, and the string. The metadata is `u32` 0, `u32`
//! 1, `u32` bytes of the strings, `u32` bytes of the runs, `u32` bytes of the offsets, `u8` width
//! of run lengths, `u8` width of string lengths.
//!
//! The cells `aa aa b "" "" b` are `02 02 6161 | 01 01 62 | 02 00 | 01 01 62`.

use tdb_tile::{Datatype, Exact, FormatVersion};

use crate::codec::{self, Codec, Compression, Leveled, bound_of};
use crate::header::Reader;
use crate::room::cut;
use crate::runs::{self, LENGTH, NAME, TOO_LONG, complete};
use crate::strings::{self, Head};
use crate::{
    Chunk, Description, Entry, Filter, FilterError, FilterRecord, Offsets, OptionValue, Options,
    Out, Stage, TileKind,
};

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

/// Creates the stored form of the filter with its default level; the level has no effect.
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

/// Encodes runs of fixed-size cells, or runs of strings if offsets are folded.
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
        // Also for UTF-8 in versions that do not fold its offsets yet.
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
        // In the worst case, every cell has one byte and is a run of its own.
        bound_of([len; 1 + LENGTH])
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
        runs::pack(cell, piece, out)
    }

    fn decompress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        runs::expand(stage.cell_size.max(1), piece, out)
    }
}

/// Groups cells into runs: each equal value and the number of its repetitions.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "there are no more cells than memory holds"
)]
fn equal_neighbours<'a>(
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
            length += 1;
        }
    })
}

fn encode_strings(data: &[u8], starts: &[u64], out: &mut Out<'_>) -> Result<(), FilterError> {
    let cells = strings::cells(NAME, data, starts)?;
    let all = || equal_neighbours(cells.clone());
    let longest_run = all().map(|(_, length)| length).max().unwrap_or(0);
    let longest = all().map(|(value, _)| value.len()).max().unwrap_or(0);
    let (run_width, width) = (strings::width(longest_run), strings::width(longest));
    let per_run = usize::from(run_width).exact_add(width.into())?;
    let total = all().try_fold(0_usize, |total, (value, _)| {
        total.exact_add(value.len())?.exact_add(per_run)
    })?;
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
        let length = strings::length(NAME, &mut runs, "run length", run_width)?;
        let size = strings::length(NAME, &mut runs, "string length", width)?;
        let value = runs.take("string", size)?;
        cells = cells.checked_sub(length).ok_or(TOO_LONG)?;
        let (run, rest) = length
            .checked_mul(size)
            .and_then(|len| std::mem::take(&mut memory).split_at_mut_checked(len))
            .ok_or(TOO_LONG)?;
        memory = rest;
        fill(run, value);
        let end = start.exact_add(run.len() as u64)?;
        match &mut starts {
            Some(starts) if size == 0 => starts.extend(std::iter::repeat_n(start, length)),
            Some(starts) => starts.extend((start..end).step_by(size)),
            None => {}
        }
        start = end;
    }
    complete(cells == 0 && memory.is_empty())
}

/// Fills `run` with copies of `value`.
fn fill(run: &mut [u8], value: &[u8]) {
    match *value {
        // An empty string has no bytes to copy.
        [] => {}
        [byte] => run.fill(byte),
        _ => {
            for place in run.chunks_exact_mut(value.len()) {
                place.copy_from_slice(value);
            }
        }
    }
}
