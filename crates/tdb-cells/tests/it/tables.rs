//! Tables of loaded cells of several fragments.

use proptest::prelude::*;
use tdb_cells::{CellTable, RowRange, Segment, TableColumn, TileRows};
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::FieldKind;
use tdb_tile::Budget;

use crate::support::{buffer, cases, first, joined, row, rows};

const NUMBERS: FieldKind = FieldKind::Attribute(0);
const TEXTS: FieldKind = FieldKind::Attribute(1);

/// A cell: a number, a text, and the byte of its validity.
type Cell = (u16, Vec<u8>, u8);

/// The cells of one fragment, and its number.
#[derive(Clone, Debug)]
struct Part {
    fragment: usize,
    cells: Vec<Cell>,
}

/// Cells of several fragments, in ascending order of these.
fn parts() -> impl Strategy<Value = Vec<Part>> {
    let cell = (
        any::<u16>(),
        prop::collection::vec(any::<u8>(), 0..20),
        0_u8..2,
    );
    let cells = prop::collection::vec(cell, 0..12);
    prop::collection::btree_map(0_usize..6, cells, 0..4).prop_map(|parts| {
        let parts = parts.into_iter();
        parts
            .map(|(fragment, cells)| Part { fragment, cells })
            .collect()
    })
}

/// Whether a fragment lacks the field of numbers; every second one does.
fn lacks(fragment: usize) -> bool {
    fragment % 2 == 1
}

fn segments(lens: impl Iterator<Item = (usize, usize)>) -> Vec<Segment> {
    let mut end = RowRange::default();
    let segment = |(fragment, len)| {
        end = end.next(len).expect("few rows");
        Segment {
            fragment: FragmentIndex::new(fragment),
            rows: end,
            tiles: Vec::new(),
        }
    };
    lens.map(segment).collect()
}

fn table(parts: &[Part]) -> CellTable {
    let lens = parts.iter().map(|part| (part.fragment, part.cells.len()));
    let segments = segments(lens);
    let missing = segments
        .iter()
        .filter(|segment| lacks(segment.fragment.get()));
    let missing = missing.map(|segment| segment.rows).collect();
    let cells: Vec<&Cell> = parts.iter().flat_map(|part| &part.cells).collect();
    let numbers: Vec<u8> = cells.iter().flat_map(|cell| cell.0.to_le_bytes()).collect();
    let texts: Vec<Vec<u8>> = cells.iter().map(|cell| cell.1.clone()).collect();
    let (values, offsets) = joined(&texts);
    let mut table = CellTable::new(segments);
    let numbers = TableColumn {
        values: buffer(&numbers),
        cell_size: 2,
        missing,
        ..TableColumn::default()
    };
    let texts = TableColumn {
        values: buffer(&values),
        cell_size: 1,
        offsets: Some(offsets),
        validity: Some(cells.iter().map(|cell| cell.2).collect()),
        missing: Vec::new(),
    };
    table.insert(NUMBERS, numbers);
    table.insert(TEXTS, texts);
    table
}

/// The contents of a table, fragment by fragment.
fn told(table: &CellTable) -> Vec<(usize, Vec<Cell>, bool)> {
    let numbers = table.column(NUMBERS).expect("numbers");
    let texts = table.column(TEXTS).expect("texts");
    let valid = texts.validity.as_ref().expect("nullable texts");
    let cell = |row: usize| {
        let number = numbers
            .cell(row)
            .expect("a number")
            .try_into()
            .map(u16::from_le_bytes);
        let text = texts.cell(row).expect("a text").to_vec();
        (
            number.expect("two bytes"),
            text,
            valid.get(row).copied().expect("a cell"),
        )
    };
    let of_segment = |segment: &Segment| {
        let cells = segment.rows.indices().map(cell).collect();
        (segment.fragment.get(), cells, numbers.lacks(segment.rows))
    };
    table.segments.iter().map(of_segment).collect()
}

/// The expected contents, without fragments that have no cells.
fn wanted(parts: &[Part]) -> Vec<(usize, Vec<Cell>, bool)> {
    let parts = parts.iter().filter(|part| !part.cells.is_empty());
    parts
        .map(|part| (part.fragment, part.cells.clone(), lacks(part.fragment)))
        .collect()
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn a_compact_table_has_the_rows_that_were_picked(parts in parts(), mask in prop::collection::vec(any::<bool>(), 40)) {
        let table = table(&parts);
        let mut row = 0;
        let (mut picked, mut kept) = (Vec::new(), parts.clone());
        for part in &mut kept {
            part.cells.retain(|_| {
                let is_picked = mask[row];
                if is_picked {
                    picked.push(row);
                }
                row += 1;
                is_picked
            });
        }
        let budget = Budget::new(10_000);
        let compact = table.compact(&rows(&picked), &budget).unwrap();
        prop_assert_eq!(told(&compact), wanted(&kept));
        prop_assert_eq!(compact.rows(), first(picked.len()));
        prop_assert_eq!(budget.used(), compact.bytes_held());
        drop(compact);
        prop_assert_eq!(budget.used(), 0);
        let none = table.compact(&rows(&picked), &Budget::new(0));
        prop_assert_eq!(none.is_err(), !picked.is_empty());
    }

    #[test]
    fn joined_tables_have_the_rows_of_each_fragment_together(all in prop::collection::vec(parts(), 1..4)) {
        let tables: Vec<CellTable> = all.iter().map(|parts| table(parts)).collect();
        let mut model: std::collections::BTreeMap<usize, Vec<Cell>> = std::collections::BTreeMap::new();
        for part in all.iter().flatten() {
            model.entry(part.fragment).or_default().extend(part.cells.clone());
        }
        let model: Vec<Part> = model.into_iter().map(|(fragment, cells)| Part { fragment, cells }).collect();
        let is_joined = all.len() > 1 && !model.is_empty();
        let budget = Budget::new(100_000);
        let joined = CellTable::concat(tables, &budget).unwrap();
        let found: Vec<_> = told(&joined).into_iter().filter(|(_, cells, _)| !cells.is_empty()).collect();
        prop_assert_eq!(found, wanted(&model));
        prop_assert_eq!(budget.used(), joined.bytes_held());
        // A single table is returned unchanged.
        prop_assert_eq!(joined.bytes_held() > 0, is_joined);
    }
}

#[test]
fn tables_without_rows_keep_the_form_of_their_columns() {
    for count in [1, 2, 3] {
        let parts = (0..count).map(|_| table(&[])).collect();
        let joined = CellTable::concat(parts, &Budget::new(100)).unwrap();
        assert!(joined.rows().is_empty());
        let (numbers, texts) = (
            joined.column(NUMBERS).unwrap(),
            joined.column(TEXTS).unwrap(),
        );
        assert_eq!((numbers.cell_size, &numbers.offsets), (2, &None));
        assert_eq!(
            (&texts.offsets, &texts.validity),
            (&Some(vec![0]), &Some(vec![]))
        );
    }
}

#[test]
fn a_fragment_without_rows_does_not_lack_what_the_one_beside_it_lacks() {
    let part = |fragment, cells: &[Cell]| Part {
        fragment,
        cells: cells.to_vec(),
    };
    let cells = [(7, b"x".to_vec(), 1), (8, b"y".to_vec(), 0)];
    let tables = vec![
        table(&[part(0, &[]), part(1, &[])]),
        table(&[part(0, &cells)]),
    ];
    let joined = CellTable::concat(tables, &Budget::unlimited()).unwrap();
    let numbers = joined.column(NUMBERS).unwrap();
    assert!(!numbers.lacks(first(2)));
    assert_eq!(numbers.missing, []);
}

#[test]
fn tables_of_other_fields_are_not_joined() {
    let part = |fragment| Part {
        fragment,
        cells: vec![(7, b"x".to_vec(), 1)],
    };
    let mut other = table(&[part(1)]);
    other.take(TEXTS).unwrap();
    let budget = Budget::unlimited();
    let error = CellTable::concat(vec![table(&[part(0)]), other], &budget).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("tables of different fields are joined"),
        "{error}"
    );
    let tables = vec![table(&[part(0)]), table(&[part(2)])];
    assert!(CellTable::concat(tables, &Budget::new(3)).is_err());
    assert!(
        CellTable::concat(Vec::new(), &budget)
            .unwrap()
            .rows()
            .is_empty()
    );
}

#[test]
fn a_table_knows_its_tiles_and_which_of_them_are_wanted() {
    let tile = |number, rows| TileRows {
        tile: TileNumber::new(number),
        rows,
        full: true,
        wanted: true,
    };
    let (one, two) = (first(3), first(3).next(4).unwrap());
    let mut all = segments([(0, 7), (4, 2)].into_iter());
    all[0].tiles = vec![tile(5, one), tile(9, two)];
    all[1].tiles = vec![tile(0, all[1].rows)];
    let mut table = CellTable::new(all);
    assert_eq!(table.rows(), first(9));
    let numbers: Vec<u64> = table.tiles().map(|tile| tile.tile.get()).collect();
    assert_eq!(numbers, [5, 9, 0]);
    table
        .tiles_mut()
        .filter(|tile| tile.rows.len() == 4)
        .for_each(|tile| tile.wanted = false);
    let wanted: Vec<bool> = table.tiles().map(|tile| tile.wanted).collect();
    assert_eq!(wanted, [true, false, true]);
    assert!(CellTable::new(Vec::new()).rows().is_empty());
}

#[test]
fn a_table_gives_its_columns_and_its_memory_away() {
    let budget = Budget::new(50);
    let mut table = table(&[]);
    table.hold(budget.take(20).unwrap());
    table.hold(budget.take(5).unwrap());
    assert_eq!(table.bytes_held(), 25);
    let held = table.take_held();
    assert_eq!((held.len(), table.bytes_held(), budget.used()), (2, 0, 25));
    drop(held);
    assert_eq!(budget.used(), 0);
    assert!(table.has(NUMBERS) && table.take(NUMBERS).is_some());
    assert!(!table.has(NUMBERS) && table.take(NUMBERS).is_none());
    assert!(table.column(NUMBERS).is_none() && table.column(TEXTS).is_some());
}

#[test]
fn numbers_are_read_where_they_were_put() {
    let numbers = [3, u64::MAX, 1 << 40];
    let column = TableColumn::of_numbers(&numbers).unwrap();
    let found = [0, 1, 2].map(|index| column.u64_at(row(index)).unwrap());
    assert_eq!(found, numbers);
    assert_eq!(column.cell(2).unwrap(), (1_u64 << 40).to_le_bytes());
    let what = "a column has fewer cells than its table";
    assert_eq!(column.u64_at(row(3)).unwrap_err().what, what);
    assert_eq!(column.cell(3).unwrap_err().what, what);
    let picked = column.at(&rows(&[2, 0, 2])).unwrap();
    assert_eq!(
        [0, 1, 2].map(|index| picked.u64_at(row(index)).unwrap()),
        [1 << 40, 3, 1 << 40]
    );
    assert!(column.at(&rows(&[3])).is_err());
    assert!(!column.lacks(first(3)));
}
