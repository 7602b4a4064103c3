#![allow(clippy::cast_possible_truncation, reason = "random bytes")]

use super::*;

/// Random bytes, so that no two neighbours are alike.
fn noise(len: usize) -> Vec<u8> {
    let mut random = 1_u64;
    let bytes = std::iter::repeat_with(|| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 32) as u8
    });
    bytes.take(len).collect()
}

/// The reference implementation: byte by byte.
fn plain(size: usize, values: &[u8]) -> Vec<u8> {
    let whole = values.len() / size * size;
    let (values, rest) = values.split_at(whole);
    let planes = (0..size).flat_map(|byte| values.iter().skip(byte).step_by(size));
    planes.chain(rest).copied().collect()
}

#[test]
fn all_lengths_and_places_are_shuffled_as_in_the_plain_form() {
    let all = noise(1200);
    for size in [1, 2, 4, 8] {
        for len in (0..=560).chain([1000, 1111]) {
            let start = len % 37;
            let values = &all[start..start + len];
            let wanted = plain(size, values);
            // The slice begins at any alignment, and the bytes around it must not change.
            for run in [shuffle, shuffle_values] {
                let mut planes = vec![0xa5; start + len + 40];
                run(size, values, &mut planes[start..start + len]).unwrap();
                assert_eq!(planes[start..start + len], wanted, "{size} bytes, {len}");
                assert!(planes[start + len..].iter().all(|byte| *byte == 0xa5));
            }
            for run in [unshuffle, unshuffle_planes] {
                let mut back = vec![0xa5; start + len + 40];
                run(size, &wanted, &mut back[start..start + len]).unwrap();
                assert_eq!(back[start..start + len], *values, "{size} bytes, {len}");
                assert!(back[start + len..].iter().all(|byte| *byte == 0xa5));
            }
        }
    }
}

#[test]
fn slices_of_other_lengths_are_a_bug() {
    assert!(shuffle(4, &[0; 8], &mut [0; 9]).is_err());
    assert!(unshuffle(4, &[0; 9], &mut [0; 8]).is_err());
}
