//! Sets of cells behave like lists of `bool`.

use proptest::prelude::*;
use tdb_cells::{CellSet, Row, RowRange};
use tdb_tile::Bug;

use crate::support::{cases, first, places, row, rows, set_of};

/// Runs of rows that are all in the set or all not in it, long enough to fill whole words.
fn model() -> impl Strategy<Value = Vec<bool>> {
    let mixed = prop::collection::vec(any::<bool>(), 0..200);
    let runs = prop::collection::vec((any::<bool>(), 0_usize..150), 0..6);
    let runs = runs.prop_map(|runs| {
        let run = |(is_in, len)| std::iter::repeat_n(is_in, len);
        runs.into_iter().flat_map(run).collect()
    });
    prop_oneof![mixed, runs]
}

/// Two lists of the same length.
fn pair() -> impl Strategy<Value = (Vec<bool>, Vec<bool>)> {
    (model(), model()).prop_map(|(mut a, mut b)| {
        let len = a.len().min(b.len());
        a.truncate(len);
        b.truncate(len);
        (a, b)
    })
}

/// The rows that are in the set.
fn held(model: &[bool]) -> Vec<usize> {
    let held = model.iter().enumerate().filter(|(_, is_in)| **is_in);
    held.map(|(row, _)| row).collect()
}

/// Asks the set for each row.
fn asked(set: &CellSet) -> Result<Vec<bool>, Bug> {
    let rows = RowRange::first(set.rows()).expect("a set of rows that can be numbered");
    rows.iter().map(|row| set.contains(row)).collect()
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_set_tells_of_each_row_in_every_way(model in model(), not_zero in 1_u8..=255) {
        let bytes: Vec<u8> = model.iter().map(|is_in| if *is_in { not_zero } else { 0 }).collect();
        let set = CellSet::of_bytes(&bytes).unwrap();
        let held = held(&model);
        prop_assert_eq!(&set, &set_of(&model));
        prop_assert_eq!(asked(&set).unwrap(), &model[..]);
        prop_assert_eq!((set.rows(), set.count()), (model.len(), held.len()));
        prop_assert_eq!(set.iter().map(Row::index).collect::<Vec<_>>(), &held[..]);
        prop_assert_eq!(places(&set.to_rows()), &held[..]);
        let bitmap = set.to_bitmap().unwrap();
        let mut bits = vec![0_u8; model.len().div_ceil(8)];
        held.iter().for_each(|row| bits[row / 8] |= 1 << (row % 8));
        prop_assert_eq!(bitmap.as_slice(), bits);
    }

    #[test]
    fn sets_are_joined_row_by_row((a, b) in pair()) {
        let joined = |join: fn(&mut CellSet, &CellSet) -> Result<(), Bug>| {
            let mut set = set_of(&a);
            join(&mut set, &set_of(&b)).unwrap();
            asked(&set).unwrap()
        };
        let model = |join: fn(bool, bool) -> bool| -> Vec<bool> {
            a.iter().zip(&b).map(|(a, b)| join(*a, *b)).collect()
        };
        prop_assert_eq!(joined(CellSet::add), model(|a, b| a || b));
        prop_assert_eq!(joined(CellSet::keep), model(|a, b| a && b));
        prop_assert_eq!(joined(CellSet::remove), model(|a, b| a && !b));
        let mut longer = b.clone();
        longer.push(true);
        for join in [CellSet::add, CellSet::keep, CellSet::remove] {
            let mut set = set_of(&a);
            let bug = join(&mut set, &set_of(&longer)).unwrap_err();
            prop_assert_eq!(bug.what, "two sets of cells of different tables");
            prop_assert_eq!(asked(&set).unwrap(), &a[..]);
        }
    }

    #[test]
    fn sets_stand_one_behind_the_other(models in prop::collection::vec(model(), 0..5)) {
        let mut sets: Vec<CellSet> = models.iter().map(|model| set_of(model)).collect();
        prop_assert_eq!(asked(&CellSet::concat(&sets).unwrap()).unwrap(), models.concat());
        // Sets made by `all` have bits set after their last row.
        sets = models.iter().map(|model| CellSet::all(first(model.len()))).collect();
        let all = CellSet::concat(&sets).unwrap();
        prop_assert_eq!((all.count(), all.rows()), (models.concat().len(), models.concat().len()));
        prop_assert_eq!(all.to_rows().len(), all.rows());
    }

    #[test]
    fn rows_are_taken_out_of_a_part((model, goes) in pair(), start in 0_usize..200, len in 0_usize..200) {
        let start = start.min(model.len());
        let end = model.len().min(start + len);
        let range = first(start).next(end - start).unwrap();
        let (mut set, mut chosen) = (set_of(&model), set_of(&model));
        set.remove_rows(range).unwrap();
        chosen.remove_where(range, |row| Ok(goes[row.index()])).unwrap();
        let (mut without, mut rest) = (model.clone(), model.clone());
        without[start..end].fill(false);
        (start..end).filter(|row| goes[*row]).for_each(|row| rest[row] = false);
        prop_assert_eq!(asked(&set).unwrap(), without);
        prop_assert_eq!(asked(&chosen).unwrap(), rest);
    }

    #[test]
    fn a_list_keeps_its_order_and_loses_what_a_set_lacks(
        model in model(), places_in in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        prop_assume!(!model.is_empty());
        let list: Vec<usize> = places_in.iter().map(|place| place.index(model.len())).collect();
        let mut found = rows(&list);
        set_of(&model).keep_in(&mut found).unwrap();
        let kept: Vec<usize> = list.into_iter().filter(|row| model[*row]).collect();
        prop_assert_eq!(places(&found), kept);
    }

    #[test]
    fn cells_that_a_set_lacks_get_a_value(model in model(), size in 1_usize..18) {
        let mut cells: Vec<u8> = (0..model.len() * size).map(|i| (i % 100).to_le_bytes()[0]).collect();
        let value: Vec<u8> = (200..).take(size).collect();
        let mut wanted = cells.clone();
        for (cell, _) in wanted.chunks_mut(size).zip(&model).filter(|(_, is_in)| !**is_in) {
            cell.copy_from_slice(&value);
        }
        set_of(&model).fill_lacking(&mut cells, &value).unwrap();
        prop_assert_eq!(&cells, &wanted);
        set_of(&model).fill_lacking(&mut cells, &[]).unwrap();
        prop_assert_eq!(&cells, &wanted);
        cells.push(0);
        prop_assert!(set_of(&model).fill_lacking(&mut cells, &value).is_err());
    }
}

#[test]
fn many_cells_that_a_set_lacks_get_a_value_on_all_threads() {
    // More cells than one task handles.
    let model: Vec<bool> = (0..150_001_usize).map(|row| row * 7 % 11 < 4).collect();
    let numbers = (0_u32..).take(model.len());
    let mut cells: Vec<u8> = numbers.clone().flat_map(u32::to_le_bytes).collect();
    let session = crate::support::session(2);
    let filled = session.install(|| set_of(&model).fill_lacking(&mut cells, &7_u32.to_le_bytes()));
    filled.unwrap();
    let wanted = numbers
        .zip(&model)
        .map(|(number, is_in)| if *is_in { number } else { 7 });
    assert!(wanted.flat_map(u32::to_le_bytes).eq(cells));
}

#[test]
fn a_set_of_a_range_tells_of_all_rows_up_to_its_end() {
    let range = first(3).next(70).unwrap();
    assert_eq!(
        (CellSet::none(range).rows(), CellSet::none(range).count()),
        (73, 0)
    );
    assert_eq!(
        (CellSet::all(range).rows(), CellSet::all(range).count()),
        (73, 73)
    );
    let even = CellSet::of_rows(range, |row| Ok::<_, Bug>(row.index() % 2 == 0)).unwrap();
    assert_eq!(even.iter().next(), Some(row(4)));
    assert_eq!((even.rows(), even.count()), (73, 35));
}

#[test]
fn rows_that_a_set_does_not_tell_of_are_refused() {
    let mut set = CellSet::all(first(64));
    assert!(set.contains(row(63)).unwrap());
    assert_eq!(
        set.contains(row(64)).unwrap_err().what,
        "a row that a set of cells does not tell of"
    );
    let beyond = first(60).next(5).unwrap();
    assert!(set.remove_rows(beyond).is_err());
    assert!(set.remove_where(beyond, |_| Ok(true)).is_err());
    assert!(set.keep_in(&mut rows(&[1, 64])).is_err());
    assert_eq!(set.count(), 64);
    let fails = CellSet::of_rows(first(9), |row| {
        if row.index() == 5 {
            Err("five")
        } else {
            Ok(true)
        }
    });
    assert_eq!(fails, Err("five"));
    let bug = Bug::new("five");
    let found = set.remove_where(first(9), |row| {
        if row.index() == 5 {
            Err(bug)
        } else {
            Ok(false)
        }
    });
    assert_eq!(found, Err(bug));
}
