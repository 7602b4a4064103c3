//! Creating, writing, reading and changing arrays through this crate alone.

use tdb::{Attribute, Context, Datatype, Dimension, ErrorKind, Filter, Order, Schema, field};
use tempfile::TempDir;

/// Returns a temporary folder, and the URI of an array in it.
fn place() -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = folder.path().join("a/weather").display().to_string();
    (folder, uri)
}

fn weather() -> Schema {
    Schema::sparse()
        .dimension(Dimension::new("station", Datatype::StringAscii))
        .dimension(
            Dimension::new("day", Datatype::DateTimeDay)
                .domain("2000-01-01"..="2099-12-31")
                .tile(30),
        )
        .attribute(
            Attribute::new("temp", Datatype::Float32)
                .nullable()
                .filter(Filter::byteshuffle())
                .filter(Filter::zstd(5)),
        )
        .attribute(Attribute::new("sky", Datatype::UInt8).enumeration("skies"))
        .attribute(Attribute::new("gusts", Datatype::Int16).var())
        .attribute(Attribute::new("remark", Datatype::StringUtf8))
        .enumeration("skies", ["clear", "rain", "snow"])
        .build()
        .expect("a schema")
}

fn written(uri: &str) -> tdb::Array {
    let array = tdb::create(uri, &weather()).expect("created");
    let written = array
        .write()
        .column("station", ["KEF", "BGN", "BGN"])
        .column("day", ["2024-01-01", "2024-01-02", "2024-02-29"])
        .column("temp", [Some(-3.5_f32), None, Some(11.0)])
        .column("sky", ["snow", "rain", "clear"])
        .column("gusts", vec![vec![7_i16, 9], vec![], vec![12]])
        .column(
            "remark",
            vec!["".to_owned(), "süd".to_owned(), "x".to_owned()],
        )
        .commit()
        .expect("written");
    assert_eq!((written.cells, written.fragments.len()), (3, 1));
    array.reopen().expect("opened")
}

#[test]
fn cells_come_back_as_they_were_given() {
    let (_folder, uri) = place();
    let array = written(&uri);
    let batch = array.read().order(Order::Row).all().expect("all cells");
    let texts = |name: &str| -> Vec<String> {
        let column = batch.column(name).expect("a column");
        let cells = (0..batch.rows).map(|row| column.cell(row).expect("a cell"));
        cells
            .map(|cell| String::from_utf8(cell.to_vec()).expect("text"))
            .collect()
    };
    assert_eq!(texts("station"), ["BGN", "BGN", "KEF"]);
    assert_eq!(texts("remark"), ["süd", "x", ""]);
    let temp = batch.column("temp").expect("a column");
    assert_eq!(
        (0..3).map(|row| temp.is_valid(row)).collect::<Vec<_>>(),
        [false, true, true]
    );
    assert_eq!(
        array
            .read()
            .order(Order::Row)
            .to_vec::<u8>("sky")
            .expect("codes"),
        [1, 0, 2]
    );
}

#[test]
fn ranges_take_their_type_from_the_field() {
    let (_folder, uri) = place();
    let array = written(&uri);
    let count = |read: tdb::ReadBuilder| read.count().expect("counted");
    assert_eq!(count(array.read()), 3);
    assert_eq!(count(array.read().range("station", "BGN"..="KEE")), 2);
    assert_eq!(count(array.read().range("day", "2024-01")), 2);
    assert_eq!(count(array.read().range("day", "2024-02-01"..)), 1);
    // Numbers are ticks: days since 1970.
    assert_eq!(count(array.read().range("day", 19_723..19_724)), 1);
    assert_eq!(count(array.read().condition(field("temp").lt(0))), 1);
    assert_eq!(count(array.read().condition("sky in ('snow', 'rain')")), 2);
    let both = array
        .read()
        .condition("sky = 'snow' or sky = 'rain'")
        .condition(field("temp").is_null());
    assert_eq!(count(both), 1);
    assert_eq!(count(array.read().limit(2)), 2);
}

#[test]
fn errors_say_what_where_and_what_to_do() {
    let (_folder, uri) = place();
    let array = written(&uri);
    let error = |read: tdb::ReadBuilder| {
        let error = read.count().expect_err("an error");
        assert_eq!(error.kind(), ErrorKind::Invalid);
        format!("{error:?}")
    };
    insta::assert_snapshot!(error(array.read().range("dya", 3)), @r#"
    there is no dimension "dya"
    hint: did you mean "day"? the dimensions are station, day
    "#);
    insta::assert_snapshot!(error(array.read().range("day", "soon")), @r#"range of "day": "soon" is not a valid datetime_day (ISO 8601, or a number of ticks)"#);
    insta::assert_snapshot!(error(array.read().range("station", 3)), @r#"range of "station": got the number 3, expected string_ascii"#);
    insta::assert_snapshot!(error(array.read().range("station", "A".."B")), @r#"
    range of "station": a..b excludes b, which is not supported for string_ascii
    hint: write a..=b, which includes both ends
    "#);
    insta::assert_snapshot!(error(array.read().condition("sky = 'snow' and tmp < 3")), @r#"
    there is no field "tmp"
      sky = 'snow' and tmp < 3
                       ^
    hint: did you mean "temp"? the fields are station, day, temp, sky, gusts, remark
    "#);
    let error = array
        .read()
        .to_vec::<f64>("temp")
        .expect_err("of another type");
    insta::assert_snapshot!(error, @r#"the values of column "temp" are float32, which is read as f32, not as f64"#);
    let error = array.read().to_vec::<f32>("temp").expect_err("nulls");
    insta::assert_snapshot!(error.hint().expect("a hint"), @"leave them out with `field(…).is_not_null()`, or read it by `batches`, whose columns have `is_valid`");
}

#[test]
fn columns_that_do_not_fit_are_refused_before_anything_is_stored() {
    let (_folder, uri) = place();
    let array = written(&uri);
    let error = |name: &str, cells: tdb::GivenCells| {
        let write = array
            .write()
            .column("station", ["X"])
            .column("day", ["2024-01-01"]);
        let write = write
            .column("sky", [0_u8])
            .column("gusts", vec![vec![1_i16]]);
        let error = write.column(name, cells).commit().expect_err("an error");
        error.to_string()
    };
    use tdb::IntoColumn;
    insta::assert_snapshot!(error("temp", [1.0_f64].into_cells()), @r#"column "temp": got numbers of the type f64, expected float32"#);
    insta::assert_snapshot!(error("temp", ["x"].into_cells()), @r#"column "temp": got texts, expected float32"#);
    insta::assert_snapshot!(error("temp", [1.0_f32, 2.0].into_cells()), @r#"field "temp": values should be 4 bytes long and are 8"#);
    insta::assert_snapshot!(error("tmp", [1.0_f32].into_cells()), @r#"there is no field "tmp""#);
    insta::assert_snapshot!(error("sky", ["hail"].into_cells()), @r#"column "sky": the enumeration "skies" has no value "hail""#);
    let array = array.reopen().expect("opened");
    assert_eq!(array.fragments(), 1);
}

#[test]
fn dense_arrays_are_written_and_read_as_boxes() {
    let (_folder, uri) = place();
    let schema = Schema::dense()
        .dimension(Dimension::new("y", Datatype::Int32).domain(1..=4).tile(2))
        .dimension(Dimension::new("x", Datatype::Int32).domain(0..5).tile(5))
        .attribute(Attribute::new("a", Datatype::Int64).fill(-1))
        .build()
        .expect("a schema");
    let array = tdb::create(&uri, &schema).expect("created");
    let cells: Vec<i64> = (0..6).collect();
    array
        .write()
        .range("y", 2..=3)
        .range("x", 1..=3)
        .column("a", &cells)
        .commit()
        .expect("written");
    let array = array.reopen().expect("opened");
    assert_eq!(array.read().count().expect("counted"), 20);
    assert_eq!(
        array
            .read()
            .range("y", 3)
            .to_vec::<i64>("a")
            .expect("a row"),
        [-1, 3, 4, 5, -1]
    );
    assert_eq!(
        array
            .read()
            .range("y", 2..=3)
            .range("x", ..=1)
            .count()
            .expect("counted"),
        4
    );
}

#[test]
fn arrays_are_opened_as_of_a_time() {
    let (_folder, uri) = place();
    let schema = Schema::sparse()
        .dimension(
            Dimension::new("x", Datatype::UInt32)
                .domain(0..100)
                .tile(10),
        )
        .attribute(Attribute::new("a", Datatype::Int32))
        .build()
        .expect("a schema");
    let array = tdb::create(&uri, &schema).expect("created");
    let now = tdb::Time::now().0;
    for (time, x) in [(now + 1, 1_u32), (now + 2, 2)] {
        let write = array.write().at(time).column("x", [x]).column("a", [7_i32]);
        write.commit().expect("written");
    }
    let count = |array: tdb::Result<tdb::Array>| array?.read().count();
    assert_eq!(count(tdb::open_at(&uri, now + 1)).expect("counted"), 1);
    assert_eq!(count(tdb::open_at(&uri, now + 2)).expect("counted"), 2);
    let between = Context::new().open_between(&uri, now + 2, now + 2);
    assert_eq!(
        between
            .expect("opened")
            .read()
            .to_vec::<u32>("x")
            .expect("one"),
        [2]
    );
}

/// A range can lie within a merged fragment's domain and yet meet none of its tiles.
#[test]
fn times_of_a_fragment_that_is_not_read_do_not_matter() {
    let (_folder, uri) = place();
    let schema = Schema::sparse()
        .dimension(
            Dimension::new("x", Datatype::UInt32)
                .domain(0..1000)
                .tile(10),
        )
        .attribute(Attribute::new("a", Datatype::Int32))
        .capacity(1)
        .build()
        .expect("a schema");
    let array = tdb::create(&uri, &schema).expect("created");
    let now = tdb::Time::now().0;
    let write = |time: u64, x: u32| {
        let write = array.write().at(now + time);
        write
            .column("x", [x])
            .column("a", [1_i32])
            .commit()
            .expect("written");
    };
    write(10, 0);
    write(30, 900);
    // Fragments with a timestamp in the future are not merged.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let merged = tdb::open_at(&uri, now + 40).expect("opened").consolidate();
    assert_eq!(merged.expect("merged").fragments.len(), 1);
    write(5, 500);
    let then = tdb::open_at(&uri, now + 20).expect("opened");
    for order in [Order::Row, Order::Col, Order::Global, Order::Any] {
        let read = then.read().range("x", 400..=600).order(order);
        assert_eq!(read.to_vec::<u32>("x").expect("one cell"), [500]);
        let read = then.read().order(order).to_vec::<u32>("x");
        let mut all = read.expect("two cells");
        all.sort_unstable();
        assert_eq!(all, [0, 500]);
    }
}

#[test]
fn cells_tell_when_they_were_written() {
    let (_folder, uri) = place();
    let dimension = Dimension::new("x", Datatype::UInt32);
    let schema = Schema::sparse()
        .dimension(dimension.clone().domain(0..100).tile(10))
        .attribute(Attribute::new("a", Datatype::Int32))
        .build()
        .expect("a schema");
    let array = tdb::create(&uri, &schema).expect("created");
    let now = tdb::Time::now().0;
    for (time, x) in [(1, [1_u32, 2]), (2, [2, 3]), (3, [4, 5])] {
        let write = array.write().at(now + time).column("x", x);
        let write = write.column("a", [7_i32, 8]).commit();
        write.expect("written");
    }
    let told = |array: &tdb::Array| {
        let read = array.read().attrs(["a", "__timestamps"]);
        let newest = read.clone().sort(["-__timestamps", "-x"]);
        let fitting = read.clone().condition("a = 8");
        let times = |read: tdb::ReadBuilder| {
            let times = read.to_vec::<u64>("__timestamps").expect("times");
            times.iter().map(|time| time - now).collect::<Vec<_>>()
        };
        (times(read), times(newest), times(fitting))
    };
    let expected = (vec![1, 2, 2, 3, 3], vec![3, 3, 2, 2, 1], vec![2, 3]);
    assert_eq!(
        told(&tdb::open_at(&uri, now + 3).expect("opened")),
        expected
    );
    let two = tdb::open_at(&uri, now + 2).expect("opened");
    two.consolidate().expect("merged");
    assert_eq!(
        told(&tdb::open_at(&uri, now + 3).expect("opened")),
        expected
    );
    let one = tdb::open_at(&uri, now + 1).expect("opened");
    assert_eq!(told(&one), (vec![1, 1], vec![1, 1], vec![1]));

    let dense = Schema::dense()
        .dimension(dimension.domain(0..100).tile(10))
        .attribute(Attribute::new("a", Datatype::Int32))
        .build();
    let dense = tdb::create(&format!("{uri}-dense"), &dense.expect("a schema"));
    let dense = dense.expect("created");
    let refused = dense.read().attrs(["__timestamps"]).all();
    let error = refused.expect_err("none");
    assert!(
        error.to_string().contains("no times of their own"),
        "{error}"
    );
}

#[test]
fn deletes_consolidations_and_metadata() {
    let (_folder, uri) = place();
    let array = written(&uri);
    array.set_metadata("source", "stations").expect("set");
    let again = |station: &str| {
        let write = array
            .write()
            .column("station", [station])
            .column("day", ["2024-03-01"]);
        let write = write.column("temp", [1.0_f32]).column("sky", ["rain"]);
        write
            .column("gusts", vec![vec![1_i16]])
            .column("remark", ["-"])
            .commit()
            .expect("written");
    };
    again("OSL");
    again("BGN");
    let array = array.reopen().expect("opened");
    assert_eq!(array.read().count().expect("counted"), 5);
    let refused = array.delete(&field("temp").lt(0)).expect_err("nulls");
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    let deletion = array.delete(&field("station").eq("BGN")).expect("deleted");
    assert_eq!(deletion.taken, 3);
    let merged = array.consolidate().expect("merged");
    assert_eq!(merged.fragments.len(), 1);
    let array = array.reopen().expect("opened");
    assert_eq!(
        (array.fragments(), array.read().count().expect("counted")),
        (1, 2)
    );
    let metadata = array.metadata().expect("read");
    assert!(metadata.get("source").is_some());
}

#[test]
fn encrypted_arrays_need_their_key() {
    let (_folder, uri) = place();
    let context = Context::new()
        .key(b"0123456789abcdef0123456789abcdef")
        .expect("a key");
    let array = context.create(&uri, &weather()).expect("created");
    let write = array
        .write()
        .column("station", ["BGN"])
        .column("day", ["2024-03-01"]);
    let write = write.column("temp", [1.0_f32]).column("sky", ["rain"]);
    write
        .column("gusts", vec![vec![1_i16]])
        .column("remark", ["-"])
        .commit()
        .expect("written");
    assert_eq!(
        context
            .open(&uri)
            .expect("opened")
            .read()
            .count()
            .expect("counted"),
        1
    );
    let error = tdb::open(&uri).expect_err("without a key");
    assert_eq!(error.kind(), ErrorKind::Crypto);
    assert!(error.hint().is_some());
    assert!(Context::new().key(b"short").is_err());
}

#[cfg(feature = "serde")]
#[test]
fn rows_are_values_of_a_type() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Weather {
        station: String,
        day: String,
        temp: Option<f32>,
        sky: Sky,
        gusts: Vec<i16>,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Sky {
        Clear,
        Rain,
        Snow,
    }
    let (_folder, uri) = place();
    let read = written(&uri).read().order(Order::Row);
    let rows = read.clone().rows::<Weather>().expect("begun");
    let rows = rows
        .collect::<tdb::Result<Vec<Weather>>>()
        .expect("three cells");
    assert_eq!(rows.len(), 3);
    let last = Weather {
        station: "KEF".to_owned(),
        day: "2024-01-01".to_owned(),
        temp: Some(-3.5),
        sky: Sky::Snow,
        gusts: vec![7, 9],
    };
    assert_eq!(rows.last(), Some(&last));

    #[derive(Debug, serde::Deserialize)]
    struct Wrong {
        #[expect(dead_code, reason = "never made")]
        temp: u8,
    }
    let error = read
        .rows::<Wrong>()
        .expect("begun")
        .next()
        .expect("a row")
        .expect_err("wrong");
    insta::assert_snapshot!(error, @r#"cell 0 of the result: column "temp": invalid type: Option value, expected u8"#);
}

#[cfg(feature = "arrow")]
#[test]
fn results_are_record_batches() {
    let (_folder, uri) = place();
    let batch = written(&uri)
        .read()
        .attrs(["temp", "sky"])
        .to_arrow()
        .expect("a batch");
    assert_eq!((batch.num_rows(), batch.num_columns()), (3, 4));
    let nothing = written(&place().1)
        .read()
        .range("station", "Z")
        .to_arrow()
        .expect("a batch");
    assert_eq!((nothing.num_rows(), nothing.num_columns()), (0, 6));
}

#[cfg(feature = "ndarray")]
#[test]
fn results_are_ndarrays() {
    let (_folder, uri) = place();
    let schema = Schema::dense()
        .dimension(Dimension::new("y", Datatype::Int32).domain(1..=4).tile(2))
        .dimension(Dimension::new("x", Datatype::Int32).domain(0..=4).tile(5))
        .attribute(Attribute::new("a", Datatype::UInt16))
        .attribute(Attribute::new("rgb", Datatype::UInt8).values(3))
        .build()
        .expect("a schema");
    let array = tdb::create(&uri, &schema).expect("created");
    let (a, rgb): (Vec<u16>, Vec<u8>) = ((0..20).collect(), (0..60).collect());
    array
        .write()
        .column("a", a)
        .column("rgb", rgb)
        .commit()
        .expect("written");
    let array = array.reopen().expect("opened");
    let a = array
        .read()
        .range("y", 2..=3)
        .to_ndarray::<u16>("a")
        .expect("a box");
    assert_eq!((a.shape(), a[[1, 2]]), (&[2, 5][..], 12));
    let same = array
        .read()
        .range("y", 2..=3)
        .order(Order::Col)
        .to_ndarray::<u16>("a")
        .expect("a box");
    assert_eq!(same, a);
    let rgb = array.read().to_ndarray::<u8>("rgb").expect("a picture");
    assert_eq!((rgb.shape(), rgb[[3, 4, 2]]), (&[4, 5, 3][..], 59));
    assert!(array.read().limit(3).to_ndarray::<u16>("a").is_err());
}

/// Creates an array of four tiles with two cells each: 0, 1; 2, 3; null, null; 6, 7.
fn in_tiles(uri: &str) -> tdb::Array {
    let schema = Schema::sparse()
        .dimension(
            Dimension::new("at", Datatype::Int32)
                .domain(0..=99)
                .tile(100),
        )
        .attribute(Attribute::new("a", Datatype::Int32).nullable())
        .attribute(Attribute::new("b", Datatype::Int32))
        .capacity(2)
        .build()
        .expect("a schema");
    let array = tdb::create(uri, &schema).expect("created");
    let a = (0..8)
        .map(|n| (!(4..6).contains(&n)).then_some(n))
        .collect::<Vec<Option<i32>>>();
    let numbers = (0..8).collect::<Vec<i32>>();
    let write = array.write().column("at", numbers.clone()).column("a", a);
    write.column("b", numbers).commit().expect("written");
    array.reopen().expect("opened")
}

#[test]
fn tiles_without_a_cell_that_fits_are_not_read() {
    let (_folder, uri) = place();
    let array = in_tiles(&uri);
    let explained = |condition: &str| {
        let explained = array.read().condition(condition).explain().expect("a plan");
        let fragment = explained.fragments.first().expect("a fragment");
        assert_eq!((explained.read(), explained.tiles()), (fragment.read, 4));
        fragment.ruled_out
    };
    assert_eq!(explained("a >= 6"), 3);
    assert_eq!(explained("a in (1, 6)"), 2);
    assert_eq!(explained("a is null"), 3);
    assert_eq!(explained("a > 7"), 4);
    assert_eq!(explained("a > 1 or b = 0"), 1);
    let session = || array.context().shared_session().profile().tiles_read;
    let before = session();
    let found = array
        .read()
        .condition("a >= 6")
        .to_vec::<i32>("b")
        .expect("cells");
    assert_eq!(found, [6, 7]);
    // Decoded are the values and the validity of one tile of a, and one tile of b.
    assert_eq!(session() - before, 3);
}

#[test]
fn cells_at_points_are_read() {
    let (_folder, uri) = place();
    let array = written(&uri);
    let days = |read: tdb::ReadBuilder| -> Vec<i64> {
        read.order(Order::Row).to_vec("day").expect("the days")
    };
    let both = array
        .read()
        .points(
            "day",
            ["2024-02-29", "2024-01-01", "2024-01-01", "2024-02-29"],
        )
        .points("station", ["BGN", "BGN", "KEF", "BGN"]);
    assert_eq!(days(both.clone()), [19_782, 19_723]);
    assert_eq!(both.clone().count().expect("counted"), 2);
    assert_eq!(days(both.condition(field("temp").gt(0))), [19_782]);
    // Along a dimension without point coordinates, cells lie anywhere.
    assert_eq!(
        array
            .read()
            .points("station", ["BGN"])
            .count()
            .expect("counted"),
        2
    );
    assert_eq!(
        array
            .read()
            .points("station", [""; 0])
            .count()
            .expect("counted"),
        0
    );
    let refused = |read: tdb::ReadBuilder| format!("{:#}", read.count().expect_err("refused"));
    let uneven = array
        .read()
        .points("station", ["BGN"])
        .points("day", ["2024-01-01"; 2]);
    insta::assert_snapshot!(refused(uneven), @r#"points: 1 coordinates along "station" and 2 along "day""#);
    insta::assert_snapshot!(refused(array.read().points("stations", ["BGN"])), @r#"
    there is no dimension "stations"
    hint: did you mean "station"? the dimensions are station, day
    "#);
    insta::assert_snapshot!(refused(array.read().points("day", [7_i32])), @r#"column "day": got numbers of the type i32, expected datetime_day"#);
    insta::assert_snapshot!(refused(array.read().points("day", [Some("2024-01-01"), None])), @r#"point 1 (counted from 0) is null along dimension "day""#);
}

#[test]
fn values_go_into_memory_that_is_brought_again() {
    let (_folder, uri) = place();
    let array = in_tiles(&uri);
    let wanted = array.read().to_vec::<i32>("b").expect("cells");
    let mut values = vec![-1; wanted.len() + 2];
    let read = array.read().batch_bytes(8);
    let count = read.clone().read_into("b", &mut values).expect("cells");
    assert_eq!(count, wanted.len());
    assert_eq!(values[..count], wanted);
    assert_eq!(values[count..], [-1, -1], "what stands behind them stays");
    let some = array.read().condition("a >= 6");
    assert_eq!(some.read_into("b", &mut values).expect("cells"), 2);
    assert_eq!(values[..3], [6, 7, wanted[2]]);
    let exact = &mut values[..count];
    assert_eq!(read.clone().read_into("b", exact).expect("cells"), count);
    let short = read.read_into("b", &mut values[..count - 1]);
    insta::assert_snapshot!(format!("{:?}", short.expect_err("no room")), @r#"
    field "b": the result has more values than the 7 there is room for
    hint: `count` says how many cells there are; a limit or ranges make them fewer
    "#);
}

#[test]
fn a_delete_counts_the_null_cells_of_tiles_without_a_cell_that_fits() {
    let (_folder, uri) = place();
    let array = in_tiles(&uri);
    let refused = array.delete(&field("a").lt(0)).expect_err("refused");
    insta::assert_snapshot!(refused, @r#"the condition fits 0 cells, and the delete would take 2: what is stored of it also takes cells that are null in "a""#);
    let refused = array.delete(&field("a").lt(1)).expect_err("refused");
    insta::assert_snapshot!(refused, @r#"the condition fits 1 cells, and the delete would take 3: what is stored of it also takes cells that are null in "a""#);
}

#[test]
fn cells_are_grouped_by_parts_of_dates() {
    let (_folder, uri) = place();
    let array = written(&uri);
    let counted = |by: &[&str]| -> Vec<(Vec<i64>, u64)> {
        let table = array.read().aggregate("count(*)", by).expect("groups");
        let groups = table.groups.iter().map(|group| {
            let keys = (0..by.len()).map(|place| {
                let key = group.key(place).expect("a number");
                i64::from_le_bytes(key.try_into().expect("eight bytes"))
            });
            (keys.collect(), group.cells)
        });
        groups.collect()
    };
    assert_eq!(counted(&["year(day)"]), [(vec![2024], 3)]);
    assert_eq!(counted(&["month(day)"]), [(vec![1], 2), (vec![2], 1)]);
    let days = [(vec![1, 1], 1), (vec![1, 2], 1), (vec![2, 29], 1)];
    assert_eq!(counted(&["MONTH( day )", "day(day)"]), days);
    let refused = |by: &str| {
        let error = array
            .read()
            .aggregate("count(*)", &[by])
            .expect_err("refused");
        format!("{error:#}")
    };
    insta::assert_snapshot!(refused("year(temp)"), @"year(temp): there is none of a field that holds float32");
    insta::assert_snapshot!(refused("year(dya)"), @r#"
    there is no field "dya"
    hint: did you mean "day"? the fields are station, day, temp, sky, gusts, remark
    "#);
    insta::assert_snapshot!(refused("century(day)"), @r#"
    there is no field "century(day)"
    hint: the fields are station, day, temp, sky, gusts, remark
    "#);
}

#[cfg(feature = "arrow")]
#[test]
fn what_is_read_as_arrow_is_written_as_arrow() {
    let (_folder, uri) = place();
    let array = written(&uri);
    let (_other, uri) = place();
    let copy = tdb::create(&uri, &weather()).expect("created");
    let batches = array.read().arrow().expect("batches").into_reader();
    let done = copy.write().arrow(batches).expect("written");
    assert_eq!((done.cells, done.fragments.len()), (3, 1));
    let copy = copy.reopen().expect("opened");
    let all = |array: &tdb::Array| array.read().order(Order::Row).to_arrow().expect("cells");
    assert_eq!(all(&copy), all(&array));

    let some = array
        .read()
        .attrs(["temp"])
        .arrow()
        .expect("batches")
        .into_reader();
    let refused = copy
        .write()
        .arrow(some)
        .expect_err("a field without a column");
    insta::assert_snapshot!(format!("{refused:?}"), @r#"
    there is no column "sky"
    hint: the columns are station, day, temp
    "#);
    assert_eq!(
        copy.reopen()
            .expect("opened")
            .read()
            .count()
            .expect("a count"),
        3
    );

    // Rows that replace cells need not have all attributes.
    let warm = array.read().attrs(["temp"]).condition("temp > 0").arrow();
    let done = copy
        .write()
        .replace()
        .arrow(warm.expect("batches").into_reader())
        .expect("written");
    assert_eq!((done.cells, done.replaced), (1, 1));
    assert_eq!(all(&copy.reopen().expect("opened")), all(&array));
}

#[cfg(feature = "ndarray")]
#[test]
fn ndarrays_are_written_as_boxes() {
    use ndarray::{Array2, array};

    let (_folder, uri) = place();
    let side = |name| Dimension::new(name, Datatype::Int32).domain(1..=4).tile(2);
    let schema = Schema::dense()
        .dimension(side("y"))
        .dimension(side("x"))
        .attribute(Attribute::new("a", Datatype::Int16))
        .attribute(Attribute::new("rgb", Datatype::UInt8).values(3));
    let image = tdb::create(&uri, &schema.build().expect("a schema")).expect("created");
    // The array is stored in memory column by column.
    let turned = array![[1_i16, 4], [2, 5], [3, 6]].reversed_axes();
    assert!(!turned.is_standard_layout());
    let colours = ndarray::Array3::from_shape_fn((2, 3, 3), |(y, x, c)| {
        u8::try_from(y * 9 + x * 3 + c).expect("small")
    });
    let write = || image.write().range("y", 3..=4).range("x", 2..=4);
    let done = write()
        .ndarray("a", &turned)
        .ndarray("rgb", &colours)
        .commit();
    assert_eq!(done.expect("written").cells, 6);
    let read = image
        .reopen()
        .expect("opened")
        .read()
        .range("y", 3..=4)
        .range("x", 2..=4);
    let a = read.clone().to_ndarray::<i16>("a").expect("cells");
    assert_eq!(a, array![[1_i16, 2, 3], [4, 5, 6]].into_dyn());
    assert_eq!(
        read.to_ndarray::<u8>("rgb").expect("cells"),
        colours.clone().into_dyn()
    );

    let other: Array2<i16> = Array2::zeros((3, 2));
    let refused = write()
        .ndarray("a", &other)
        .ndarray("rgb", &colours)
        .commit();
    insta::assert_snapshot!(format!("{:?}", refused.expect_err("another box")), @r#"
    column "a": an ndarray with the sides [3, 2] is given, and [2, 3] is to be written
    hint: `range` says which box is written; by default it is the whole domain
    "#);
    let refused = write()
        .order(Order::Col)
        .ndarray("a", &turned)
        .ndarray("rgb", &colours)
        .commit();
    insta::assert_snapshot!(refused.expect_err("another order"), @"an ndarray is written in row-major order: no other order can be given");
}

#[cfg(feature = "serde")]
#[test]
fn rows_are_written_as_they_are_read() {
    use std::collections::BTreeMap;

    #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Weather {
        station: String,
        day: String,
        temp: Option<f32>,
        sky: String,
        gusts: Vec<i16>,
        remark: String,
    }
    let (_folder, uri) = place();
    let array = written(&uri);
    let read = |array: &tdb::Array| -> Vec<Weather> {
        let rows = array.read().order(Order::Row).rows().expect("begun");
        rows.collect::<tdb::Result<_>>().expect("rows")
    };
    let all = read(&array);
    let (_other, uri) = place();
    let copy = tdb::create(&uri, &weather()).expect("created");
    let done = copy.write().rows(&all).expect("written");
    assert_eq!((done.cells, done.fragments.len()), (3, 1));
    assert_eq!(read(&copy.reopen().expect("opened")), all);
    assert_eq!(copy.write().rows(&all[..0]).expect("no rows").cells, 0);

    // Rows can be maps, and a nullable attribute can be omitted.
    let row = |station: &str, sky: &str| {
        let text = |text: &str| serde_json::Value::from(text);
        BTreeMap::from([
            ("station", text(station)),
            ("day", text("2024-03-01")),
            ("sky", text(sky)),
            ("gusts", serde_json::json!([1, -2])),
            ("remark", text("")),
        ])
    };
    let refused = |rows: Vec<BTreeMap<&str, serde_json::Value>>| {
        let error = copy.write().rows(rows).expect_err("refused");
        format!("{error:?}")
    };
    let done = copy.write().rows([row("A", "rain")]).expect("written");
    assert_eq!(done.cells, 1);
    let last = read(&copy.reopen().expect("opened")).swap_remove(0);
    assert_eq!(
        (last.station.as_str(), last.temp, last.gusts),
        ("A", None, vec![1, -2])
    );
    let mut with_null = row("A", "rain");
    with_null.insert("temp", serde_json::Value::Null);
    let mut without = with_null.clone();
    without.remove("remark");
    insta::assert_snapshot!(refused(vec![without.clone()]), @r#"row 0: there is no member "remark""#);
    insta::assert_snapshot!(refused(vec![with_null.clone(), without]), @r#"row 1: there is no member "remark""#);

    // If one row is wrong, none is stored.
    let wrong = |name: &'static str, value: serde_json::Value| {
        let mut wrong = with_null.clone();
        wrong.insert(name, value);
        refused(vec![with_null.clone(), wrong])
    };
    insta::assert_snapshot!(wrong("sky", "fog".into()), @r#"row 1: field "sky": the enumeration "skies" has no value "fog""#);
    insta::assert_snapshot!(wrong("day", "soon".into()), @r#"row 1: field "day": "soon" is not a valid datetime_day (ISO 8601, or a number of ticks)"#);
    insta::assert_snapshot!(wrong("day", true.into()), @r#"row 1: field "day": got true, expected datetime_day"#);
    insta::assert_snapshot!(wrong("temp", "warm".into()), @r#"row 1: field "temp": got text, expected float32"#);
    insta::assert_snapshot!(wrong("temp", serde_json::json!([1.0, 2.0])), @r#"row 1: field "temp": got 2 values, expected 1 per cell"#);
    insta::assert_snapshot!(wrong("temp", 0.1.into()), @r#"row 1: field "temp": 0.1 is not a valid float32"#);
    insta::assert_snapshot!(wrong("gusts", serde_json::json!([40_000])), @r#"row 1: field "gusts": 40000 is not a valid int16"#);
    insta::assert_snapshot!(wrong("gusts", serde_json::json!([null])), @r#"row 1: field "gusts": null within a list"#);
    insta::assert_snapshot!(wrong("station", serde_json::Value::Null), @r#"row 1: field "station": got null, but the field is not nullable"#);
    insta::assert_snapshot!(wrong("remark", 7.into()), @r#"row 1: field "remark": got a number, expected string_utf8"#);
    insta::assert_snapshot!(wrong("remarks", "x".into()), @r#"row 1: there is no field "remarks": did you mean "remark"? the fields are station, day, temp, sky, gusts, remark"#);
    let error = copy.write().rows([7]).expect_err("no row");
    insta::assert_snapshot!(error, @"row 0: a row is a struct or a map with a member for each field");
    assert_eq!(
        copy.reopen()
            .expect("opened")
            .read()
            .count()
            .expect("a count"),
        4
    );
}
