//! Decoding a footer to checked metadata, and tile offsets to an index.
#![expect(clippy::unwrap_used, reason = "a bench may stop there")]

use bytes::Bytes;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tdb_filters::open_generic_tile;
use tdb_fragment::{FooterBytes, FragmentMetadata, Next, TileVector};
use tdb_schema::ArraySchema;
use tdb_tile::{FormatVersion, GenericTile, Limits, Record, U64Column};

fn main() {
    divan::main();
}

fn schema() -> ArraySchema {
    let bytes = Bytes::from_static(include_bytes!("../tests/data/v22_dense.schema"));
    let limits = Limits::default();
    let tile = GenericTile::parse(&bytes, &limits).unwrap();
    let payload = open_generic_tile(&tile, None, &limits).unwrap();
    ArraySchema::decode(&payload, &limits).unwrap()
}

/// A footer with 26 fields.
#[divan::bench]
fn footer(bencher: Bencher<'_, '_>) {
    let file = Bytes::from_static(include_bytes!("../tests/data/v22_dense.metadata"));
    let schema = schema();
    let version = FormatVersion::WRITTEN;
    bencher.counter(ItemsCount::new(1_u64)).bench(|| {
        let found = FooterBytes::locate(black_box(&file), file.len() as u64, version, None);
        let Next::Done(footer) = found.unwrap() else {
            unreachable!("all of the file is there");
        };
        FragmentMetadata::read(&footer.bytes, footer.start, &schema, &Limits::default()).unwrap()
    });
}

#[divan::bench]
fn tile_vector(bencher: Bencher<'_, '_>) {
    const TILES: u64 = 1_000_000;
    let values = U64Column::from_values((0..TILES).map(|tile| tile * 100));
    let version = FormatVersion::WRITTEN;
    let payload = Bytes::from(TileVector { values }.encode(version, &()).unwrap());
    bencher
        .counter(ItemsCount::new(TILES))
        .bench(|| TileVector::read(black_box(&payload), TILES, &Limits::default()).unwrap());
}
