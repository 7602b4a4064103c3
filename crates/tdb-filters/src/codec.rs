use std::fmt;

use tdb_tile::{Bug, Datatype, Exact, FormatVersion, WireErrorKind};

use crate::filter::Options;
use crate::header::{Reader, put_length};
use crate::room::cut;
use crate::{Chunk, Description, Filter, FilterError, OptionValue, Out, Stage};

/// Returns the bound of a codec, given the numbers of bytes of which it is the sum. More than memory holds is as much
/// as all of it: no memory of that size is ever given.
pub(crate) fn bound_of<const N: usize>(parts: [usize; N]) -> usize {
    parts.into_iter().fold(0, usize::saturating_add)
}

/// A codec of byte strings whose decoded length is known: the part in which compression filters
/// differ.
///
/// [`Compression`] turns a codec into a filter.
pub trait Codec: fmt::Debug + Send + Sync {
    /// The filter's name in errors.
    fn name(&self) -> &'static str;

    /// The maximum number of bytes that `len` bytes can encode to.
    fn bound(&self, len: usize) -> usize;

    /// Encodes `piece` into the start of `out`, which has the length of the bound, and returns the
    /// encoded length.
    ///
    /// # Errors
    /// Values that the codec cannot represent.
    fn compress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<usize, FilterError>;

    /// Decodes `piece` into all of `out`.
    ///
    /// # Errors
    /// [`FilterError::Corrupt`] if `piece` does not decode to exactly that length.
    fn decompress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError>;

    /// True if an empty part is encoded as a piece. TileDB cannot read the piece that the delta
    /// codecs make of an empty part, but accepts its absence.
    fn encodes_nothing(&self) -> bool {
        true
    }

    /// The maximum number of bytes that one encoded byte can decode to; `usize::MAX` if the codec
    /// has no such bound.
    fn max_expansion(&self) -> usize {
        usize::MAX
    }
}

/// The framing of all compression filters: every part of the metadata, then every part of the data,
/// becomes one piece.
///
/// Format: `docs/format/filters.md`, "Compression". The metadata is two counts (metadata parts,
/// data parts) and, for each piece, its original and its stored length.
#[derive(Clone, Copy, Debug)]
pub struct Compression<C>(pub C);

impl<C: Codec> Compression<C> {
    /// Runs every part through the codec.
    ///
    /// # Errors
    /// Passes on the errors of the codec.
    pub fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let Self(codec) = self;
        let data = chunk
            .data
            .iter()
            .filter(|part| !part.is_empty() || codec.encodes_nothing());
        let pieces = chunk.metadata.iter().chain(data.clone());
        let bound = pieces
            .clone()
            .map(|piece| codec.bound(piece.len()))
            .try_fold(0, usize::exact_add)?;
        let (header, mut room) = out.header_and_data(bound)?;
        put_length(codec.name(), header, chunk.metadata.len())?;
        put_length(codec.name(), header, data.count())?;
        let mut total = 0_usize;
        for piece in pieces {
            let stored = codec.compress(piece, room, stage)?;
            put_length(codec.name(), header, piece.len())?;
            put_length(codec.name(), header, stored)?;
            cut(&mut room, stored)?;
            total = total.exact_add(stored)?;
        }
        out.shorten_data(total);
        Ok(())
    }

    /// Undoes [`Compression::encode`].
    ///
    /// # Errors
    /// Fails if lengths do not agree, or if the codec fails.
    pub fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let Self(codec) = self;
        let pieces = Pieces::read(codec.name(), chunk)?;
        let mut stored = Reader::new(codec.name(), chunk.data.bytes());
        if pieces.metadata.len() > 0 {
            let metadata = out.metadata(pieces.metadata.original()?)?;
            decode_pieces(codec, pieces.metadata, &mut stored, metadata, stage)?;
        }
        let data = out.data(pieces.data.original()?)?;
        decode_pieces(codec, pieces.data, &mut stored, data, stage)?;
        stored.finish("stored pieces")
    }
}

/// The piece lengths of one chunk.
struct Pieces<'a> {
    metadata: Lengths<'a>,
    data: Lengths<'a>,
}

impl<'a> Pieces<'a> {
    fn read(filter: &'static str, chunk: Chunk<'a>) -> Result<Self, FilterError> {
        let mut header = Reader::new(filter, chunk.metadata.bytes());
        let metadata = header.length("metadata part count")?;
        let data = header.count("data part count", 8)?;
        let mut lengths = |n: usize| header.take_records("piece lengths", n, 8).map(Lengths);
        let (metadata, data) = (lengths(metadata)?, lengths(data)?);
        header.finish("header")?;
        Ok(Self { metadata, data })
    }
}

/// The original and the stored length of each piece, as stored.
#[derive(Clone, Copy)]
struct Lengths<'a>(&'a [u8]);

impl<'a> Lengths<'a> {
    fn len(self) -> usize {
        self.0.len() / 8
    }

    fn iter(self) -> impl Iterator<Item = (usize, usize)> + use<'a> {
        let (lengths, _) = self.0.as_chunks::<4>();
        let (pairs, _) = lengths.as_chunks::<2>();
        pairs.iter().map(|pair| {
            let [original, stored] = pair.map(|length| u32::from_le_bytes(length) as usize);
            (original, stored)
        })
    }

    fn original(self) -> Result<usize, Bug> {
        self.iter()
            .try_fold(0, |sum, (original, _)| original.exact_add(sum))
    }
}

fn decode_pieces<C: Codec>(
    codec: &C,
    lengths: Lengths<'_>,
    stored: &mut Reader<'_>,
    mut out: &mut [u8],
    stage: &mut Stage<'_>,
) -> Result<(), FilterError> {
    for (original, length) in lengths.iter() {
        let piece = stored.take("stored piece", length)?;
        let (room, rest) = std::mem::take(&mut out)
            .split_at_mut_checked(original)
            .ok_or_else(|| FilterError::invalid(codec.name(), "piece lengths", "overflow"))?;
        out = rest;
        if original == 0 {
            // Some releases store a truncated stream for an empty part: there is nothing to decode.
            continue;
        }
        let most = length.checked_mul(codec.max_expansion());
        if most.is_some_and(|most| original > most) {
            let finding = "more bytes than so short a stream can hold";
            return Err(FilterError::invalid(
                codec.name(),
                "original length",
                finding,
            ));
        }
        codec.decompress(piece, room, stage)?;
    }
    Ok(())
}

impl<C: Codec + Leveled> Filter for Compression<C> {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        self.encode(chunk, out, stage)
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        self.decode(chunk, out, stage)
    }

    fn options(&self, _version: FormatVersion) -> Vec<u8> {
        write_level(C::ID, self.0.level())
    }

    fn describe(&self) -> Vec<(&'static str, OptionValue)> {
        vec![("level", OptionValue::Integer(self.0.level().into()))]
    }

    fn breaks_values(&self, _: Datatype) -> bool {
        true
    }

    fn compresses(&self) -> bool {
        true
    }
}

/// A codec whose options are only a compressor id and a level.
pub trait Leveled: Sized + 'static {
    /// The compressor id at the start of the options; not the code of the filter.
    const ID: u8;
    /// The level if none is given.
    const DEFAULT_LEVEL: i32 = -1;

    /// Creates a codec with this level, which is stored as given and clamped when used.
    fn at(level: i32) -> Self;

    /// The level, as stored.
    fn level(&self) -> i32;
}

pub(crate) fn write_level(id: u8, level: i32) -> Vec<u8> {
    let mut out = vec![id];
    out.extend_from_slice(&level.to_le_bytes());
    out
}

/// Reads the compressor id and the level at the start of every compressor's options.
pub(crate) fn read_level(
    options: &Options<'_>,
    reader: &mut Reader<'_>,
    id: u8,
) -> Result<i32, FilterError> {
    let found = reader.scalar::<u8>("compressor id")?;
    if found != id {
        let kind = WireErrorKind::Mismatch {
            what: "compressor id",
            wanted: id.into(),
            found: found.into(),
        };
        return Err(FilterError::corrupt(options.filter, "options", kind));
    }
    reader.scalar("level")
}

/// Implements [`Entry::parse`](crate::Entry::parse) for a codec that has only a level.
///
/// # Errors
/// Fails if the options have another length or are for another compressor.
pub fn parse_leveled<C: Codec + Leveled>(
    options: &Options<'_>,
) -> Result<Box<dyn Filter>, FilterError> {
    let mut reader = options.reader();
    let level = read_level(options, &mut reader, C::ID)?;
    reader.finish("options")?;
    Ok(Box::new(Compression(C::at(level))))
}

/// Implements [`Entry::build`](crate::Entry::build) for a codec that has only a level.
///
/// # Errors
/// Fails if the level is not a 32-bit number.
pub fn build_leveled<C: Codec + Leveled>(
    description: &Description,
) -> Result<Box<dyn Filter>, FilterError> {
    let codec = C::at(C::DEFAULT_LEVEL);
    let level = description.integer(codec.name(), "level", C::DEFAULT_LEVEL)?;
    Ok(Box::new(Compression(C::at(level))))
}
