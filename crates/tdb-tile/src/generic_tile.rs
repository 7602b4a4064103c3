use bytes::Bytes;
use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::{Code, Datatype, FormatVersion, Limits, WireError, WireErrorKind};

/// The header in front of every generic tile.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct GenericTileHeader {
    /// Newest format version that the writing library knew; it determines how filter options are
    /// read.
    pub version: U32,
    /// Bytes of the chunks, which follow the pipeline.
    pub persisted_size: U64,
    /// Bytes of the unfiltered tile.
    pub tile_size: U64,
    /// Datatype code; writers store `char`.
    pub datatype: u8,
    /// Bytes of a cell; writers store 1.
    pub cell_size: U64,
    /// Encryption code.
    pub encryption: u8,
    /// Bytes of the serialized filter pipeline, which follows this header.
    pub pipeline_size: U32,
}

const HEADER: usize = size_of::<GenericTileHeader>();
const _: () = assert!(HEADER == 34);

/// The encryption of an array's tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EncryptionType {
    /// No encryption.
    #[default]
    None,
    /// AES-256 in Galois/counter mode.
    Aes256Gcm,
}

impl Code for EncryptionType {
    const WHAT: &'static str = "encryption type";

    fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::None),
            1 => Some(Self::Aes256Gcm),
            _ => None,
        }
    }

    fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Aes256Gcm => 1,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Aes256Gcm => "aes-256-gcm",
        }
    }
}

/// The header of generic tiles written by releases before 1.4, which has no version.
#[derive(Clone, Copy, FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct UnversionedHeader {
    compressed_size: U64,
    _tile_size: U64,
    datatype: u8,
    cell_size: U64,
    _compressor: u8,
    _compression_level: U32,
}

/// True if a release before 1.4 wrote these bytes, which then store no format version.
///
/// Releases 1.0 to 1.3 wrote [`UnversionedHeader`], whose cell size is 1. A versioned header has
/// parts of other fields in the same place, which together are never 1. Older releases wrote a
/// schema without any header: the length of the array's path, then the path.
fn is_before_versions(bytes: &[u8]) -> bool {
    let headed = UnversionedHeader::read_from_prefix(bytes).is_ok_and(|(header, rest)| {
        header.cell_size.get() == 1
            && Datatype::from_code(header.datatype).is_some()
            && header.compressed_size.get() <= rest.len() as u64
    });
    headed || path_in_front(bytes).is_some_and(|path| path.contains('/'))
}

/// Returns the length-prefixed text of printable characters at the start of `bytes`; `None` if
/// there is none.
fn path_in_front(bytes: &[u8]) -> Option<&str> {
    let (length, rest) = U32::read_from_prefix(bytes).ok()?;
    // In a versioned header, these eight bytes are the persisted size, whose high bytes are zeros,
    // not text.
    let length = usize::try_from(length.get()).ok().filter(|n| *n >= 8)?;
    let path = rest.get(..length)?;
    let path = std::str::from_utf8(path).ok()?;
    (!path.contains(char::is_control)).then_some(path)
}

/// A generic tile, split into its parts but still filtered: a layer above undoes the filters.
#[derive(Clone, Debug)]
pub struct GenericTile {
    /// The header as stored.
    pub header: GenericTileHeader,
    /// The serialized filter pipeline, still encoded.
    pub pipeline: Bytes,
    /// The chunks, still filtered.
    pub chunks: Bytes,
    /// The encryption that the header's code stands for.
    encryption: EncryptionType,
}

impl GenericTile {
    /// The name of the record in errors.
    pub const NAME: &'static str = "GenericTile";

    /// Splits the generic tile at the start of `bytes` into its parts; other bytes may follow the
    /// tile.
    ///
    /// # Errors
    /// Fails if a size goes beyond the bytes or [`Limits::metadata_tile`], or if the version, the
    /// datatype or the encryption is unknown.
    pub fn parse(bytes: &Bytes, limits: &Limits) -> Result<Self, WireError> {
        let (header, rest) = GenericTileHeader::read_from_prefix(bytes).map_err(|_| {
            let kind = WireErrorKind::Truncated {
                needs: HEADER as u64,
                left: bytes.len() as u64,
            };
            Self::fail("header", 0, kind)
        })?;
        if is_before_versions(bytes) {
            return Err(Self::fail("version", 0, WireErrorKind::BeforeVersions));
        }
        let encryption = Self::check_header(&header, limits)?;
        Self::check_sizes(&header, rest.len() as u64)?;
        let mut rest = bytes.slice(HEADER..);
        let pipeline = rest.split_to(header.pipeline_size.get() as usize);
        // The conversion cannot fail: the size is at most the number of bytes in memory.
        rest.truncate(usize::try_from(header.persisted_size.get()).unwrap_or(usize::MAX));
        Ok(Self {
            header,
            pipeline,
            chunks: rest,
            encryption,
        })
    }

    fn fail(field: &'static str, offset: usize, kind: WireErrorKind) -> WireError {
        WireError::new(Self::NAME, field, offset, kind)
    }

    /// Checks the version, the codes and the unfiltered size, and returns the encryption.
    fn check_header(
        header: &GenericTileHeader,
        limits: &Limits,
    ) -> Result<EncryptionType, WireError> {
        let version = header.version.get();
        if !FormatVersion::new(version).is_known() {
            let newest = FormatVersion::NEWEST.number();
            let kind = match version {
                0 => WireErrorKind::Invalid("there is no format version 0"),
                found => WireErrorKind::NewerVersion { found, newest },
            };
            return Err(Self::fail("version", 0, kind));
        }
        Limits::check(
            "metadata tile size",
            "metadata_tile",
            header.tile_size.get(),
            limits.metadata_tile,
        )
        .map_err(|limit| Self::fail("tile_size", 12, limit.into()))?;
        let unknown = |what, code: u8| WireErrorKind::UnknownCode {
            what,
            code: u64::from(code),
        };
        if Datatype::from_code(header.datatype).is_none() {
            let kind = unknown(Datatype::WHAT, header.datatype);
            return Err(Self::fail("datatype", 20, kind));
        }
        EncryptionType::from_code(header.encryption).ok_or_else(|| {
            let kind = unknown(EncryptionType::WHAT, header.encryption);
            Self::fail("encryption", 29, kind)
        })
    }

    /// Fails if the pipeline or the chunks are longer than the `left` bytes that follow the header.
    fn check_sizes(header: &GenericTileHeader, left: u64) -> Result<(), WireError> {
        let pipeline = u64::from(header.pipeline_size.get());
        let behind = left.checked_sub(pipeline).ok_or_else(|| {
            let needs = pipeline;
            Self::fail(
                "pipeline_size",
                30,
                WireErrorKind::Truncated { needs, left },
            )
        })?;
        let needs = header.persisted_size.get();
        if needs > behind {
            let left = behind;
            let kind = WireErrorKind::Truncated { needs, left };
            return Err(Self::fail("persisted_size", 4, kind));
        }
        Ok(())
    }

    /// The stored size of the tile in bytes, header included.
    #[must_use]
    pub fn stored_size(&self) -> usize {
        [HEADER, self.pipeline.len(), self.chunks.len()]
            .iter()
            .sum()
    }

    /// The format version in the header.
    #[must_use]
    pub fn version(&self) -> FormatVersion {
        FormatVersion::new(self.header.version.get())
    }

    /// The encryption of the tile.
    #[must_use]
    pub fn encryption(&self) -> EncryptionType {
        self.encryption
    }

    /// Creates a tile from `chunks` whose unfiltered size is `tile_size` bytes.
    ///
    /// # Errors
    /// Fails if the pipeline has more bytes than the header can store (2^32 - 1).
    pub fn try_new(
        version: FormatVersion,
        encryption: EncryptionType,
        tile_size: u64,
        pipeline: Bytes,
        chunks: Bytes,
    ) -> Result<Self, WireError> {
        let pipeline_size = u32::try_from(pipeline.len()).map_err(|_| {
            let kind = WireErrorKind::Invalid("the pipeline has more than 2^32 - 1 bytes");
            WireError::new(Self::NAME, "pipeline_size", 30, kind)
        })?;
        let header = GenericTileHeader {
            version: U32::new(version.number()),
            persisted_size: U64::new(chunks.len() as u64),
            tile_size: U64::new(tile_size),
            datatype: Datatype::Char.code(),
            cell_size: U64::new(1),
            encryption: encryption.code(),
            pipeline_size: U32::new(pipeline_size),
        };
        Ok(Self {
            header,
            pipeline,
            chunks,
            encryption,
        })
    }

    /// Encodes the tile as it is stored.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        [self.header.as_bytes(), &self.pipeline, &self.chunks].concat()
    }

    /// Formats the header as text, one line per field.
    #[must_use]
    pub fn describe(&self) -> String {
        let h = &self.header;
        let datatype = Datatype::from_code(h.datatype).map_or("?", Code::name);
        format!(
            "{:>16}  version = {}\n{:>16}  persisted_size = {}\n{:>16}  tile_size = {}\n\
             {:>16}  datatype = {datatype} ({})\n{:>16}  cell_size = {}\n\
             {:>16}  encryption = {} ({})\n{:>16}  pipeline_size = {}\n",
            "0..4",
            h.version,
            "4..12",
            h.persisted_size,
            "12..20",
            h.tile_size,
            "20..21",
            h.datatype,
            "21..29",
            h.cell_size,
            "29..30",
            self.encryption().name(),
            h.encryption,
            "30..34",
            h.pipeline_size,
        )
    }
}
