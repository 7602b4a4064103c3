//! Objects of a vast array in the bytes of the format, made by the encoders of the writers.

use bytes::Bytes;
use tdb_filters::{FilterError, FilterList, Pipeline, Registry, Scratch, TileKind};
use tdb_filters::{seal_generic_tile, seal_generic_tile_in_pieces};
use tdb_fragment::{
    FieldLayout, FieldStatistics, FieldTiles, Footer, FragmentStatistics, MetadataFile, TileBounds,
    TileVector,
};
use tdb_rtree::{Mbr, RTree};
use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
use tdb_tile::{Datatype, FormatVersion, Limits, Range, U64Column, WireError};

use super::plan::{Block, EXTENT, TILES};

/// Number of distinct values: 0 to 999, each equally often in each tile.
const VALUES: u64 = 1000;
const CELLS: u64 = EXTENT * EXTENT;

/// Returns the schema: dense, two dimensions, 10^12 cells in 10^6 space tiles; one uncompressed attribute.
pub(crate) fn schema() -> ArraySchema {
    let last = (EXTENT * TILES - 1).cast_signed();
    let axis =
        |name: &str| Dimension::numbers(name, Datatype::Int64, (0, last), EXTENT.cast_signed());
    let value = Attribute::new("value", Datatype::Int32);
    ArraySchema::new(
        ArrayType::Dense,
        vec![axis("row"), axis("column")],
        vec![value],
    )
}

/// Returns the value of a cell, by its tile and its index in the tile.
pub(crate) fn value(tile: u64, cell: u64) -> u64 {
    (tile * 7919 + cell) % VALUES
}

/// Returns a stored tile of the attribute.
pub(crate) fn data_tile(tile: u64) -> Vec<u8> {
    let kind = TileKind::new(FormatVersion::WRITTEN, Datatype::Int32);
    let (version, registry) = (FormatVersion::WRITTEN, Registry::builtin());
    let pipeline = Pipeline::new(&FilterList::default(), version, kind, None, registry).unwrap();
    let values =
        (0..CELLS).flat_map(|cell| i32::try_from(value(tile, cell)).unwrap().to_le_bytes());
    let values: Vec<u8> = values.collect();
    let mut out = Vec::new();
    let (scratch, limits) = (&mut Scratch::default(), &Limits::default());
    pipeline
        .encode_tile(&values, None, &mut out, scratch, limits)
        .unwrap();
    out
}

/// Metadata of a fragment at one block; that of other blocks of the same size differs only in the domain.
#[derive(Debug)]
pub(crate) struct Metadata {
    bytes: Vec<u8>,
    /// Offset of the domain.
    domain: usize,
    /// Offset of the footer, which is followed by its length.
    footer: usize,
}

const LENGTH: usize = 8;

impl Metadata {
    pub(crate) fn new(schema_name: &str, block: &Block, tile_bytes: u64) -> Self {
        let layout = FieldLayout::of(&schema());
        let mut scratch = Scratch::default();
        let file = metadata_file(schema_name, block, tile_bytes, &layout);
        let seal = |payload: &[Bytes]| -> Result<Vec<Bytes>, Problem> {
            let version = FormatVersion::WRITTEN;
            Ok(seal_generic_tile_in_pieces(
                payload,
                version,
                None,
                &mut scratch,
            )?)
        };
        let bytes = file.encode(&layout, seal).unwrap();
        let domain = domain(block);
        let places = bytes.windows(domain.len()).enumerate();
        let mut places = places.filter(|(_, window)| *window == domain);
        let place = places.next().unwrap().0;
        assert!(places.next().is_none(), "the domain stands there once");
        let end = bytes.len() - LENGTH;
        let length = u64::from_le_bytes(bytes.split_at(end).1.try_into().unwrap());
        let footer = end - usize::try_from(length).unwrap();
        Self {
            bytes,
            domain: place,
            footer,
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns a byte range of the metadata of the fragment at `block`.
    pub(crate) fn slice(&self, block: &Block, start: usize, end: usize) -> Vec<u8> {
        let mut out = self.bytes.get(start..end).unwrap().to_vec();
        for (place, byte) in (self.domain..).zip(domain(block)) {
            if let Some(at) = place.checked_sub(start)
                && let Some(old) = out.get_mut(at)
            {
                *old = byte;
            }
        }
        out
    }

    /// Returns the footer without its length, as stored in merged footers.
    pub(crate) fn footer(&self, block: &Block) -> Vec<u8> {
        self.slice(block, self.footer, self.bytes.len() - LENGTH)
    }
}

/// Errors of making metadata.
#[derive(Debug)]
enum Problem {
    Wire(#[expect(dead_code, reason = "for people")] WireError),
    Filter(#[expect(dead_code, reason = "for people")] FilterError),
}

impl From<WireError> for Problem {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

impl From<FilterError> for Problem {
    fn from(error: FilterError) -> Self {
        Self::Filter(error)
    }
}

/// Returns the ranges of the cells of a block.
fn ranges(block: &Block) -> [Range; 2] {
    let cells = |(first, last): (u64, u64)| {
        let (lo, hi) = (first * EXTENT, (last + 1) * EXTENT - 1);
        Range::of(lo.cast_signed(), hi.cast_signed())
    };
    [cells(block.rows), cells(block.columns)]
}

/// Returns the domain as encoded in a footer.
fn domain(block: &Block) -> Vec<u8> {
    let ends = ranges(block).map(|range| [range.lo, range.hi].concat());
    ends.concat()
}

fn metadata_file(
    schema_name: &str,
    block: &Block,
    tile_bytes: u64,
    layout: &FieldLayout,
) -> MetadataFile {
    let tiles = block.tiles();
    let sum = CELLS / VALUES * (VALUES * (VALUES - 1) / 2);
    let least = 0_i32.to_le_bytes().to_vec();
    let greatest = i32::try_from(VALUES - 1).unwrap().to_le_bytes().to_vec();
    let same = |value: u64| vector((0..tiles).map(|_| value));
    let each = |value: &[u8]| TileBounds {
        fixed: value.repeat(usize::try_from(tiles).unwrap()).into(),
        ..TileBounds::default()
    };
    let zeros = FieldTiles {
        tile_offsets: same(0),
        var_offsets: same(0),
        var_sizes: same(0),
        validity_offsets: same(0),
        ..FieldTiles::default()
    };
    let attribute = FieldTiles {
        tile_offsets: vector((0..tiles).map(|tile| tile * tile_bytes)),
        mins: each(&least),
        maxs: each(&greatest),
        sums: same(sum),
        ..FieldTiles::default()
    };
    let zipped = FieldTiles {
        mins: each(&[0; 16]),
        maxs: each(&[0; 16]),
        sums: same(0),
        ..zeros.clone()
    };
    let statistics = FieldStatistics {
        min: least.into(),
        max: greatest.into(),
        sum: sum * tiles,
        null_count: 0,
    };
    let nothing = FieldStatistics::default;
    let zero = FieldStatistics {
        min: vec![0; 8].into(),
        max: vec![0; 8].into(),
        ..nothing()
    };
    MetadataFile {
        footer: Footer {
            version: FormatVersion::WRITTEN,
            schema_name: schema_name.to_owned(),
            dense: true,
            non_empty_domain: Mbr(ranges(block).to_vec()),
            last_tile_cells: CELLS,
            file_sizes: vec![tiles * tile_bytes, 0, 0, 0],
            var_file_sizes: vec![0; 4],
            validity_file_sizes: vec![0; 4],
            ..Footer::default()
        },
        rtree: RTree::build(layout.dimensions(), Vec::<Vec<Range>>::new()).unwrap(),
        fields: vec![attribute, zipped, zeros.clone(), zeros],
        statistics: FragmentStatistics {
            fields: vec![statistics, zero, nothing(), nothing()],
        },
        ..MetadataFile::default()
    }
}

fn vector(values: impl Iterator<Item = u64>) -> TileVector {
    TileVector {
        values: U64Column::from_values(values),
    }
}

/// Returns an object that is one generic tile.
pub(crate) fn sealed(payload: &[u8]) -> Vec<u8> {
    seal_generic_tile(payload, FormatVersion::WRITTEN, None).unwrap()
}
