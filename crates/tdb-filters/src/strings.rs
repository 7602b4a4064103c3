//! The common part of the two string formats, which fold the offsets of cells into the data.

use tdb_tile::{Datatype, Exact};

use crate::header::{Reader, put_length};
use crate::{Chunk, FilterError, Offsets, Stage, TileKind};

/// Determines where a string filter puts a tile's offsets. UTF-8 offsets are folded from one format
/// version on, ASCII offsets if `folds_ascii`: `docs/format/filters.md`, "Strings".
pub(crate) const fn offsets(tile: &TileKind, folds_ascii: bool) -> Offsets {
    let folds = match tile.datatype {
        Datatype::StringAscii if tile.is_var => folds_ascii,
        Datatype::StringUtf8 if tile.is_var => tile.version.folds_utf8_offsets(),
        _ => return Offsets::Apart,
    };
    if folds {
        Offsets::Folded
    } else {
        Offsets::ApartOrFolded
    }
}

/// Iterates over the cells of a chunk.
///
/// # Errors
/// Fails if the starts are out of order or beyond the data, or if the first is not 0.
pub(crate) fn cells<'a>(
    filter: &'static str,
    data: &'a [u8],
    starts: &'a [u64],
) -> Result<impl Iterator<Item = &'a [u8]> + Clone, FilterError> {
    check_starts(filter, data, starts)?;
    let size = data.len() as u64;
    let ends = starts.iter().skip(1).copied().chain([size]);
    Ok(starts.iter().zip(ends).map(move |(start, end)| {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "no more than the data has, as was just checked"
        )]
        let (start, end) = (*start as usize, end as usize);
        data.split_at(end).0.split_at(start).1
    }))
}

/// Fails unless every byte of the data belongs to exactly one cell.
pub(crate) fn check_starts(
    filter: &'static str,
    data: &[u8],
    starts: &[u64],
) -> Result<(), FilterError> {
    let begins = match starts.first() {
        Some(first) => *first == 0,
        None => data.is_empty(),
    };
    let ends = starts.last().is_none_or(|&last| last <= data.len() as u64);
    if begins && ends && starts.is_sorted() {
        return Ok(());
    }
    Err(FilterError::Values {
        filter,
        why: "offsets are not in order or beyond the data",
    })
}

/// Returns the smallest of the widths 1, 2, 4 and 8 bytes that holds `number`.
pub(crate) const fn width(number: usize) -> u8 {
    match number {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// Writes the low bytes of `number` to `place` in big-endian order.
pub(crate) fn put(number: usize, place: &mut [u8]) {
    let bytes = (number as u64).to_be_bytes();
    for (place, byte) in place.iter_mut().rev().zip(bytes.iter().rev()) {
        *place = *byte;
    }
}

/// Appends the low `width` bytes of `number` in big-endian order.
pub(crate) fn push(number: usize, width: u8, out: &mut Vec<u8>) {
    let bytes = (number as u64).to_le_bytes();
    out.extend(bytes.iter().take(width.into()).rev());
}

/// Reads a big-endian number from all of `bytes`.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter();
    bytes.fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// Reads a big-endian length of `width` bytes.
pub(crate) fn length(
    filter: &'static str,
    reader: &mut Reader<'_>,
    field: &'static str,
    width: usize,
) -> Result<usize, FilterError> {
    let length = usize::try_from(number(reader.take(field, width)?));
    length.map_err(|_| FilterError::invalid(filter, field, "goes beyond memory"))
}

/// The start of the metadata of both formats.
pub(crate) struct Head {
    /// Bytes of all strings.
    pub(crate) original: usize,
    /// The number of cells.
    pub(crate) cells: usize,
}

impl Head {
    pub(crate) fn write(
        &self,
        filter: &'static str,
        stored: usize,
        header: &mut Vec<u8>,
    ) -> Result<(), FilterError> {
        let offsets = self.cells.exact_mul(8)?;
        [0, 1, self.original, stored, offsets]
            .into_iter()
            .try_for_each(|field| put_length(filter, header, field))
    }

    pub(crate) fn read(
        filter: &'static str,
        header: &mut Reader<'_>,
        chunk: Chunk<'_>,
        stage: &Stage<'_>,
    ) -> Result<Self, FilterError> {
        let metadata = header.length("metadata part count")?;
        let data = header.length("data part count")?;
        if (metadata, data) != (0, 1) {
            return Err(FilterError::invalid(
                filter,
                "part counts",
                "are not 0 and 1",
            ));
        }
        let original = header.length("original length")?;
        let stored = header.length("stored length")?;
        if stored != chunk.data.bytes().len() {
            let found = chunk.data.bytes().len();
            return Err(FilterError::mismatch(
                filter,
                "stored length",
                stored,
                found,
            ));
        }
        let offsets = header.length("offsets length")?;
        if !offsets.is_multiple_of(8) {
            let finding = "is not a whole number of offsets";
            return Err(FilterError::invalid(filter, "offsets length", finding));
        }
        tdb_tile::Limits::check(
            "offsets tile size",
            "data_tile",
            offsets as u64,
            stage.limits.data_tile,
        )?;
        let _fits = stage.limits.budget.take(offsets as u64)?;
        Ok(Self {
            original,
            cells: offsets / 8,
        })
    }
}

/// Reads a width; fails unless it is 1, 2, 4 or 8.
pub(crate) fn read_width(
    filter: &'static str,
    header: &mut Reader<'_>,
    field: &'static str,
) -> Result<usize, FilterError> {
    match header.scalar::<u8>(field)? {
        width @ (1 | 2 | 4 | 8) => Ok(width.into()),
        _ => Err(FilterError::invalid(
            filter,
            field,
            "is none of 1, 2, 4 and 8",
        )),
    }
}
