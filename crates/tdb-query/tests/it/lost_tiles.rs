//! Dense fragments that lack tiles: the existing tiles are read, and the missing ones are an error.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::path::Path;
use std::sync::Arc;

use tdb_array::{Array, ErrorKind, OpenOptions, Warning};
use tdb_cells::{CellsError, Session, SessionOptions};
use tdb_query::{QueryError, ReadOptions, Reader, ResultOrder};
use tdb_store::LocalStore;
use tdb_tile::{Range, Scalar};

/// Start of tile 2^53 + 2: three tiles are stored, and the fourth is lost.
const LOW: u64 = ((1 << 53) + 2) * 2;
/// Start of the second tile after the only stored one, in the middle of a box; a newer fragment has this tile.
const MIDDLE: u64 = 1 << 63;

fn open(fixture: &str) -> Arc<Array> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(fixture)
        .join("array");
    let store = LocalStore::open(folder).unwrap();
    Arc::new(Array::open(Arc::new(store), "", OpenOptions::default()).unwrap())
}

/// Counts the cells in these ranges.
fn read<T: Scalar>(
    array: &Arc<Array>,
    ranges: &[(&str, T, T)],
    attribute: &str,
    order: ResultOrder,
) -> Result<usize, QueryError> {
    let ranges = ranges
        .iter()
        .map(|(name, lo, hi)| ((*name).to_owned(), Range::of(*lo, *hi)));
    let options = ReadOptions::default()
        .attributes(Some(vec![attribute.to_owned()]))
        .ranges(ranges.collect())
        .order(Some(order));
    let session = Session::new(SessionOptions::default());
    let reader = Reader::open(&session, array, &options)?;
    reader.map(|batch| Ok(batch?.rows)).sum()
}

#[test]
fn what_opening_shows_is_which_fragments_lack_which_tiles() {
    let warnings = |fixture| {
        let array = open(fixture);
        let lost = array.warnings().iter().map(|warning| match warning {
            Warning::LostTiles {
                lost, tiles, first, ..
            } => (*lost, *tiles, first.clone()),
            other => (0, 0, other.to_string()),
        });
        lost.collect::<Vec<_>>()
    };
    let line = [
        (1, 4, "d 18014398509481994..18014398509481995".to_owned()),
        (
            3,
            4,
            "d 9223372036854775806..9223372036854775807".to_owned(),
        ),
    ];
    assert_eq!(warnings("v5_lost_tiles"), line);
    let day = "1824-06-07T12:06:20";
    let plane = format!(
        "t {day}.082094088..{day}.082094089, y 1970-01-01T00:00:00.000000003..1970-01-01T00:00:00.000000005"
    );
    // The other fragment was written in global order, which stored all tiles.
    assert_eq!(warnings("v8_lost_tiles"), [(2, 8, plane)]);
}

#[test]
fn cells_outside_of_lost_tiles_are_read() {
    let array = open("v5_lost_tiles");
    for attribute in ["a", "s"] {
        for (lo, hi) in [
            (LOW - 4, LOW + 5),
            (LOW + 8, LOW + 20),
            (MIDDLE - 6, MIDDLE - 3),
            (MIDDLE, MIDDLE + 1),
            (90, 120),
        ] {
            let count = read(&array, &[("d", lo, hi)], attribute, ResultOrder::RowMajor);
            assert_eq!(count.unwrap() as u64, hi - lo + 1, "{attribute} {lo}");
        }
    }
}

#[test]
fn each_cell_of_a_lost_tile_is_an_error_that_names_it() {
    let array = open("v5_lost_tiles");
    let lost = [
        LOW + 6,
        LOW + 7,
        MIDDLE - 2,
        MIDDLE - 1,
        MIDDLE + 2,
        MIDDLE + 3,
    ];
    for (attribute, cell) in ["a", "s"]
        .into_iter()
        .flat_map(|a| lost.map(|cell| (a, cell)))
    {
        let orders = [
            ResultOrder::RowMajor,
            ResultOrder::ColumnMajor,
            ResultOrder::Global,
        ];
        for order in orders {
            let error = read(&array, &[("d", cell, cell)], attribute, order).unwrap_err();
            let QueryError::Cells(CellsError::LostTile { cells, .. }) = &error else {
                panic!("{error}");
            };
            let first = cell / 2 * 2;
            assert_eq!(*cells, format!("d {first}..{}", first + 1));
            assert_eq!(error.kind(), ErrorKind::Corrupt);
        }
    }
    // A box that ends in a lost tile.
    let error = read(&array, &[("d", LOW, LOW + 7)], "a", ResultOrder::RowMajor).unwrap_err();
    let name = array.fragments()[0].name.as_str();
    assert_eq!(
        error.to_string(),
        format!(
            "fragment {name} lacks the cells d 18014398509481994..18014398509481995: its tiles from number 3 on, \
             of 4, were lost when TileDB 2.0 to 2.2 wrote it"
        )
    );
    assert_eq!(error.damaged_fragment(), Some(name));
    assert!(error.hint().unwrap().contains("write these cells again"));
}

#[test]
fn tiles_are_lost_from_the_end_of_the_tile_order() {
    let array = open("v8_lost_tiles");
    let low = (LOW as i64) - (1 << 62);
    for attribute in ["a", "n"] {
        for tile in 0..4 {
            let first = low + 2 * tile;
            let t = ("t", first, first + 1);
            let column = |y| read(&array, &[t, y], attribute, ResultOrder::RowMajor);
            assert_eq!(column(("y", 0, 2)).unwrap(), 6);
            // The second column of tiles is stored last.
            assert_eq!(column(("y", 3, 5)).is_ok(), tile < 2, "{attribute} {tile}");
        }
    }
}
