//! Writes of sparse cells: sorted, streamed, split.

use tdb_write::Writer;

use super::*;

#[test]
fn sparse_cells_are_sorted_and_the_newer_write_wins() {
    let (store, schema) = (memory(), line());
    let array = array(&store, &schema);
    let first = [("x", numbers([9, 2, 50, 7])), ("a", numbers([1, 2, 3, 4]))];
    let second = [("x", numbers([50, 3])), ("a", numbers([30, 33]))];
    write(&array, &at(10), &batch(&schema, &first)).unwrap();
    write(&array, &at(20), &batch(&schema, &second)).unwrap();
    let found = rows(&open(&store), None);
    let wanted = [(2, 2), (3, 33), (7, 4), (9, 1), (50, 30)];
    let wanted = wanted.map(|(x, a): (i32, i32)| {
        vec![
            Some(x.to_le_bytes().to_vec()),
            Some(a.to_le_bytes().to_vec()),
        ]
    });
    assert_eq!(found, wanted);
}

#[test]
fn writes_of_one_time_are_seen_in_the_order_they_were_made() {
    let (store, schema) = (memory(), line());
    let array = array(&store, &schema);
    for value in 0..12 {
        let cells = [("x", numbers([5])), ("a", numbers([value]))];
        // System names, since this tests their order.
        write(&array, &WriteOptions::at(10), &batch(&schema, &cells)).unwrap();
    }
    assert_eq!(rows(&open(&store), None)[0][1], numbers([11])[0]);
}

#[test]
fn duplicates_are_refused_dropped_or_kept() {
    let (store, mut schema) = (memory(), line());
    schema.allows_duplicates = true;
    let array = array(&store, &schema);
    let cells = [("x", numbers([4, 9, 4])), ("a", numbers([1, 2, 3]))];
    let batch = batch(&schema, &cells);
    for (time, duplicates, left) in [
        (10, Some(Duplicates::First), 2),
        (20, None, 3),
        (30, Some(Duplicates::Keep), 3),
    ] {
        let options = at(time).duplicates(duplicates);
        write(&array, &options, &batch).unwrap();
        let options = OpenOptions::default().window(tdb_array::TimeWindow {
            since: time,
            at: time,
        });
        let array = Arc::new(Array::open(Arc::clone(&store), "a", options).unwrap());
        assert_eq!(rows(&array, None).len(), left);
    }
    let strict = at(40).duplicates(Some(Duplicates::Error));
    let error = write(&array, &strict, &batch).unwrap_err();
    let WriteError::Cell {
        cell: 2, problem, ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(problem, CellProblem::Duplicate { other: 0 });
}

#[test]
fn the_first_cells_with_the_same_coordinates_are_found_where_all_are_kept() {
    let (store, mut schema) = (memory(), line());
    schema.allows_duplicates = true;
    let array = array(&store, &schema);
    for (xs, spills, found) in [
        ([4, 9, 9, 4, 7], false, Some((2, 1))),
        ([1, 4, 4, 4, 7], false, Some((2, 1))),
        ([9, 8, 7, 6, 5], false, None),
        ([1, 2, 3, 4, 5], false, None),
        // Spilled cells are found in global order.
        ([9, 4, 9, 4, 7], true, Some((1, 0))),
        ([9, 4, 8, 3, 7], true, None),
    ] {
        let options = at(10)
            .finds_repeated(true)
            .sort_store(spills.then(memory))
            .sort_bytes(spills.then_some(1));
        let mut writer = Writer::open(&Session::default(), &array, &options).unwrap();
        for x in xs {
            let cells = [("x", numbers([x])), ("a", numbers([0]))];
            writer.push(&batch(&schema, &cells)).unwrap();
        }
        let sealed = writer.seal().unwrap();
        assert_eq!(sealed.rows(), 5);
        let repeated = sealed.repeated().map(|found| (found.cell, found.other));
        assert_eq!(repeated, found, "{xs:?}");
    }
}

#[test]
fn what_is_written_is_read_whatever_the_batches_are() {
    let schema = mixed();
    let cells = mixed_cells(333);
    let mut found = Vec::new();
    for step in [333, 100, 1] {
        let store = memory();
        let array = array(&store, &schema);
        let mut writer = Writer::open(&Session::default(), &array, &at(10)).unwrap();
        for first in (0..333).step_by(step) {
            let part = part(&cells, first..333.min(first + step));
            writer.push(&batch(&schema, &part)).unwrap();
        }
        writer.finish().unwrap();
        found.push(rows(&open(&store), Some(ResultOrder::RowMajor)));
    }
    let mut wanted: Vec<Vec<Option<Vec<u8>>>> = (0..333)
        .map(|row| {
            cells
                .iter()
                .map(|(_, values)| values[row].clone())
                .collect()
        })
        .collect();
    let x = |row: &Vec<Option<Vec<u8>>>| {
        f64::from_le_bytes(row[0].clone().unwrap().try_into().unwrap())
    };
    wanted.sort_by(|a, b| x(a).total_cmp(&x(b)).then_with(|| a[1].cmp(&b[1])));
    assert_eq!(found[0], wanted);
    assert_eq!(found[1], wanted);
    assert_eq!(found[2], wanted);
}

#[test]
fn a_write_is_the_same_byte_for_byte_with_any_number_of_threads() {
    let schema = mixed();
    let cells = mixed_cells(500);
    let written = |threads: usize| {
        let store = memory();
        let array = array(&store, &schema);
        let options = SessionOptions::default().threads(NonZeroUsize::new(threads));
        let mut writer = Writer::open(&Session::new(options), &array, &at(10)).unwrap();
        writer.push(&batch(&schema, &cells)).unwrap();
        writer.finish().unwrap();
        objects(&*store)
    };
    let one = written(1);
    assert!(one.len() > 5);
    assert_eq!(one, written(4));
    assert_eq!(one, written(3));
}

#[test]
fn a_stream_in_global_order_makes_the_same_tiles_as_sorting_does() {
    let schema = mixed();
    let cells = mixed_cells(101);
    let store = memory();
    let sorted = array(&store, &schema);
    write(&sorted, &at(10), &batch(&schema, &cells)).unwrap();
    let in_order = rows(&open(&store), Some(ResultOrder::Global));
    let names: Vec<&str> = cells.iter().map(|(name, _)| *name).collect();
    let again = memory();
    let streamed = array(&again, &schema);
    let options = at(10).order(Some(WriteOrder::Global));
    let mut writer = Writer::open(&Session::default(), &streamed, &options).unwrap();
    for rows in in_order.chunks(3) {
        let cells = |index: usize| {
            rows.iter()
                .map(|row| row[index].clone())
                .collect::<Values>()
        };
        let names = names.iter().enumerate();
        let fields: Vec<_> = names.map(|(index, name)| (*name, cells(index))).collect();
        writer.push(&batch(&schema, &fields)).unwrap();
    }
    assert_eq!(writer.rows(), 101);
    writer.finish().unwrap();
    assert_eq!(objects(&*again), objects(&*store));
}

#[test]
fn fragments_are_split_at_a_size_and_hold_the_same_cells() {
    let schema = mixed();
    let cells = mixed_cells(200);
    let store = memory();
    let array = array(&store, &schema);
    let options = at(10).max_fragment_bytes(Some(1500));
    let count = write(&array, &options, &batch(&schema, &cells)).unwrap();
    let array = open(&store);
    assert!(
        count > 3 && array.fragments().len() == count,
        "{count} fragments"
    );
    for fragment in array.fragments() {
        assert!(fragment.metadata.data_size() <= 1500);
    }
    assert_eq!(rows(&array, None).len(), 200);
}

#[test]
fn arrays_of_old_versions_get_fragments_of_their_version() {
    for version in 7..=22 {
        let (store, mut schema) = (memory(), mixed());
        schema.version = FormatVersion::new(version);
        let array = array(&store, &schema);
        let cells = mixed_cells(30);
        write(&array, &at(10), &batch(&schema, &cells)).unwrap();
        let array = open(&store);
        assert_eq!(array.fragments()[0].metadata.version.number(), version);
        assert_eq!(rows(&array, None).len(), 30, "version {version}");
    }
}

#[test]
fn sorting_outside_of_memory_makes_the_same_array() {
    for (count, allows_duplicates) in [(333, false), (200, true)] {
        let mut schema = mixed();
        schema.allows_duplicates = allows_duplicates;
        let mut cells = mixed_cells(count);
        if allows_duplicates {
            // Half of the cells occur twice; their order must be kept.
            for field in &mut cells[..2] {
                let (first, second) = field.1.split_at_mut(100);
                second.clone_from_slice(first);
            }
        }
        let store = memory();
        let whole = array(&store, &schema);
        write(&whole, &at(10), &batch(&schema, &cells)).unwrap();

        let (again, aside) = (memory(), memory());
        let pieces = array(&again, &schema);
        let options = at(10)
            .sort_store(Some(Arc::clone(&aside)))
            .sort_bytes(Some(1000));
        // The prefix of spilled objects takes one of the counted names.
        let names = CountedNames::new(0, u64::from(u32::MAX) + 10_000 - 1);
        let options = options.names(Arc::new(names));
        let mut writer = Writer::open(&Session::default(), &pieces, &options).unwrap();
        let count = usize::try_from(count).unwrap();
        for first in (0..count).step_by(37) {
            let part = part(&cells, first..count.min(first + 37));
            writer.push(&batch(&schema, &part)).unwrap();
        }
        assert!(objects(&*aside).len() > 3);
        writer.finish().unwrap();
        assert_eq!(objects(&*again), objects(&*store));
        assert_eq!(objects(&*aside), []);
    }
}

#[test]
fn cells_in_any_order_stay_within_the_memory_or_go_aside() {
    let schema = mixed();
    let cells = mixed_cells(300);
    let session = Session::new(SessionOptions::default().memory(Some(8000)));
    let written = |sort_store: Option<Arc<dyn Store>>, sort_bytes| {
        let store = memory();
        let array = array(&store, &schema);
        let options = at(10).sort_store(sort_store).sort_bytes(sort_bytes);
        let mut writer = Writer::open(&session, &array, &options)?;
        for first in (0..300).step_by(10) {
            let part = part(&cells, first..first + 10);
            writer.push(&batch(&schema, &part))?;
        }
        writer.finish()?;
        Ok::<_, WriteError>(rows(&open(&store), None).len())
    };
    let error = written(None, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Memory);
    insta::assert_snapshot!(
        format!("{error}\n  {}", error.hint().unwrap_or_default()),
        @r"
    cells that wait to be written: memory of 8002 is over the limit of 8000 (memory budget)
      sorted outside of memory, with a `sort_store`, they take less
    "
    );
    assert_eq!(session.limits().budget.used(), 0);
    // Whatever the number of bytes that are sorted at a time.
    for sort_bytes in [None, Some(1000), Some(1 << 30)] {
        assert_eq!(written(Some(memory()), sort_bytes).unwrap(), 300);
    }
}

/// The number of open runs stays small, and each cell is merged only a few times.
#[test]
fn many_runs_are_merged_on_the_way() {
    let (mut schema, cells) = (mixed(), mixed_cells(1_100));
    // Some cells have the same coordinates; their order must be kept.
    schema.allows_duplicates = true;
    let (store, again, aside) = (memory(), memory(), memory());
    write(&array(&store, &schema), &at(10), &batch(&schema, &cells)).unwrap();
    let array = array(&again, &schema);
    let options = at(10)
        .sort_store(Some(Arc::clone(&aside)))
        .sort_bytes(Some(1));
    let mut writer = Writer::open(&Session::default(), &array, &options).unwrap();
    let mut most = 0;
    for cell in 0..1_100 {
        let cell = part(&cells, cell..cell + 1);
        writer.push(&batch(&schema, &cell)).unwrap();
        most = most.max(objects(&*aside).len());
    }
    // 31 runs of one cell, and 31 runs of 32 cells.
    assert_eq!(most, 62);
    writer.finish().unwrap();
    assert_eq!(rows(&open(&again), None), rows(&open(&store), None));
    assert_eq!(objects(&*aside), []);
}

#[test]
fn sorted_cells_that_changed_on_the_disk_are_told() {
    let (store, aside, schema) = (memory(), memory(), mixed());
    let array = array(&store, &schema);
    let options = at(10)
        .sort_store(Some(Arc::clone(&aside)))
        .sort_bytes(Some(1000));
    let mut writer = Writer::open(&Session::default(), &array, &options).unwrap();
    writer.push(&batch(&schema, &mixed_cells(300))).unwrap();
    for (key, bytes) in objects(&*aside) {
        aside.remove(&key).unwrap();
        aside.put(&key, vec![0; bytes.len()].into()).unwrap();
    }
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(error.to_string(), "sorted cells changed on the disk");
    assert_eq!(rows(&open(&store), None).len(), 0);
}

/// TileDB distinguishes them by their bits, but not always.
#[test]
fn zeros_of_either_sign_are_one_coordinate() {
    let x = Dimension::numbers("x", Datatype::Float64, (-10.0_f64, 10.0), 3.0);
    let a = Attribute::new("a", Datatype::Int32);
    let schema = ArraySchema::new(ArrayType::Sparse, vec![x], vec![a]);
    let store = memory();
    let array = array(&store, &schema);
    let cells = |zeros: &[f64], first: i32| {
        let x = zeros.iter().map(|v| Some(v.to_le_bytes().to_vec()));
        let a = (first..).take(zeros.len());
        let a = a.map(|v| Some(v.to_le_bytes().to_vec()));
        batch(&schema, &[("x", x.collect()), ("a", a.collect())])
    };
    for zeros in [[0.0, -0.0], [-0.0, 0.0]] {
        let error = write(&array, &at(10), &cells(&zeros, 1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "field \"x\", cell 1: cell 0 has the same coordinates"
        );
    }
    let zero = |sign: f64| (0.0_f64 * sign).to_le_bytes().to_vec();
    for (time, sign) in [(20, 1.0), (30, -1.0), (40, 1.0)] {
        let number = i32::try_from(time).unwrap();
        write(&array, &at(time), &cells(&[0.0 * sign], number)).unwrap();
        let newest = vec![vec![Some(zero(sign)), Some(number.to_le_bytes().to_vec())]];
        for order in [ResultOrder::Global, ResultOrder::RowMajor] {
            assert_eq!(rows(&open(&store), Some(order)), newest);
        }
    }
}
