//! Fields of fewer than 64 bits, packed into 64-bit words from the most significant bit down.
//!
//! A block of 64 fields of `width` bits fills exactly `width` words, so blocks do not depend on
//! each other.

use zerocopy::little_endian::U64;

/// Number of fields that are packed together.
pub(crate) const BLOCK: usize = 64;

/// The number of words that hold `fields` fields; unused bits of the last word are 0.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "a field has at most 64 bits, so there are no more words than fields"
)]
pub(crate) fn words(fields: usize, width: u32) -> usize {
    let (blocks, left) = (fields / BLOCK, fields % BLOCK);
    blocks * width as usize + (left * width as usize).div_ceil(BLOCK)
}

/// Packs a block of fields into `words`. For an incomplete last block, `words` is shorter, and
/// fields beyond it are ignored.
pub(crate) fn pack(fields: &[u64; BLOCK], width: u32, words: &mut [U64]) {
    match width {
        0..=8 => pack_by::<8>(fields, width, words),
        9..=16 => pack_by::<4>(fields, width, words),
        17..=32 => pack_by::<2>(fields, width, words),
        _ => pack_by::<1>(fields, width, words),
    }
}

/// Packs fields so narrow that `G` of them fit into a word. The fields of a group are joined first,
/// so that the loop over words runs once per group.
fn pack_by<const G: usize>(fields: &[u64; BLOCK], width: u32, words: &mut [U64]) {
    let mut places = words.iter_mut();
    #[expect(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        reason = "a group has at most eight fields, which fit into 64 bits"
    )]
    let joined = width * G as u32;
    // The free bits of the window are its least significant ones.
    let (mut window, mut free) = (0_u64, u64::BITS);
    for group in fields.as_chunks::<G>().0 {
        let group = group
            .iter()
            .fold(0_u64, |all, field| all.unbounded_shl(width) | field);
        if let Some(left @ 1..) = free.checked_sub(joined) {
            window |= group.unbounded_shl(left);
            free = left;
            continue;
        }
        #[expect(
            clippy::arithmetic_side_effects,
            reason = "the group has from `free` to 64 bits"
        )]
        let beyond = joined - free;
        let Some(place) = places.next() else {
            return;
        };
        place.set(window | group.unbounded_shr(beyond));
        // It does not wrap: no more bits than the group has are beyond.
        free = u64::BITS.wrapping_sub(beyond);
        window = group.unbounded_shl(free);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference implementation: bit by bit.
    fn plain(fields: &[u64], width: u32) -> Vec<u64> {
        let mut out = vec![0; words(fields.len(), width)];
        let bits = |field: &u64| {
            (0..width)
                .rev()
                .map(|bit| *field >> bit & 1)
                .collect::<Vec<_>>()
        };
        for (place, bit) in fields.iter().flat_map(bits).enumerate() {
            out[place / 64] |= bit << (63 - place % 64);
        }
        out
    }

    #[test]
    fn all_widths_and_counts_are_packed_as_in_the_plain_form() {
        let mut random = 1_u64;
        for width in 1..64 {
            for count in 0..=BLOCK {
                let mut fields = [0; BLOCK];
                for field in fields.iter_mut().take(count) {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    *field = random >> (64 - width);
                }
                let mut packed = vec![U64::new(0xa5a5); words(count, width)];
                pack(&fields, width, &mut packed);
                let packed: Vec<u64> = packed.iter().map(|word| word.get()).collect();
                assert_eq!(
                    packed,
                    plain(&fields[..count], width),
                    "{width} bits, {count}"
                );
            }
        }
    }
}
