//! Rows, ranges of rows, and lists of them.

use proptest::prelude::*;
use tdb_cells::{Row, RowList, RowRange};

use crate::support::{cases, first, places, row, rows};

/// The maximum number of rows.
const MOST: usize = u32::MAX as usize;

fn indices(list: impl RowList) -> Vec<usize> {
    list.rows().map(Row::index).collect()
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn ranges_follow_each_other_without_a_gap(counts in prop::collection::vec(0_usize..5, 1..6)) {
        let (mut range, mut start) = (RowRange::default(), 0);
        for count in &counts {
            range = range.next(*count).unwrap();
            let model: Vec<usize> = (start..start + count).collect();
            prop_assert_eq!((range.start(), range.end(), range.len()), (start, start + count, *count));
            prop_assert_eq!(range.indices(), start..start + count);
            prop_assert_eq!(range.is_empty(), *count == 0);
            prop_assert_eq!(range.last().map(Row::index), model.last().copied());
            prop_assert_eq!(range.iter().map(Row::index).collect::<Vec<_>>(), model);
            start += count;
        }
        prop_assert_eq!(first(0).until(range), first(start));
        prop_assert_eq!(range.until(first(0)), range);
    }

    #[test]
    fn parts_of_a_list_are_the_list(before in 0_usize..5, count in 0_usize..20, most in 0_usize..7) {
        let range = first(before).next(count).unwrap();
        let list: Vec<Row> = range.iter().collect();
        let model: Vec<usize> = (before..before + count).collect();
        let chunks: Vec<Vec<usize>> = model.chunks(most.max(1)).map(<[usize]>::to_vec).collect();
        let of_range: Vec<_> = range.parts(most).into_iter().map(indices).collect();
        let of_list: Vec<_> = (&list[..]).parts(most).into_iter().map(indices).collect();
        prop_assert_eq!(&of_range, &chunks);
        prop_assert_eq!(&of_list, &chunks);
        prop_assert_eq!((range.count(), (&list[..]).count()), (count, count));
        prop_assert_eq!(indices(range), model);
        prop_assert_eq!(range.are_all(before + count), before == 0);
    }
}

#[test]
fn no_more_rows_are_numbered_than_32_bits_tell_apart() {
    assert_eq!(Row::new(MOST).unwrap().index(), MOST);
    let error = Row::new(MOST + 1).unwrap_err();
    assert_eq!((error.asked, error.allowed), (1 << 32, MOST as u64));
    assert_eq!(first(MOST).len(), MOST);
    assert_eq!(first(MOST).last(), Some(row(MOST - 1)));
    assert!(RowRange::first(MOST + 1).is_err());
    assert!(first(MOST).next(0).is_ok() && first(MOST).next(1).is_err());
    assert!(first(1).next(usize::MAX).is_err());
}

#[test]
fn only_a_range_is_known_to_be_all_rows() {
    assert!(first(3).are_all(3) && !first(3).are_all(4) && !first(2).are_all(1));
    assert!(!(&rows(&[0, 1, 2])[..]).are_all(3));
    assert!(row(1) < row(2));
    assert_eq!(places(&rows(&[4, 2])), [4, 2]);
}
