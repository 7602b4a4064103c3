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

/// The reference implementation: bit by bit, in blocks; bytes of a block after its last whole group
/// of eight values are copied.
fn plain(size: usize, values: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for block in values.chunks(BLOCK) {
        let whole = block.len() / (size * 8) * (size * 8);
        let count = whole / size;
        for bit in 0..size * 8 {
            let bits: Vec<u8> = (0..count)
                .map(|value| block[value * size + bit / 8] >> (bit % 8) & 1)
                .collect();
            out.extend(bits.chunks(8).map(|bits| {
                let places = bits.iter().enumerate();
                places.map(|(place, bit)| bit << place).sum::<u8>()
            }));
        }
        out.extend_from_slice(&block[whole..]);
    }
    out
}

fn shuffle_as_it_is(size: usize, values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
    Shuffle(size).run(values, planes)
}

fn unshuffle_as_it_is(size: usize, planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
    Unshuffle(size).run(planes, values)
}

#[test]
fn all_lengths_and_places_are_shuffled_as_in_the_plain_form() {
    let all = noise(3 * BLOCK);
    for size in [1, 2, 4, 8] {
        for len in (0..=700).chain([BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 333]) {
            let start = len % 37;
            let values = &all[start..start + len];
            let wanted = plain(size, values);
            for run in [shuffle_bits, shuffle_as_it_is] {
                let mut planes = vec![0xa5; start + len + 40];
                run(size, values, &mut planes[start..start + len]).unwrap();
                assert_eq!(planes[start..start + len], wanted, "{size} bytes, {len}");
                assert!(planes[start + len..].iter().all(|byte| *byte == 0xa5));
            }
            for run in [unshuffle_bits, unshuffle_as_it_is] {
                let mut back = vec![0xa5; start + len + 40];
                run(size, &wanted, &mut back[start..start + len]).unwrap();
                assert_eq!(back[start..start + len], *values, "{size} bytes, {len}");
                assert!(back[start + len..].iter().all(|byte| *byte == 0xa5));
            }
        }
    }
}

#[test]
fn values_of_a_size_that_no_type_has_are_a_bug() {
    for size in [0, 3, 16] {
        assert!(shuffle_bits(size, &[1; 96], &mut [0; 96]).is_err());
        assert!(unshuffle_bits(size, &[1; 96], &mut [0; 96]).is_err());
    }
}
