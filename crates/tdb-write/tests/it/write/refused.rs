//! Writes that are rejected, and the state of the array afterwards.

use tdb_fragment::FragmentIndex;
use tdb_query::Reader;
use tdb_write::{CopiedFragment, OrderProblem, PlaceProblem, Replacement, Writer};

use super::*;

#[test]
fn a_write_that_fails_anywhere_leaves_the_array_as_it_was() {
    let schema = mixed();
    let cells = mixed_cells(20);
    let batch = batch(&schema, &cells);
    let before = MemoryStore::new();
    let store: Arc<dyn Store> = Arc::new(before);
    array(&store, &schema);
    let saved = objects(&*store);
    for operation in 0.. {
        let inner = MemoryStore::new();
        for (key, bytes) in &saved {
            inner.put(key, bytes.clone().into()).unwrap();
        }
        let faulty = Arc::new(FaultyStore::failing_at(inner, operation));
        let store: Arc<dyn Store> = faulty.clone();
        let Ok(array) = Array::open(Arc::clone(&store), "a", OpenOptions::default()) else {
            continue;
        };
        let written = write(&Arc::new(array), &at(10), &batch);
        let inner: &dyn Store = faulty.inner();
        let left = objects(inner);
        match written {
            Err(error) => assert_eq!(error.kind(), ErrorKind::Store),
            Ok(count) => {
                assert_eq!(count, 1);
                assert!(left.iter().any(|(key, _)| key.ends_with(".wrt")));
                assert!(operation > 10);
                return;
            }
        }
        let is_committed = left.iter().any(|(key, _)| key.ends_with(".wrt"));
        assert!(!is_committed, "operation {operation}");
        // Objects remain only if the commit itself failed, because it may have succeeded on the store.
        let stays = left.len() > saved.len();
        assert!(!stays || left.iter().any(|(key, _)| key.ends_with("metadata.tdb")));
    }
}

#[test]
fn a_write_of_several_fragments_that_fails_anywhere_leaves_the_array_as_it_was() {
    let schema = line();
    let x: Values = (1..=30_i32)
        .map(|v| Some(v.to_le_bytes().to_vec()))
        .collect();
    let batch = batch(&schema, &[("x", x.clone()), ("a", x)]);
    let options = at(10).max_fragment_bytes(Some(1));
    let before: Arc<dyn Store> = Arc::new(MemoryStore::new());
    array(&before, &schema);
    let saved = objects(&*before);
    for operation in 0.. {
        let inner = MemoryStore::new();
        for (key, bytes) in &saved {
            inner.put(key, bytes.clone().into()).unwrap();
        }
        let faulty = Arc::new(FaultyStore::failing_at(inner, operation));
        let store: Arc<dyn Store> = faulty.clone();
        let Ok(array) = Array::open(Arc::clone(&store), "a", OpenOptions::default()) else {
            continue;
        };
        let written = write(&Arc::new(array), &options, &batch);
        let left = objects(faulty.inner() as &dyn Store);
        let commits = left.iter().filter(|(key, _)| key.contains("__commits/"));
        match written {
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Store);
                assert_eq!(commits.count(), 0, "operation {operation}");
            }
            Ok(count) => {
                assert!(count > 5, "{count} fragments");
                let names: Vec<&String> = commits.map(|(key, _)| key).collect();
                assert!(
                    matches!(names[..], [list] if list.ends_with(".con")),
                    "{names:?}"
                );
                return;
            }
        }
    }
}

#[test]
fn a_size_for_fragments_is_refused_where_several_cannot_be_committed_at_once() {
    for version in 7..=22 {
        let (store, mut schema) = (memory(), line());
        schema.version = FormatVersion::new(version);
        let array = array(&store, &schema);
        let options = at(10).max_fragment_bytes(Some(1));
        let opened = Writer::open(&Session::default(), &array, &options);
        assert_eq!(opened.is_err(), version < 12, "version {version}");
    }
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let (store, schema) = (memory(), line());
    let array = array(&store, &schema);
    let options = at(10)
        .order(Some(WriteOrder::Global))
        .max_fragment_bytes(Some(1));
    let mut writer = Writer::open(&Session::default(), &array, &options).unwrap();
    let x: Values = (1..=50_i32)
        .map(|v| Some(v.to_le_bytes().to_vec()))
        .collect();
    writer
        .push(&batch(&schema, &[("x", x.clone()), ("a", x)]))
        .unwrap();
    assert!(fragments(&*store).len() > 10);
    drop(writer);
    assert_eq!(fragments(&*store), [""; 0]);
    assert_eq!(rows(&open(&store), None).len(), 0);
}

#[test]
fn what_is_wrong_is_told_with_the_field_and_the_first_cell() {
    let (store, schema) = (memory(), line());
    let array = array(&store, &schema);
    let told = |options: &WriteOptions, fields: &[(&str, Values)]| {
        let error = write(&array, options, &batch(&schema, fields)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        error.to_string()
    };
    let ones = || ("a", numbers([1, 1, 1]));
    let global = at(10).order(Some(WriteOrder::Global));
    insta::assert_snapshot!(
        [
            told(&at(10), &[("x", numbers([1, 101, 200])), ones()]),
            told(&at(10), &[("x", numbers([4, 9, 4])), ones()]),
            told(&at(10), &[("x", numbers([4, 9, 4]))]),
            told(&at(10), &[("x", numbers([4, 9, 4])), ("a", numbers([1, 1]))]),
            told(&at(10), &[ones(), ones(), ("x", numbers([1, 2, 3]))]),
            told(&global, &[("x", numbers([4, 9, 5])), ones()]),
            told(&global, &[("x", numbers([4, 4, 5])), ones()]),
        ]
        .join("\n"),
        @r#"
    field "x", cell 1: 101 lies outside the domain
    field "x", cell 2: cell 0 has the same coordinates
    field "a": there is no column for it
    field "a": values should be 12 bytes long and are 8
    field "a": there are two columns for it
    field "x", cell 2: comes before cell 1 in global order
    field "x", cell 1: cell 0 has the same coordinates
    "#
    );
    assert_eq!(fragments(&*store), [""; 0]);
}

#[test]
fn cells_that_hold_the_wrong_thing_are_told() {
    let (store, schema) = (memory(), mixed());
    let array = array(&store, &schema);
    let told = |change: &dyn Fn(&mut Batch)| {
        let mut batch = batch(&schema, &mixed_cells(5));
        change(&mut batch);
        write(&array, &at(10), &batch).unwrap_err().to_string()
    };
    let nan = |batch: &mut Batch| {
        let cells = (0..5).map(|row| if row == 3 { f64::NAN } else { f64::from(row) });
        batch.columns[0].values = cells.flat_map(f64::to_le_bytes).collect();
    };
    let null = |batch: &mut Batch| batch.columns[1].validity = Some(vec![0b1110_1111].into());
    let offsets = |values: [u64; 6]| {
        move |batch: &mut Batch| {
            batch.columns[2].offsets =
                Some(values.into_iter().flat_map(u64::to_le_bytes).collect());
        }
    };
    let typed = |batch: &mut Batch| batch.columns[3].datatype = Datatype::Int8;
    let short = |batch: &mut Batch| batch.columns[3].validity = Some(bytes::Bytes::new());
    insta::assert_snapshot!(
        [
            told(&nan),
            told(&null),
            told(&offsets([0, 2, 1, 2, 2, 2])),
            told(&offsets([0, 2, 2, 2, 2, 4000])),
            told(&offsets([0, 0, 0, 1, 2, 2])),
            told(&typed),
            told(&short),
        ]
        .join("\n"),
        @r#"
    field "x", cell 3: a coordinate cannot be NaN
    field "name", cell 4: is null, and the field is not nullable
    field "a", cell 1: its offsets 2 to 1 do not lie in order within 6 bytes of values
    field "a", cell 4: its offsets 2 to 4000 do not lie in order within 6 bytes of values
    field "a", cell 2: 1 bytes are not a whole number of values of 2 bytes
    field "b": its cells are uint8, the column has int8
    field "b": validity should be 1 bytes long and are 0
    "#
    );
    assert_eq!(fragments(&*store), [""; 0]);
}

#[test]
fn no_cells_make_no_fragment() {
    let (store, schema) = (memory(), line());
    let array = array(&store, &schema);
    let none = [("x", numbers([])), ("a", numbers([]))];
    assert_eq!(write(&array, &at(10), &batch(&schema, &none)).unwrap(), 0);
    assert_eq!(fragments(&*store), [""; 0]);
}

/// An array of ten cells with one number each, which must increase or decrease.
fn sorted(order: DataOrder, datatype: Datatype) -> ArraySchema {
    let dimension = Dimension::numbers("x", Datatype::Int32, (0_i32, 9), 4);
    let mut attribute = Attribute::new("label", datatype);
    attribute.order = order;
    if datatype.is_string() {
        attribute = attribute.with_cell_val_num(CellValNum::Var);
    }
    ArraySchema::new(ArrayType::Dense, vec![dimension], vec![attribute])
}

#[test]
fn values_out_of_their_order_are_told_with_the_first_cell_that_is() {
    let told = |order, cells: &[f64], step: usize| {
        let (store, schema) = (memory(), sorted(order, Datatype::Float64));
        let array = array(&store, &schema);
        let options = at(10).ranges(vec![("x".to_owned(), Range::of(2_i32, 5))]);
        let cells: Values = cells
            .iter()
            .map(|v| Some(v.to_le_bytes().to_vec()))
            .collect();
        let mut writer = Writer::open(&Session::default(), &array, &options).unwrap();
        let mut parts = cells.chunks(step);
        let pushed =
            parts.try_for_each(|part| writer.push(&batch(&schema, &[("label", part.to_vec())])));
        match pushed.and_then(|()| writer.finish()) {
            Ok(names) => format!("{} fragment", names.len()),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Invalid);
                assert_eq!(fragments(&*store), [""; 0]);
                error.to_string()
            }
        }
    };
    let (up, down) = (DataOrder::Increasing, DataOrder::Decreasing);
    insta::assert_snapshot!(
        [
            told(up, &[-1.0, 2.5, 3.0, 4.0], 4),
            told(up, &[-1.0, 2.5, 2.5, 4.0], 4),
            told(up, &[-1.0, 2.5, 2.0, 4.0], 2),
            told(up, &[-1.0, 2.5, f64::NAN, 4.0], 1),
            told(down, &[4.0, 3.0, -0.5, -1.0], 3),
            told(down, &[4.0, 3.0, -1.0, -0.5], 3),
            told(DataOrder::Unordered, &[4.0, 5.0, 4.0, 4.0], 3),
        ]
        .join("\n"),
        @r#"
    1 fragment
    field "label", cell 2: 2.5 follows 2.5, and each value of this field is greater than the one before it
    field "label", cell 2: 2.0 follows 2.5, and each value of this field is greater than the one before it
    field "label", cell 2: NaN follows 2.5, and each value of this field is greater than the one before it
    1 fragment
    field "label", cell 3: -0.5 follows -1.0, and each value of this field is less than the one before it
    1 fragment
    "#
    );
}

#[test]
fn sorted_texts_and_cells_with_places_are_told_as_they_were_handed_in() {
    let (store, schema) = (
        memory(),
        sorted(DataOrder::Increasing, Datatype::StringAscii),
    );
    let array = array(&store, &schema);
    let text = |cells: [&str; 3]| -> Values { cells.map(|c| Some(c.into())).to_vec() };
    let told = |places: [i32; 3], cells| {
        let batch = batch(&schema, &[("x", numbers(places)), ("label", text(cells))]);
        let written = write(&array, &at(10), &batch);
        written.map_or_else(
            |error| error.to_string(),
            |count| format!("{count} fragment"),
        )
    };
    insta::assert_snapshot!(
        [
            told([2, 1, 3], ["b", "", "bb"]),
            told([2, 1, 3], ["b", "a", "ab"]),
            told([3, 2, 1], ["b", "b", "a"]),
        ]
        .join("\n"),
        @r#"
    1 fragment
    field "label", cell 2: "ab" follows "b", and each value of this field is greater than the one before it
    field "label", cell 0: "b" follows "b", and each value of this field is greater than the one before it
    "#
    );
}

#[test]
fn labels_out_of_order_are_told_when_they_are_asked_for() {
    let (store, labels) = (memory(), sorted(DataOrder::Increasing, Datatype::Int32));
    let label = array_at(&store, "a/__labels/l0", &labels);
    let dimension = Dimension::numbers("x", Datatype::Int32, (0_i32, 9), 4);
    let mut schema = ArraySchema::new(
        ArrayType::Dense,
        vec![dimension],
        vec![Attribute::new("v", Datatype::Int32)],
    );
    schema.labels = vec![DimensionLabel {
        name: "height".to_owned(),
        dimension: 0,
        relative: true,
        uri: "__labels/l0".to_owned(),
        attribute: "label".to_owned(),
        order: DataOrder::Increasing,
        datatype: Datatype::Int32,
        cell_val_num: CellValNum::Fixed(1),
        is_external: false,
    }];
    array(&store, &schema);
    let put = |time, first: i32, values: &[i32]| {
        let last = first + i32::try_from(values.len()).unwrap() - 1;
        let options = at(time).ranges(vec![("x".to_owned(), Range::of(first, last))]);
        let values = values
            .iter()
            .map(|v| Some(v.to_le_bytes().to_vec()))
            .collect();
        write(&label, &options, &batch(&labels, &[("label", values)])).unwrap();
    };
    let asked = |time| {
        let read =
            ReadOptions::default().label_ranges(vec![("height".to_owned(), Range::of(3_i32, 6))]);
        let options = OpenOptions::default().window(TimeWindow::until(time));
        let array = Arc::new(Array::open(Arc::clone(&store), "a", options).unwrap());
        let found = Reader::open(&Session::default(), &array, &read);
        let batches: Result<Vec<_>, _> = found.and_then(Iterator::collect);
        match batches {
            Ok(batches) => format!("{} cells", batches.iter().map(|b| b.rows).sum::<usize>()),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Corrupt);
                let source = std::error::Error::source(&error).map(ToString::to_string);
                format!("{error}: {}", source.unwrap_or_default())
            }
        }
    };
    // Each write is in order; together they are not until the remaining labels are written.
    put(10, 0, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    put(20, 5, &[4, 5, 6, 7, 8]);
    put(30, 0, &[-1, 0, 1, 2, 3]);
    insta::assert_snapshot!([asked(10), asked(20), asked(30)].join("\n"), @r#"
    4 cells
    label "height": 4 follows 5, and each value of this field is greater than the one before it
    4 cells
    "#);
}

/// Gives the array a scale-float attribute of one byte per value, in steps of 0.5 from -63 to 64.5.
fn scaled(schema: &mut ArraySchema) {
    let options = [
        &0.5_f64.to_le_bytes()[..],
        &1.0_f64.to_le_bytes(),
        &1_u64.to_le_bytes(),
    ];
    let scale_float = FilterRecord::new(15, options.concat());
    let mut a = Attribute::new("a", Datatype::Float32);
    a.nullable = true;
    a.filters = FilterList::new(vec![scale_float]);
    schema.attributes = vec![a];
}

fn floats<const N: usize>(values: [f32; N]) -> Values {
    let cells = values.iter().map(|v| Some(v.to_le_bytes().to_vec()));
    cells.collect()
}

#[test]
fn values_that_scale_float_cannot_store_are_refused() {
    let (sparse, mut dense) = (line(), line());
    dense.array_type = ArrayType::Dense;
    let mut said = String::new();
    for mut schema in [sparse, dense] {
        scaled(&mut schema);
        let store = memory();
        let array = array(&store, &schema);
        let cells = |values: Values| {
            let x = ("x", numbers([1, 2, 3]));
            write(&array, &at(10), &batch(&schema, &[x, ("a", values)]))
        };
        for value in [
            64.8,
            -63.3,
            1e30,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ] {
            let error = cells(floats([1.0, value, value])).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            said += &format!("{error}\n");
        }
        assert_eq!(fragments(&*store), [""; 0]);
        // The rest of the space tile has the fill value NaN.
        cells(floats([64.5, 64.7, -63.2])).unwrap();
    }
    insta::assert_snapshot!(said);
}

#[test]
fn null_cells_and_stored_ones_may_hold_what_scale_float_cannot() {
    let mut schema = line();
    scaled(&mut schema);
    let store = memory();
    let array = array(&store, &schema);
    let values = floats([f32::NAN, 2.0, 1e30]);
    let mut cells = batch(&schema, &[("x", numbers([1, 2, 3])), ("a", values)]);
    cells.columns[1].validity = Some(vec![0b010].into());
    write(&array, &at(10), &cells).unwrap();

    // Consolidation writes whatever others have stored.
    cells.columns[1].validity = None;
    let replacement = Replacement {
        times: (11, 11),
        ..Replacement::default()
    };
    let stored = at(11).replacement(Some(replacement));
    write(&array, &stored, &cells).unwrap();
    let found = rows(&open(&store), None);
    let found = found.iter().map(|row| row[1].clone().unwrap());
    let found: Vec<f32> = found
        .map(|a| f32::from_le_bytes(a.try_into().unwrap()))
        .collect();
    assert_eq!(found, [1.0, 2.0, 64.5]);
}

#[test]
fn a_fragment_that_is_not_there_is_not_copied() {
    let (store, schema) = (memory(), line());
    let array = array(&store, &schema);
    let writer = Writer::open(&Session::default(), &array, &at(10)).unwrap();
    let error = CopiedFragment::open(&writer, FragmentIndex::new(0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Bug);
    let told = "a place in the list of fragments of another array";
    assert!(error.to_string().contains(told), "{error}");
}

#[test]
fn requests_that_are_wrong_are_told_with_a_way_out() {
    let all = [
        WriteError::Order(OrderProblem::Dense),
        WriteError::Order(OrderProblem::Sparse),
        WriteError::Order(OrderProblem::Replacement),
        WriteError::Order(OrderProblem::Copies),
        WriteError::Order(OrderProblem::WithinTile),
        WriteError::Order(OrderProblem::Repeated),
        WriteError::Place(PlaceProblem::Mixed),
        WriteError::Place(PlaceProblem::Twice),
        WriteError::Place(PlaceProblem::Sparse),
        WriteError::Place(PlaceProblem::OutsideDomain),
        WriteError::Place(PlaceProblem::Uncountable),
        WriteError::NoDuplicates,
        WriteError::NoCellTimes {
            version: FormatVersion::WRITTEN,
        },
        WriteError::Gaps {
            found: 6,
            wanted: 8,
        },
        WriteError::TooManyCells { cells: 1 << 32 },
        WriteError::Failed,
    ];
    let told = all.map(|error| {
        assert_eq!(error.kind(), ErrorKind::Invalid);
        match error.hint() {
            Some(hint) => format!("{error}\n  {hint}"),
            None => error.to_string(),
        }
    });
    insta::assert_snapshot!(told.join("\n"), @r"
    cells without an order cannot be written to a dense array: the order says where each belongs
      write them in row-major, column-major or global order
    cells of a sparse array are written in global order or in any
      leave the order out: the cells are sorted
    cells that replace fragments must be written in global order, and this write has another one
      set the order of the write to global order
    stored tiles can be copied only into a write in global order
      set the order of the write to global order
    stored tiles cannot be copied here: the tile that is being written is not full
      write cells up to the end of the tile first
    the first cell of a copied tile has the coordinates of the cell before it, and only the first of such cells is kept
      write the cells of this tile instead of copying it
    some batches have columns for the dimensions, and some have none
    both columns of the dimensions and ranges say where the cells belong, and only one of them may
      leave out the ranges, or the columns of the dimensions
    a range to be written is for dense arrays: sparse cells have coordinates
    the cells to be written do not lie within the domain
    there are more cells than can be counted
    the array allows no two cells with the same coordinates
    dense arrays, and others in format version 22, keep no times of cells
    6 cells do not fill the box of 8 that their coordinates span
      a dense array takes boxes of cells: write them box by box
    4294967296 cells are to be sorted at a time, and at most 4294967295 can be
      write them in several batches in global order, or as several writes
    the write has failed before
    ");
}
