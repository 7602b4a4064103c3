use proptest::prelude::*;

use super::sort_by_time;

/// Returns times of a small linear congruential generator, the same as in the program that produced the expected
/// answers.
fn times(count: u64, distinct: u64) -> Vec<(u64, u64)> {
    let mut state = count * 31 + distinct;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % distinct
    };
    (0..count).map(|index| (next(), index)).collect()
}

fn sorted(count: u64, distinct: u64) -> Vec<u64> {
    let mut items = times(count, distinct);
    sort_by_time(&mut items, |(time, _)| *time).unwrap();
    items.into_iter().map(|(_, index)| index).collect()
}

#[test]
fn seventeen_items_lie_as_libstdcxx_leaves_them() {
    let expected = [3, 4, 8, 16, 0, 15, 13, 11, 6, 2, 7, 5, 1, 9, 10, 12, 14];
    assert_eq!(sorted(17, 5), expected);
}

#[test]
fn any_number_of_items_lies_as_libstdcxx_leaves_them() {
    // Item count, distinct times, and FNV-1a of the resulting order, from `std::sort` of GCC 12.
    let answers: &[(u64, u64, u64)] = &[
        (16, 1, 0x7c84dc9477851775),
        (16, 5, 0x90ec8a4edab30cd3),
        (16, 9, 0xa3d3fe1801704327),
        (16, 13, 0x79979b4e32d5b51b),
        (17, 1, 0x93354466f7a37cef),
        (17, 5, 0xc8949b643680a083),
        (17, 9, 0x0df60ebbe223001d),
        (17, 13, 0x5c5edd22285d9657),
        (40, 1, 0x02eaa68a88888dc5),
        (40, 5, 0xb78ec72a9d857dcf),
        (40, 9, 0xa26f9ece34bb562d),
        (40, 13, 0xb6ff190de675a7b1),
        (100, 1, 0x8c9d94ab4e40269d),
        (100, 5, 0x09101a13166f33b9),
        (100, 9, 0x3af1c39d387f0545),
        (100, 13, 0x518f7a9307bd48cb),
        (1000, 1, 0x2f7b7ba900357825),
        (1000, 5, 0x4a7689374a9f0127),
        (1000, 9, 0x6990a253c38c0d71),
        (1000, 13, 0xfcbd6ea11679f5cd),
        (5000, 1, 0x3cff944e25c58815),
        (5000, 5, 0x964d99a8887f297f),
        (5000, 9, 0x08c9a5f4846a5523),
        (5000, 13, 0x5899107446ab04d9),
    ];
    for &(count, distinct, expected) in answers {
        let hash = sorted(count, distinct)
            .into_iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, index| {
                (hash ^ index).wrapping_mul(0x0100_0000_01b3)
            });
        assert_eq!(hash, expected, "{count} items of {distinct} times");
    }
}

proptest! {
    #[test]
    fn up_to_sixteen_items_keep_their_turn(times in prop::collection::vec(0_u64..4, 0..=16)) {
        let mut items: Vec<(u64, usize)> = times.into_iter().zip(0..).collect();
        let mut stable = items.clone();
        stable.sort_by_key(|(time, _)| *time);
        sort_by_time(&mut items, |(time, _)| *time).unwrap();
        prop_assert_eq!(items, stable);
    }

    #[test]
    fn nothing_is_lost_and_times_ascend(times in prop::collection::vec(0_u64..9, 0..200)) {
        let mut items: Vec<(u64, usize)> = times.into_iter().zip(0..).collect();
        let mut all = items.clone();
        sort_by_time(&mut items, |(time, _)| *time).unwrap();
        prop_assert!(items.is_sorted_by_key(|(time, _)| *time));
        items.sort_unstable();
        all.sort_unstable();
        prop_assert_eq!(items, all);
    }
}
