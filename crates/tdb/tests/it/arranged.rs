//! Sorted, cut and sampled reads, compared with a vector of the same cells.
#![expect(
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

use tdb::{
    Array, Attribute, Batch, Context, Datatype, Dimension, ErrorKind, Order, ReadBuilder, Schema,
};
use tempfile::TempDir;

const SKIES: [&str; 3] = ["snow", "clear", "rain"];

/// A cell: its place, a nullable number, a float, an index into `SKIES`, and a text.
type Cell = (u32, Option<i16>, f64, usize, String);

pub(crate) fn cells(count: u32) -> Vec<Cell> {
    let mut state = 7_u64;
    let mut next = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let cell = |place| {
        let number = i16::try_from(next(20)).expect("small") - 10;
        let float = if next(9) == 0 {
            f64::NAN
        } else {
            next(5) as f64 / 4.0
        };
        let sky = usize::try_from(next(3)).expect("small");
        let text = ["", "a", "ab", "B"][usize::try_from(next(4)).expect("small")];
        (
            place,
            (next(4) > 0).then_some(number),
            float,
            sky,
            text.to_owned(),
        )
    };
    (0..count).map(cell).collect()
}

pub(crate) fn array(cells: &[Cell]) -> (TempDir, Array) {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = Schema::sparse()
        .dimension(
            Dimension::new("place", Datatype::UInt32)
                .domain(0..=1_000_000)
                .tile(1000),
        )
        .attribute(Attribute::new("number", Datatype::Int16).nullable())
        .attribute(Attribute::new("float", Datatype::Float64))
        .attribute(Attribute::new("sky", Datatype::UInt8).enumeration("skies"))
        .attribute(Attribute::new("text", Datatype::StringUtf8))
        .enumeration("skies", SKIES)
        .capacity(100)
        .build()
        .expect("a schema");
    let uri = folder.path().join("a").display().to_string();
    let array = tdb::create(&uri, &schema).expect("created");
    array
        .write()
        .column("place", cells.iter().map(|c| c.0).collect::<Vec<_>>())
        .column("number", cells.iter().map(|c| c.1).collect::<Vec<_>>())
        .column("float", cells.iter().map(|c| c.2).collect::<Vec<_>>())
        .column(
            "sky",
            cells
                .iter()
                .map(|c| SKIES[c.3].to_owned())
                .collect::<Vec<_>>(),
        )
        .column(
            "text",
            cells.iter().map(|c| c.4.clone()).collect::<Vec<_>>(),
        )
        .commit()
        .expect("written");
    (folder, array.reopen().expect("opened"))
}

/// Returns the places of the cells of a read, which uses small batches.
pub(crate) fn places(read: ReadBuilder) -> Vec<u32> {
    let batches = read
        .order(Order::Row)
        .batch_bytes(2000)
        .batches()
        .expect("begun");
    let place = |batch: tdb::Result<Batch>| {
        let batch = batch.expect("cells");
        let column = batch.column("place").expect("places");
        column
            .numbers::<u32>()
            .expect("numbers")
            .collect::<Vec<u32>>()
    };
    batches.flat_map(place).collect()
}

#[test]
fn cells_are_put_in_the_order_of_values() {
    let all = cells(700);
    let (_folder, array) = array(&all);
    let by = |keys: &[&str], order: &dyn Fn(&Cell, &Cell) -> std::cmp::Ordering| {
        let mut expected = all.clone();
        expected.sort_by(order);
        let expected: Vec<u32> = expected.iter().map(|cell| cell.0).collect();
        let sorted = || array.read().sort(keys.iter().copied());
        assert_eq!(places(sorted()), expected, "{keys:?}");
        assert_eq!(places(sorted().offset(100).limit(30)), expected[100..130]);
        assert_eq!(places(sorted().tail(30)), expected[670..]);
        // The sort field need not be part of the result.
        let alone = sorted().attrs(["text"]).all().expect("cells");
        assert_eq!(alone.columns.len(), 2);
        assert_eq!(alone.rows, 700);
    };
    // Null comes last in either direction.
    by(&["number"], &|a, b| {
        (a.1.is_none(), a.1).cmp(&(b.1.is_none(), b.1))
    });
    by(&["-number"], &|a, b| {
        (a.1.is_none(), b.1).cmp(&(b.1.is_none(), a.1))
    });
    let last = |cell: &Cell| {
        if cell.2.is_nan() {
            (1, 0.0)
        } else {
            (0, cell.2)
        }
    };
    by(&["float"], &|a, b| {
        last(a).partial_cmp(&last(b)).expect("numbers")
    });
    // The sky is compared by label, not by index; the text by its bytes.
    by(&["sky", "-text"], &|a, b| {
        SKIES[a.3].cmp(SKIES[b.3]).then_with(|| b.4.cmp(&a.4))
    });
    by(&["-place"], &|a, b| b.0.cmp(&a.0));
}

#[test]
fn parts_of_a_read_are_those_of_all_cells() {
    let all = cells(700);
    let (_folder, array) = array(&all);
    let expected: Vec<u32> = (0..700).collect();
    assert_eq!(places(array.read().offset(10)), expected[10..]);
    assert_eq!(places(array.read().offset(10).limit(5)), expected[10..15]);
    assert_eq!(places(array.read().tail(5)), expected[695..]);
    assert_eq!(places(array.read().tail(900)), expected);
    assert_eq!(places(array.read().offset(900)), [0_u32; 0]);
    assert_eq!(places(array.read().limit(0)), [0_u32; 0]);
    let count = |read: ReadBuilder| read.count().expect("counted");
    assert_eq!(count(array.read().offset(690)), 10);
    assert_eq!(count(array.read().tail(3)), 3);
    assert_eq!(count(array.read().offset(5).limit(7)), 7);
}

#[test]
fn samples_are_the_same_for_a_seed_and_take_all_cells_alike() {
    let all = cells(700);
    let (_folder, array) = array(&all);
    let one = places(array.read().sample(50, 1));
    assert_eq!(one.len(), 50);
    assert!(one.is_sorted(), "in the order of the read");
    assert_eq!(places(array.read().batch_bytes(900).sample(50, 1)), one);
    assert_ne!(places(array.read().sample(50, 2)), one);
    assert_eq!(places(array.read().sample(900, 3)).len(), 700);
    assert_eq!(places(array.read().sample(0, 3)).len(), 0);
    let mut times = [0_u32; 7];
    for seed in 0..200 {
        for place in places(array.read().sample(7, seed)) {
            times[usize::try_from(place / 100).expect("small")] += 1;
        }
    }
    // There are 1400 draws, 200 expected per hundred places; the bounds are 5 standard deviations away.
    assert!(
        times.iter().all(|times| (130..270).contains(times)),
        "{times:?}"
    );
}

#[test]
fn what_cannot_be_sorted_is_told() {
    let (folder, array) = array(&cells(5000));
    let error = array
        .read()
        .sort(["nunber"])
        .batches()
        .expect_err("no such field");
    assert_eq!(error.to_string(), "there is no field \"nunber\"");
    assert_eq!(
        error.hint().map(|hint| hint.contains("\"number\"")),
        Some(true)
    );
    let small = Context::new().threads(1).memory(200 << 10);
    let small = small
        .open(&folder.path().join("a").display().to_string())
        .expect("opened");
    let failed = |read: ReadBuilder| {
        read.batch_bytes(2000)
            .batches()
            .and_then(|b| b.collect::<tdb::Result<Vec<_>>>())
    };
    let error = failed(small.read().sample(4900, 7)).expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::Memory);
    assert!(
        error
            .hint()
            .is_some_and(|hint| hint.contains("select fewer cells")),
        "{error:#}"
    );
    let error = array
        .read()
        .tail(3)
        .aggregate("sum(number)", &[])
        .expect_err("a part");
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

#[test]
fn with_a_limit_few_cells_are_kept() {
    let all: Vec<Cell> = (0..90_000)
        .map(|place| (place, None, 0.0, 0, String::new()))
        .collect();
    let (folder, _) = array(&all);
    let small = Context::new().threads(1).memory(8 << 20);
    let small = small
        .open(&folder.path().join("a").display().to_string())
        .expect("opened");
    let last = small
        .read()
        .no_dims()
        .attrs(["number"])
        .sort(["-place"])
        .limit(3);
    let last = last
        .dims(["place"])
        .batch_bytes(20_000)
        .all()
        .expect("cells");
    let place = last.column("place").expect("places");
    assert_eq!(
        place.numbers::<u32>().expect("numbers").collect::<Vec<_>>(),
        [89_999, 89_998, 89_997]
    );
}
