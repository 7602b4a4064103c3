//! Writes of boxes of dense cells.

use tdb_query::Reader;
use tdb_write::Writer;

use super::*;

fn plane(cell_order: CellOrder) -> ArraySchema {
    let dimension =
        |name, end, extent| Dimension::numbers(name, Datatype::Int32, (1_i32, end), extent);
    let mut text = Attribute::new("t", Datatype::StringUtf8).with_cell_val_num(CellValNum::Var);
    text.nullable = true;
    let attributes = vec![Attribute::new("a", Datatype::Int32), text];
    let mut schema = ArraySchema::new(
        ArrayType::Dense,
        vec![dimension("y", 7, 3), dimension("x", 10, 4)],
        attributes,
    );
    schema.cell_order = cell_order;
    schema
}

/// A box of cells, each with its number in row-major order as value, in the given order.
fn plane_cells(order: &[i32]) -> Vec<(&'static str, Values)> {
    let text =
        |n: &i32| (n % 3 != 0).then(|| "x".repeat(usize::try_from(*n % 5).unwrap()).into_bytes());
    vec![
        (
            "a",
            order
                .iter()
                .map(|n| Some(n.to_le_bytes().to_vec()))
                .collect(),
        ),
        ("t", order.iter().map(text).collect()),
    ]
}

#[test]
fn dense_boxes_in_every_order_make_the_same_fragment() {
    for cell_order in [CellOrder::RowMajor, CellOrder::ColumnMajor] {
        let schema = plane(cell_order);
        let ranges = vec![
            ("x".to_owned(), Range::of(3_i32, 9)),
            ("y".to_owned(), Range::of(2_i32, 5)),
        ];
        // (y, x) from (2, 3) to (5, 9), numbered by rows.
        let cells: Vec<(i32, i32)> = (2..=5).flat_map(|y| (3..=9).map(move |x| (y, x))).collect();
        let number = |(y, x): &(i32, i32)| (y - 2) * 7 + x - 3;
        let mut written = Vec::new();
        for order in [
            WriteOrder::RowMajor,
            WriteOrder::ColumnMajor,
            WriteOrder::Global,
        ] {
            let mut cells = cells.clone();
            let tile = |(y, x): &(i32, i32)| ((y - 1) / 3, (x - 1) / 4);
            match (order, cell_order) {
                (WriteOrder::ColumnMajor, _) => cells.sort_by_key(|(y, x)| (*x, *y)),
                (WriteOrder::Global, CellOrder::ColumnMajor) => {
                    cells.sort_by_key(|cell| (tile(cell), cell.1, cell.0));
                }
                (WriteOrder::Global, _) => cells.sort_by_key(|cell| (tile(cell), *cell)),
                _ => {}
            }
            let store = memory();
            let array = array(&store, &schema);
            let options = at(10).order(Some(order)).ranges(ranges.clone());
            let numbers: Vec<i32> = cells.iter().map(number).collect();
            write(&array, &options, &batch(&schema, &plane_cells(&numbers))).unwrap();
            written.push(objects(&*store));
            let read = ReadOptions::default().ranges(ranges.clone());
            let found = Reader::open(&Session::default(), &open(&store), &read)
                .unwrap()
                .next();
            let found = found.unwrap().unwrap();
            let found: Vec<i32> = found.column("a").unwrap().numbers().unwrap().collect();
            assert_eq!(found, (0..28).collect::<Vec<_>>());
        }
        assert_eq!(written[0], written[1]);
        assert_eq!(written[0], written[2]);
    }
}

#[test]
fn dense_boxes_in_batches_and_little_memory_make_the_same_fragment() {
    for tile_order in [Order::RowMajor, Order::ColumnMajor] {
        let mut schema = plane(CellOrder::RowMajor);
        schema.tile_order = tile_order;
        let numbers: Vec<i32> = (0..70).collect();
        let cells = plane_cells(&numbers);
        for order in [
            WriteOrder::RowMajor,
            WriteOrder::ColumnMajor,
            WriteOrder::Global,
        ] {
            let written = |step: usize, memory_bytes: Option<u64>| {
                let store = memory();
                let array = array(&store, &schema);
                let session = Session::new(SessionOptions::default().memory(memory_bytes));
                let options = at(10).order(Some(order));
                let mut writer = Writer::open(&session, &array, &options).unwrap();
                for first in (0..70).step_by(step) {
                    let part = part(&cells, first..70.min(first + step));
                    writer.push(&batch(&schema, &part)).unwrap();
                }
                writer.finish().unwrap();
                objects(&*store)
            };
            let whole = written(70, None);
            for step in [1, 9, 33, 70] {
                assert_eq!(written(step, Some(5000)), whole, "{order:?} by {step}");
            }
        }
    }
}

#[test]
fn dense_cells_with_coordinates_go_to_their_places() {
    let schema = plane(CellOrder::RowMajor);
    let store = memory();
    let array = array(&store, &schema);
    let mut cells = plane_cells(&[5, 4, 3, 2, 1, 0]);
    cells.push(("y", numbers([3, 3, 3, 2, 2, 2])));
    cells.push(("x", numbers([9, 8, 7, 9, 8, 7])));
    write(&array, &at(10), &batch(&schema, &cells)).unwrap();
    let ranges = vec![
        ("y".to_owned(), Range::of(2_i32, 3)),
        ("x".to_owned(), Range::of(7_i32, 9)),
    ];
    let read = ReadOptions::default().ranges(ranges);
    let found = Reader::open(&Session::default(), &open(&store), &read)
        .unwrap()
        .next();
    let found = found.unwrap().unwrap();
    let found: Vec<i32> = found.column("a").unwrap().numbers().unwrap().collect();
    assert_eq!(found, [0, 1, 2, 3, 4, 5]);

    let told = |x: [i32; 6]| {
        let mut cells = cells.clone();
        cells[3].1 = numbers(x);
        write(&array, &at(20), &batch(&schema, &cells))
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!(
        [told([9, 8, 7, 9, 8, 6]), told([9, 8, 8, 9, 8, 7]), told([11, 8, 7, 9, 8, 7])].join("\n"),
        @r#"
    6 cells do not fill the box of 8 that their coordinates span
    field "y", cell 2: cell 1 has the same coordinates
    field "x", cell 0: 11 lies outside the domain
    "#
    );
}

#[test]
fn boxes_that_do_not_fit_are_told() {
    let mut schema = plane(CellOrder::RowMajor);
    schema.current_domain = Some(vec![Range::of(1_i32, 5), Range::of(1_i32, 10)]);
    let store = memory();
    let array = array(&store, &schema);
    let told = |ranges: &[(&str, i32, i32)], order: Option<WriteOrder>| {
        let options = at(10)
            .ranges(
                ranges
                    .iter()
                    .map(|(name, lo, hi)| ((*name).to_owned(), Range::of(*lo, *hi)))
                    .collect(),
            )
            .order(order);
        let cells = batch(&schema, &plane_cells(&[1, 2]));
        write(&array, &options, &cells).unwrap_err().to_string()
    };
    insta::assert_snapshot!(
        [
            told(&[("y", 1, 8)], None),
            told(&[("y", 1, 6)], None),
            told(&[("y", 3, 2)], None),
            told(&[("z", 1, 1)], None),
            told(&[("y", 1, 1), ("y", 1, 1)], None),
            told(&[("y", 1, 1)], None),
            told(&[], Some(WriteOrder::Unordered)),
        ]
        .join("\n"),
        @r#"
    range of dimension "y" leaves the domain
    range of dimension "y" leaves the current domain
    range of dimension "y" ends before it begins
    there is no dimension "z"
    dimension "y" has two ranges: what is written is one box
    there are 2 cells, and the box to be written has 10
    cells without an order cannot be written to a dense array: the order says where each belongs
    "#
    );
}

#[test]
fn dense_fragments_of_a_size_are_boxes_of_the_same_cells() {
    for tile_order in [Order::RowMajor, Order::ColumnMajor] {
        let mut schema = plane(CellOrder::RowMajor);
        schema.tile_order = tile_order;
        // Three by two tiles, of which those at the ends are written in part.
        let ranges = vec![
            ("y".to_owned(), Range::of(2_i32, 7)),
            ("x".to_owned(), Range::of(3_i32, 8)),
        ];
        let numbers: Vec<i32> = (0..36).collect();
        let mut counts = Vec::new();
        for most in [1, 700, 100_000] {
            let store = memory();
            let array = array(&store, &schema);
            let options = at(10).max_fragment_bytes(Some(most)).ranges(ranges.clone());
            let cells = batch(&schema, &plane_cells(&numbers));
            counts.push(write(&array, &options, &cells).unwrap());
            let array = open(&store);
            let side = |ends: &Range| ends.ends::<i32>().map_or(0, |(lo, hi)| hi - lo + 1);
            let boxes = array.fragments().iter().map(|fragment| {
                let sides = fragment.metadata.non_empty_domain.iter().map(side);
                sides.product::<i32>()
            });
            assert_eq!(boxes.sum::<i32>(), 36, "boxes within each other");
            let read = ReadOptions::default().ranges(ranges.clone());
            let mut found = Reader::open(&Session::default(), &array, &read).unwrap();
            let found = found.next().unwrap().unwrap();
            let found: Vec<i32> = found.column("a").unwrap().numbers().unwrap().collect();
            assert_eq!(found, numbers);
        }
        assert_eq!((counts[0], counts[2]), (6, 1));
        assert!(1 < counts[1] && counts[1] < 6, "{counts:?}");
    }
}

#[test]
fn a_box_of_any_number_of_tiles_is_begun_at_once() {
    let dimension = |name| Dimension::numbers(name, Datatype::Int64, (0_i64, (1 << 31) - 1), 4_i64);
    for tile_order in [Order::RowMajor, Order::ColumnMajor] {
        let mut schema = ArraySchema::new(
            ArrayType::Dense,
            vec![dimension("y"), dimension("x")],
            vec![Attribute::new("a", Datatype::Int32)],
        );
        schema.tile_order = tile_order;
        let store = memory();
        let array = array(&store, &schema);
        let options = at(10).order(Some(WriteOrder::Global));
        let session = Session::new(SessionOptions::default().memory(Some(4000)));
        let mut writer = Writer::open(&session, &array, &options).unwrap();
        let cells: Values = (0..100_i32)
            .map(|v| Some(v.to_le_bytes().to_vec()))
            .collect();
        for _ in 0..20 {
            writer
                .push(&batch(&schema, &[("a", cells.clone())]))
                .unwrap();
        }
        let error = writer.finish().unwrap_err();
        insta::allow_duplicates!(insta::assert_snapshot!(
            error,
            @"there are 2000 cells, and the box to be written has 4611686018427387904"
        ));
        assert_eq!(fragments(&*store), [""; 0]);
    }
}

#[test]
fn cells_that_wait_stay_within_the_memory() {
    let mut schema = plane(CellOrder::RowMajor);
    schema.tile_order = Order::ColumnMajor;
    let numbers: Vec<i32> = (0..70).collect();
    let mut cells = plane_cells(&numbers);
    let store = memory();
    let array = array(&store, &schema);
    let session = Session::new(SessionOptions::default().memory(Some(700)));
    let told = |cells: &[(&'static str, Values)]| {
        let mut writer = Writer::open(&session, &array, &at(10)).unwrap();
        let mut parts = (0..70)
            .step_by(5)
            .map(|first| part(cells, first..first + 5));
        let pushed = parts.try_for_each(|part| writer.push(&batch(&schema, &part)));
        let error = pushed.and_then(|()| writer.finish()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Memory);
        assert_eq!(session.limits().budget.used(), 0);
        assert_eq!(fragments(&*store), [""; 0]);
        format!("{error}\n  {}", error.hint().unwrap_or_default())
    };
    // Cells by rows while tiles are ordered by columns; then cells with coordinates.
    let rows = told(&cells);
    let coordinates = |of: fn(i32) -> i32| -> Values {
        numbers
            .iter()
            .map(|n| Some(of(*n).to_le_bytes().to_vec()))
            .collect()
    };
    cells.push(("y", coordinates(|n| n / 10 + 1)));
    cells.push(("x", coordinates(|n| n % 10 + 1)));
    insta::assert_snapshot!([rows, told(&cells)].join("\n"), @r"
    cells that wait to be written: memory of 757 is over the limit of 700 (memory budget)
      cells in the order of the array's tiles, or of a smaller box, take less
    cells that wait to be written: memory of 810 is over the limit of 700 (memory budget)
      cells in the order of the array's tiles, or of a smaller box, take less
    ");
}

#[test]
fn cells_that_come_at_once_take_no_memory_of_the_session() {
    let schema = plane(CellOrder::RowMajor);
    let numbers: Vec<i32> = (0..70).collect();
    let cells = batch(&schema, &plane_cells(&numbers));
    let store = memory();
    let array = array(&store, &schema);
    let session = Session::new(
        SessionOptions::default()
            .threads(std::num::NonZeroUsize::new(1))
            .memory(Some(900)),
    );
    let mut writer = Writer::open(&session, &array, &at(10)).unwrap();
    writer.push(&cells).unwrap();
    writer.finish().unwrap();
    assert_eq!(open(&store).fragments().len(), 1);
}
