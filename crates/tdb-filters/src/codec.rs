use std::fmt;

use tdb_tile::{Datatype, FormatVersion, WireErrorKind};

use crate::filter::Options;
use crate::header::{Reader, put_length};
use crate::room::cut;
use crate::{Chunk, Description, Filter, FilterError, OptionValue, Out, Stage};

/// A codec of byte strings whose decoded length is known: what the compression filters differ in.
///
/// [`Compression`] makes a filter of it.
pub trait Codec: fmt::Debug + Send + Sync {
    /// The name in errors.
    fn name(&self) -> &'static str;

    /// Most bytes that `len` bytes can become.
    fn bound(&self, len: usize) -> usize;

    /// Encodes `piece` into the start of `out`, which is as long as the bound, and says how many bytes that took.
    ///
    /// # Errors
    /// Values that the codec cannot hold.
    fn compress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<usize, FilterError>;

    /// Decodes `piece` into all of `out`.
    ///
    /// # Errors
    /// [`FilterError::Corrupt`] where it does not decode to exactly that length.
    fn decompress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError>;

    /// Whether a part of no bytes is a piece like any other. TileDB cannot read the piece that
    /// the deltas make of it, but does without.
    fn encodes_nothing(&self) -> bool {
        true
    }

    /// Most bytes that one encoded byte can stand for, where the codec has such a bound.
    fn max_expansion(&self) -> usize {
        usize::MAX
    }
}

/// The framing that all compression filters share: every part of the metadata, then every
/// part of the data, is a piece of its own.
///
/// Format: `docs/format/filters.md`, "Compression". The metadata is two counts (parts of
/// metadata, parts of data) and, for each piece, its original and its stored length.
#[derive(Clone, Copy, Debug)]
pub struct Compression<C>(pub C);

impl<C: Codec> Compression<C> {
    /// Runs every part through the codec.
    ///
    /// # Errors
    /// What the codec finds wrong.
    pub fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let Self(codec) = self;
        let data = chunk.data.iter();
        let data = data.filter(|part| !part.is_empty() || codec.encodes_nothing());
        let pieces = chunk.metadata.iter().chain(data.clone());
        let bound = pieces
            .clone()
            .map(|piece| codec.bound(piece.len()))
            .fold(0, usize::saturating_add);
        let (header, mut room) = out.header_and_data(bound)?;
        put_length(codec.name(), header, chunk.metadata.len())?;
        put_length(codec.name(), header, data.count())?;
        let mut total = 0_usize;
        for piece in pieces {
            let stored = codec.compress(piece, room, stage)?;
            put_length(codec.name(), header, piece.len())?;
            put_length(codec.name(), header, stored)?;
            cut(&mut room, stored)?;
            total = total.saturating_add(stored);
        }
        out.shorten_data(total);
        Ok(())
    }

    /// Undoes [`Compression::encode`].
    ///
    /// # Errors
    /// Lengths that do not agree, and what the codec finds wrong.
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
            let metadata = out.metadata(pieces.metadata.original())?;
            decode_pieces(codec, pieces.metadata, &mut stored, metadata, stage)?;
        }
        let data = out.data(pieces.data.original())?;
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
        let mut lengths = |n: usize| {
            header
                .take("piece lengths", n.saturating_mul(8))
                .map(Lengths)
        };
        let (metadata, data) = (lengths(metadata)?, lengths(data)?);
        header.finish("header")?;
        Ok(Self { metadata, data })
    }
}

/// Pairs of original and stored length.
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

    fn original(self) -> usize {
        self.iter()
            .fold(0, |sum, (original, _)| original.saturating_add(sum))
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
            // Some releases store a stream for no bytes, and cut it short: nothing to decode.
            continue;
        }
        if original > length.saturating_mul(codec.max_expansion()) {
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

/// A codec whose options are a compressor id and a level, and no more.
pub trait Leveled: Sized + 'static {
    /// The id that the options begin with; not the code of the filter.
    const ID: u8;
    /// The level of a filter that does not say.
    const DEFAULT_LEVEL: i32 = -1;

    /// A codec at this level, which is stored as given and brought into range when used.
    fn at(level: i32) -> Self;

    /// The level as stored.
    fn level(&self) -> i32;
}

pub(crate) fn write_level(id: u8, level: i32) -> Vec<u8> {
    let mut out = vec![id];
    out.extend_from_slice(&level.to_le_bytes());
    out
}

/// Reads the id and the level that the options of every compressor begin with.
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

/// [`Entry::parse`](crate::Entry::parse) of a codec that only has a level.
///
/// # Errors
/// Options of another length or for another compressor.
pub fn parse_leveled<C: Codec + Leveled>(
    options: &Options<'_>,
) -> Result<Box<dyn Filter>, FilterError> {
    let mut reader = options.reader();
    let level = read_level(options, &mut reader, C::ID)?;
    reader.finish("options")?;
    Ok(Box::new(Compression(C::at(level))))
}

/// [`Entry::build`](crate::Entry::build) of a codec that only has a level.
///
/// # Errors
/// A level that is no 32-bit number.
pub fn build_leveled<C: Codec + Leveled>(
    description: &Description,
) -> Result<Box<dyn Filter>, FilterError> {
    let codec = C::at(C::DEFAULT_LEVEL);
    let level = description.integer(codec.name(), "level", C::DEFAULT_LEVEL)?;
    Ok(Box::new(Compression(C::at(level))))
}
