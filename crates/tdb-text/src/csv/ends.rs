//! Finds certain characters in a text, eight bytes at a time.

const LOW: u64 = u64::from_le_bytes([0x7f; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// Calls `each` with the position of every occurrence of these characters, in order, until it returns false.
#[inline]
pub(super) fn for_each_end<const N: usize>(
    text: &[u8],
    characters: [u8; N],
    mut each: impl FnMut(usize) -> bool,
) {
    let patterns = characters.map(|character| u64::from_le_bytes([character; 8]));
    let (words, rest) = text.as_chunks::<8>();
    let mut at = 0_usize;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let mut found = 0;
        for pattern in patterns {
            found |= zeros(word ^ pattern);
        }
        while found != 0 {
            // The set bit is the highest one of its byte.
            let byte = (found.trailing_zeros() / 8) as usize;
            if !each(at + byte) {
                return;
            }
            found &= found - 1;
        }
        at += 8;
    }
    for byte in rest {
        if characters.contains(byte) && !each(at) {
            return;
        }
        at += 1;
    }
}

/// Whether a text contains either of two bytes.
pub(super) fn has_any(text: &[u8], (first, second): (u8, u8)) -> bool {
    // The inner loop has no early exit, so that the compiler can vectorize it.
    let is_any = |any: u8, byte: &u8| any | u8::from(*byte == first) | u8::from(*byte == second);
    text.chunks(4096)
        .any(|bytes| bytes.iter().fold(0, is_any) != 0)
}

/// Sets the highest bit of each byte that is 0, and clears all other bits.
#[inline]
fn zeros(word: u64) -> u64 {
    !(((word & LOW) + LOW) | word) & HIGH
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_places_are_those_of_a_search_byte_by_byte(
            text in prop::collection::vec(prop::sample::select(&b",\n-\x00\x80\x8a\xac\xff"[..]), 0..70),
            most in 0_usize..80,
        ) {
            let naive = (0..text.len()).filter(|at| matches!(text[*at], b',' | b'\n'));
            let naive: Vec<usize> = naive.take(most.max(1)).collect();
            let mut found = Vec::new();
            for_each_end(&text, [b',', b'\n'], |at| {
                found.push(at);
                found.len() < most
            });
            prop_assert_eq!(found, naive);
            prop_assert_eq!(has_any(&text, (0, 0x8a)), text.contains(&0) || text.contains(&0x8a));
        }
    }
}
