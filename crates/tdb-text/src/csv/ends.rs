//! The places of two characters in a text, found in words of eight bytes.

const LOW: u64 = u64::from_le_bytes([0x7f; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// Gives `each` the places of both characters, in their order, until it says that this is enough.
pub(super) fn for_each_end(
    text: &[u8],
    (first, second): (u8, u8),
    mut each: impl FnMut(usize) -> bool,
) {
    let (firsts, seconds) = (
        u64::from_le_bytes([first; 8]),
        u64::from_le_bytes([second; 8]),
    );
    let (words, rest) = text.as_chunks::<8>();
    let mut at = 0_usize;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let mut found = zeros(word ^ firsts) | zeros(word ^ seconds);
        while found != 0 {
            // The bit is the highest one of its byte.
            let byte = (found.trailing_zeros() / 8) as usize;
            if !each(at.saturating_add(byte)) {
                return;
            }
            found &= found.wrapping_sub(1);
        }
        at = at.saturating_add(8);
    }
    for byte in rest {
        if (*byte == first || *byte == second) && !each(at) {
            return;
        }
        at = at.saturating_add(1);
    }
}

/// The highest bit of each byte that is 0.
fn zeros(word: u64) -> u64 {
    !((word & LOW).wrapping_add(LOW) | word) & HIGH
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
            for_each_end(&text, (b',', b'\n'), |at| {
                found.push(at);
                found.len() < most
            });
            prop_assert_eq!(found, naive);
        }
    }
}
