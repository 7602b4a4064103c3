//! Objects as TileDB wrote them, opened, and the checks that every record must pass.
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "shared by tests that each use a part of it, and that may stop anywhere"
)]

use bytes::Bytes;
use tdb_filters::open_generic_tile;
use tdb_fragment::{
    FieldLayout, Footer, FooterBytes, FragmentError, FragmentMetadata, LegacyMetadata,
    MetadataPart, Next, PartPlace,
};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{FormatVersion, GenericTile, Limits, Record};

/// The names of the fragments in `data`.
pub const SPARSE: [&str; 20] = [
    "v3_sparse",
    "v4_sparse",
    "v5_sparse",
    "v6_sparse",
    "v7_sparse",
    "v8_sparse",
    "v9_sparse",
    "v10_sparse",
    "v11_sparse",
    "v12_sparse",
    "v13_sparse",
    "v14_sparse",
    "v15_sparse",
    "v16_sparse",
    "v17_sparse",
    "v18_sparse",
    "v19_sparse",
    "v20_sparse",
    "v21_sparse",
    "v22_sparse",
];
pub const OTHERS: [&str; 8] = [
    "v3_dense",
    "v5_dense",
    "v7_dense",
    "v9_dense",
    "v9_strings",
    "v10_dense",
    "v22_dense",
    "v22_deletes",
];

pub fn all() -> impl Iterator<Item = &'static str> {
    SPARSE.into_iter().chain(OTHERS)
}

pub fn data(name: &str) -> Bytes {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap().into()
}

/// Opens the generic tile at the start of `bytes`; returns its content and its stored size.
pub fn open(bytes: &Bytes) -> (Bytes, usize) {
    let limits = Limits::default();
    let tile = GenericTile::parse(bytes, &limits).unwrap();
    let payload = open_generic_tile(&tile, None, &limits).unwrap();
    (payload, tile.stored_size())
}

/// A fragment in `data`.
pub struct Fragment {
    pub name: &'static str,
    pub schema: ArraySchema,
    pub file: Bytes,
}

impl Fragment {
    pub fn new(name: &'static str) -> Self {
        let (schema, _) = open(&data(&format!("{name}.schema")));
        Self {
            name,
            schema: ArraySchema::decode(&schema, &Limits::default()).unwrap(),
            file: data(&format!("{name}.metadata")),
        }
    }

    pub fn layout(&self) -> FieldLayout {
        FieldLayout::of(&self.schema)
    }

    pub fn footer_bytes(&self) -> FooterBytes {
        // The name of a fragment of format 3 looks like that of a fragment of format 4.
        let version = self.name[1..].split('_').next().unwrap().parse().unwrap();
        let version = FormatVersion::new(if version == 3 { 4 } else { version });
        let size = self.file.len() as u64;
        match FooterBytes::locate(&self.file, size, version, Some(&self.layout())).unwrap() {
            Next::Done(footer) => footer,
            Next::Need(range) => panic!("{range:?} is wanted of a whole file"),
        }
    }

    pub fn footer(&self) -> Footer {
        let bytes = self.footer_bytes().bytes;
        Footer::read(&bytes, &self.layout(), &Limits::default()).unwrap()
    }

    pub fn legacy(&self) -> LegacyMetadata {
        let (payload, _) = open(&self.file);
        LegacyMetadata::read(&payload, &self.layout(), &Limits::default()).unwrap()
    }

    pub fn metadata_of(&self, footer: Footer) -> Result<FragmentMetadata, FragmentError> {
        FragmentMetadata::from_footer(footer, self.footer_bytes().start, &self.schema)
    }

    pub fn metadata(&self) -> FragmentMetadata {
        if self.name.starts_with("v1_") {
            return FragmentMetadata::from_legacy(self.legacy(), true, &self.schema).unwrap();
        }
        self.metadata_of(self.footer()).unwrap()
    }

    /// Opens a part of the metadata; from its start to the next part, there must be exactly one
    /// generic tile.
    pub fn part(&self, metadata: &FragmentMetadata, part: MetadataPart) -> Bytes {
        match metadata.part_place(part).unwrap() {
            PartPlace::Here(payload) => payload,
            PartPlace::Stored(range) => {
                let (start, end) = (range.start as usize, range.end as usize);
                let (payload, size) = open(&self.file.slice(start..end));
                // Format 15 has a tile to which no offset refers.
                let hidden = metadata.version == FormatVersion::new(15)
                    && part == MetadataPart::FragmentStatistics;
                assert!(hidden || size == end - start, "{}: {part:?}", self.name);
                payload
            }
        }
    }

    /// Returns the fields that have files of their own.
    pub fn stored_fields(&self, metadata: &FragmentMetadata) -> Vec<FieldKind> {
        let special = [
            FieldKind::Coords,
            FieldKind::Timestamps,
            FieldKind::DeleteTimestamps,
            FieldKind::DeleteConditionIndex,
        ];
        let kinds = self.schema.fields().map(|field| field.kind);
        kinds
            .chain(special)
            .filter(|kind| metadata.stored_field(*kind) == Some(*kind))
            .collect()
    }
}

/// Checks encoding, decoding, the measured size, and every truncation; returns the record and its
/// description.
pub fn check<R>(bytes: &Bytes, version: FormatVersion, cx: &R::Cx) -> (R, String)
where
    R: Record + PartialEq + std::fmt::Debug,
{
    let limits = Limits::default();
    let (text, record) = R::describe(bytes, version, cx, &limits);
    let record = record.unwrap();
    assert_eq!(record.encode(version, cx).unwrap(), bytes[..]);
    assert_eq!(record.size(version, cx).unwrap(), bytes.len() as u64);
    assert_eq!(R::decode(bytes, version, cx, &limits).unwrap(), record);
    for end in 0..bytes.len() {
        let cut = R::decode(&bytes.slice(..end), version, cx, &limits);
        assert!(cut.is_err(), "{end} of {} bytes decoded", bytes.len());
    }
    (record, text)
}
