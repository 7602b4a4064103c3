//! Profiles of reads.
#![expect(clippy::unwrap_used, reason = "a helper of tests, which may fail so")]

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use tdb_array::{Array, OpenOptions};
use tdb_cells::{Profile, Session, SessionOptions};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_store::LocalStore;
use tdb_tile::Range;

/// Returns the profile of a read, and the number of rows of its result.
fn profile(array: &str, options: &ReadOptions) -> (Profile, usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let store = LocalStore::open(folder.join(array).join("array")).unwrap();
    let array = Array::open(Arc::new(store), "", OpenOptions::default()).unwrap();
    // One thread: a tile that several threads take cells of is decoded by each.
    let session = Session::new(SessionOptions::default().threads(Some(NonZeroUsize::MIN)));
    assert_eq!(session.profile(), Profile::default());
    let batches = Reader::open(&session, &Arc::new(array), options).unwrap();
    let rows = batches.map(|batch| batch.unwrap().rows).sum();
    (session.profile(), rows)
}

#[test]
fn cells_count_once_for_each_field() {
    // Two dimensions and four attributes; the cells of three fragments, some of which overwrite others.
    let (all, rows) = profile("v22_tour", &ReadOptions::default());
    assert_eq!(all.cells_decoded, 84 * 6);
    assert_eq!(all.cells_given, rows as u64 * 6);
    assert_eq!(all.cells_wasted(), (84 - rows as u64) * 6);
    assert_eq!(all.bytes_skipped, 0);
    assert!(all.bytes_read > 0 && all.bytes_decoded > 0 && all.tiles_read > 6 * 6);
    assert!(!all.plan.is_zero() && !all.read.is_zero() && !all.decode.is_zero());

    let one = ReadOptions::default()
        .attributes(Some(vec!["temperature".into()]))
        .dimensions(Some(Vec::new()))
        .limit(Some(5));
    let (one, _) = profile("v22_tour", &one);
    assert_eq!(one.cells_given, 5);
    // The coordinates decide which cells there are; one tile of each fragment shows which cells come first.
    assert_eq!(one.cells_decoded, 36 * 3);
}

#[test]
fn chunks_that_hold_nothing_of_the_subarray_are_wasted() {
    // One tile of 2000 cells in 16 chunks; the second chunk contains all wanted cells.
    let options = ReadOptions::default()
        .attributes(Some(vec!["number".into()]))
        .ranges(vec![("d".into(), Range::of(125_u32, 130))]);
    let (profile, rows) = profile("v3_chunks", &options);
    assert_eq!((rows, profile.tiles_read), (6, 1));
    assert_eq!((profile.cells_decoded, profile.bytes_decoded), (125, 1000));
    // The coordinates are computed.
    assert_eq!((profile.cells_given, profile.cells_wasted()), (6, 119));
    // All bytes except skipped ones and headers belong to the chunk: 24 of metadata, 72 of data.
    let headers = 8 + 16 * 12;
    assert_eq!(
        profile.bytes_read - profile.bytes_skipped - headers,
        24 + 72
    );
}

#[test]
fn coordinates_are_decoded_of_tiles_that_are_cut_alone() {
    // Two fragments of 17 and 14 cells in tiles of five, duplicates allowed; all cells of the first lie in the range.
    let told = |lo: u64| {
        let options = ReadOptions::default()
            .attributes(Some(vec!["i32".into()]))
            .dimensions(Some(Vec::new()))
            .order(Some(ResultOrder::Unordered))
            .ranges(vec![("key".into(), Range::of(lo, 970))]);
        let (profile, rows) = profile("v22_sparse_dups", &options);
        (profile.cells_decoded, rows)
    };
    let all = 17 + 14;
    assert_eq!(told(0), (all, 31));
    // Four cells of the second fragment lie outside, in two of its tiles, of five and of four cells: the coordinates
    // of these two tiles are decoded, and the attribute of all tiles.
    assert_eq!(told(188), (all + 2 * (5 + 4), 27));
}
