//! What the two string forms share, in which the offsets of the cells are folded into the data.

use tdb_tile::Datatype;

use crate::header::{Reader, put_length};
use crate::{Chunk, FilterError, Offsets, Stage, TileKind};

/// Where the offsets of a tile are under a filter for strings, which folds those of UTF-8 since one version and
/// those of ASCII since one that the filter knows: `docs/format/filters.md`, "Strings".
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

/// The cells of a chunk, one after the other.
pub(crate) fn cells<'a>(
    data: &'a [u8],
    starts: &'a [u64],
) -> impl Iterator<Item = &'a [u8]> + Clone {
    let place = |start: &u64| usize::try_from(*start).unwrap_or(usize::MAX);
    let ends = starts.iter().skip(1).map(place).chain([data.len()]);
    starts
        .iter()
        .map(place)
        .zip(ends)
        .map(|(start, end)| data.get(start..end).unwrap_or_default())
}

/// The smallest of the widths 1, 2, 4 and 8 that holds a number.
pub(crate) const fn width(number: usize) -> usize {
    match number {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// Writes a number in the last `width` of its big-endian bytes.
pub(crate) fn put(number: usize, width: usize, room: &mut [u8]) -> usize {
    let bytes = (number as u64).to_be_bytes();
    let low = bytes
        .get(8_usize.saturating_sub(width)..)
        .unwrap_or_default();
    // The room was measured before.
    if let Some(place) = room.get_mut(..width) {
        place.copy_from_slice(low);
    }
    width
}

/// Reads a big-endian number of `width` bytes.
pub(crate) fn number(bytes: &[u8]) -> usize {
    let wide = bytes
        .iter()
        .fold(0_u64, |wide, byte| (wide << 8) | u64::from(*byte));
    usize::try_from(wide).unwrap_or(usize::MAX)
}

/// What the metadata of both forms begins with.
pub(crate) struct Head {
    /// Bytes of the strings.
    pub(crate) original: usize,
    /// How many cells there are.
    pub(crate) cells: usize,
}

impl Head {
    pub(crate) fn write(
        &self,
        filter: &'static str,
        stored: usize,
        header: &mut Vec<u8>,
    ) -> Result<(), FilterError> {
        let offsets = self.cells.saturating_mul(8);
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

/// Reads a width, which must be one of 1, 2, 4 and 8.
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
