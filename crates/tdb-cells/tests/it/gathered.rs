//! Cells picked from the columns of a table.
#![expect(
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

use bytes::Bytes;
use proptest::prelude::*;
use tdb_cells::{CellsError, Gathered, TableColumn, copy_text, gather, gather_set};
use tdb_schema::CellValNum;
use tdb_tile::Datatype;

use crate::support::{buffer, cases, field, first, joined, places, rows, session, set_of};

/// The cells of a column, which may be null; `size` is set if all have the same size.
#[derive(Clone, Debug)]
struct Cells {
    cells: Vec<Vec<u8>>,
    size: Option<usize>,
    valid: Option<Vec<u8>>,
}

fn cells() -> impl Strategy<Value = Cells> {
    let fixed = (0_usize..10, 0_usize..150).prop_flat_map(|(size, count)| {
        let cell = prop::collection::vec(any::<u8>(), size);
        (prop::collection::vec(cell, count), Just(Some(size)))
    });
    let text = prop::collection::vec(any::<u8>(), 0..25);
    let var = (prop::collection::vec(text, 0..60), Just(None));
    let valid = prop::option::of(prop::collection::vec(0_u8..3, 150));
    (prop_oneof![fixed, var], valid).prop_map(|((cells, size), mut valid)| {
        if let Some(valid) = &mut valid {
            valid.truncate(cells.len());
        }
        Cells { cells, size, valid }
    })
}

impl Cells {
    fn column(&self) -> TableColumn {
        let (values, offsets) = joined(&self.cells);
        TableColumn {
            values: buffer(&values),
            cell_size: self.size.unwrap_or(1),
            offsets: self.size.is_none().then_some(offsets),
            validity: self.valid.clone(),
            missing: Vec::new(),
        }
    }

    /// The expected parts of a result column with the cells at these places.
    fn at(&self, places: &[usize]) -> (Vec<u8>, Option<Vec<u8>>, Option<Vec<u8>>) {
        let picked: Vec<Vec<u8>> = places.iter().map(|row| self.cells[*row].clone()).collect();
        let (values, offsets) = joined(&picked);
        let offsets = offsets.into_iter().flat_map(u64::to_le_bytes).collect();
        let valid = self.valid.as_ref().map(|valid| {
            let mut bits = vec![0_u8; places.len().div_ceil(8)];
            for (place, row) in places.iter().enumerate() {
                bits[place / 8] |= u8::from(valid[*row] > 0) << (place % 8);
            }
            bits
        });
        (values, self.size.is_none().then_some(offsets), valid)
    }
}

fn parts(gathered: Result<Gathered, CellsError>) -> (Vec<u8>, Option<Vec<u8>>, Option<Vec<u8>>) {
    let gathered = gathered.expect("rows that are there");
    let bytes = |bytes: Bytes| bytes.to_vec();
    (
        bytes(gathered.values),
        gathered.offsets.map(bytes),
        gathered.validity.map(bytes),
    )
}

/// Whether the error says that there are too few cells.
fn is_refused(gathered: Result<Gathered, CellsError>) -> bool {
    let what = "a column has fewer cells than were chosen of it";
    matches!(gathered, Err(CellsError::Bug(bug)) if bug.what == what)
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn cells_come_in_the_order_in_which_they_are_asked_for(
        cells in cells(), picks in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let count = cells.cells.len();
        let picks: Vec<usize> = picks.iter().filter(|_| count > 0).map(|pick| pick.index(count)).collect();
        prop_assert_eq!(parts(gather(cells.column(), Some(&rows(&picks)))), cells.at(&picks));
        let all: Vec<usize> = (0..count).collect();
        prop_assert_eq!(parts(gather(cells.column(), None)), cells.at(&all));
        let column = cells.column().at(&rows(&picks)).unwrap();
        prop_assert_eq!(parts(gather(column, None)), cells.at(&picks));
    }

    #[test]
    fn cells_of_a_set_come_in_the_order_of_the_table(
        cells in cells(), mask in prop::collection::vec(any::<bool>(), 150), is_most: bool,
    ) {
        // Whole words are in the set, or all but a few of their cells.
        let is_in = |(row, is_in): (usize, &bool)| if is_most { row < 64 || row % 9 > 0 } else { *is_in };
        let mask: Vec<bool> = mask.iter().enumerate().map(is_in).take(cells.cells.len()).collect();
        let set = set_of(&mask);
        let kept = places(&set.to_rows());
        prop_assert_eq!(parts(gather_set(cells.column(), &set)), cells.at(&kept));
    }

    #[test]
    fn rows_that_a_column_lacks_are_refused(cells in cells(), beyond in 0_usize..5) {
        // Cells of zero bytes exist at any row.
        prop_assume!(cells.size != Some(0) || cells.valid.is_some());
        let count = cells.cells.len();
        let lacking = rows(&[count + beyond]);
        prop_assert!(is_refused(gather(cells.column(), Some(&lacking))));
        prop_assert!(cells.column().at(&lacking).is_err());
    }

    #[test]
    fn a_set_of_rows_that_a_column_lacks_is_refused(
        cells in cells(), mask in prop::collection::vec(any::<bool>(), 150), beyond in 0_usize..5,
    ) {
        // Cells of zero bytes exist at any row.
        prop_assume!(cells.size != Some(0) || cells.valid.is_some());
        let mut mask: Vec<bool> = mask.into_iter().take(cells.cells.len() + beyond).collect();
        mask.push(true);
        prop_assert!(is_refused(gather_set(cells.column(), &set_of(&mask))));
        // As many rows as there are cells, but not the first ones.
        let mut mask = vec![false; cells.cells.len()];
        mask.extend(vec![true; cells.cells.len().max(1)]);
        prop_assert!(is_refused(gather_set(cells.column(), &set_of(&mask))));
    }

    #[test]
    fn texts_are_copied_one_behind_the_other(texts in prop::collection::vec(0_usize..40, 1..6), start in 0_usize..30) {
        let values: Vec<u8> = (0..=255).collect();
        let cells: Vec<_> = texts.iter().map(|len| start..start + len).collect();
        let model: Vec<u8> = cells.iter().flat_map(|cell| &values[cell.clone()]).copied().collect();
        let mut out = vec![0; model.len()];
        let mut rest = &mut out[..];
        for cell in &cells {
            rest = copy_text(&values, cell.clone(), rest).unwrap();
        }
        prop_assert!(rest.is_empty());
        prop_assert_eq!(out, model);
        let short = texts[0].saturating_sub(1);
        prop_assert_eq!(copy_text(&values, cells[0].clone(), &mut vec![0; short]).is_some(), texts[0] == 0);
    }
}

#[test]
fn many_cells_are_gathered_on_all_threads() {
    let count = 140_000_u32;
    let values: Vec<u8> = (0..count).flat_map(u32::to_le_bytes).collect();
    let column = || TableColumn {
        values: buffer(&values),
        cell_size: 4,
        ..TableColumn::default()
    };
    let all: Vec<_> = first(140_000).iter().rev().collect();
    let reversed = session(2).install(|| gather(column(), Some(&all))).unwrap();
    let model = (0..count).rev().flat_map(u32::to_le_bytes);
    assert!(model.eq(reversed.values));
    let mask: Vec<bool> = (0..count).map(|row| row % 1_000 > 2).collect();
    let kept = session(2)
        .install(|| gather_set(column(), &set_of(&mask)))
        .unwrap();
    let model = (0..count).filter(|row| row % 1_000 > 2);
    assert!(model.flat_map(u32::to_le_bytes).eq(kept.values));
}

#[test]
fn what_was_gathered_is_a_column_of_its_field() {
    let values = [7_u8, 8, 9];
    let column = TableColumn {
        values: buffer(&values),
        cell_size: 1,
        validity: Some(vec![1, 0, 1]),
        ..TableColumn::default()
    };
    let mut field = field("rain", Datatype::UInt8);
    field.nullable = true;
    let column = gather(column, None).unwrap().column(&field);
    assert_eq!(
        (column.name.as_str(), column.datatype),
        ("rain", Datatype::UInt8)
    );
    assert_eq!(
        (column.cell_val_num, column.nullable),
        (CellValNum::Fixed(1), true)
    );
    assert_eq!(column.numbers::<u8>().unwrap().collect::<Vec<_>>(), values);
    assert_eq!(
        [0, 1, 2].map(|row| column.is_valid(row)),
        [true, false, true]
    );
    // Arrow recommends this alignment.
    assert_eq!(column.values.as_ptr().align_offset(64), 0);
}
