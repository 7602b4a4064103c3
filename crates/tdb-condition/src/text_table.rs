//! Quick look-up of texts in a list.

use bytes::Bytes;

/// Longest list that gets a table: a longer one would not stay in the processor's cache.
const MOST_MEMBERS: usize = 1024;

/// Slots for each member.
const SLOTS_EACH: usize = 4;

/// Maximum number of slots that are looked at for one text.
const PROBES: usize = 16;

/// Longest text that its ends contain.
const WITHIN_ENDS: usize = 16;

/// Hash table of texts. A look-up reads two words of most texts, a binary search compares several members with them.
#[derive(Debug)]
pub(crate) struct TextTable<'a> {
    /// A power of two.
    slots: Vec<Option<Slot<'a>>>,
    mask: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot<'a> {
    ends: Ends,
    member: &'a [u8],
}

/// First and last bytes of a text. Texts of the same length, up to [`WITHIN_ENDS`], with the same ends are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ends {
    first: u64,
    last: u64,
}

impl<'a> TextTable<'a> {
    /// Creates the table of a list in which `cells` texts are looked up; `None` if a search in the list is as good.
    pub(crate) fn new(members: &'a [Bytes], cells: usize) -> Option<Self> {
        if members.len() > MOST_MEMBERS.min(cells) {
            return None;
        }
        let slots = members.len().checked_mul(SLOTS_EACH)?;
        let size = slots.checked_next_power_of_two()?;
        let mut table = Self {
            slots: vec![None; size],
            mask: size.checked_sub(1)?,
        };
        for member in members {
            let ends = Ends::of(member);
            let mut places = table.places(ends);
            let free = places.find(|place| matches!(table.slots.get(*place), Some(None)))?;
            *table.slots.get_mut(free)? = Some(Slot { ends, member });
        }
        Some(table)
    }

    pub(crate) fn has(&self, text: &[u8]) -> bool {
        let ends = Ends::of(text);
        for place in self.places(ends) {
            let Some(Some(slot)) = self.slots.get(place) else {
                return false;
            };
            if slot.ends == ends
                && slot.member.len() == text.len()
                && (text.len() <= WITHIN_ENDS || slot.member == text)
            {
                return true;
            }
        }
        false
    }

    /// Returns the slots of a text, in the order in which they are taken.
    fn places(&self, ends: Ends) -> impl Iterator<Item = usize> + use<> {
        let (start, mask) = (ends.mixed(), self.mask);
        (0..PROBES).map(move |step| (start ^ step) & mask)
    }
}

impl Ends {
    fn of(text: &[u8]) -> Self {
        if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
            return Self {
                first: u64::from_le_bytes(*first),
                last: u64::from_le_bytes(*last),
            };
        }
        if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
            return Self {
                first: u32::from_le_bytes(*first).into(),
                last: u32::from_le_bytes(*last).into(),
            };
        }
        let first = text.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
        Self { first, last: 0 }
    }

    /// Returns bits that all bytes of the ends change.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the product of two numbers of 64 bits has 128"
    )]
    fn mixed(self) -> usize {
        // Digits of pi, so that neither factor is zero where a text is empty or has zeros.
        let first = u128::from(self.first ^ 0x243f_6a88_85a3_08d3);
        let last = u128::from(self.last ^ 0x1319_8a2e_0370_7344);
        let product = first * last;
        (product >> 64 ^ product) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(texts: &[&str]) -> Vec<Bytes> {
        let mut list: Vec<Bytes> = texts.iter().map(|text| text.to_string().into()).collect();
        list.sort();
        list
    }

    #[test]
    fn texts_of_all_lengths_are_found_and_others_are_not() {
        let text = "abcdefghijklmnopqrstuvwxyz0123456789";
        let members: Vec<&str> = (0..text.len()).step_by(2).map(|end| &text[..end]).collect();
        let members = list(&members);
        let table = TextTable::new(&members, 100).unwrap();
        for end in 0..text.len() {
            assert_eq!(table.has(&text.as_bytes()[..end]), end % 2 == 0, "{end}");
        }
        // Same ends, and the same length.
        assert!(!table.has(b"abcdefgh..klmnopqr"));
        assert!(!table.has(b"\0"));
    }

    #[test]
    fn texts_with_the_same_ends_are_told_apart() {
        // Not more than the slots that are looked at.
        let texts: Vec<String> = (0..10).map(|n| format!("aaaaaaaa{n}bbbbbbbb")).collect();
        let members = list(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let table = TextTable::new(&members, 100).unwrap();
        for text in &texts {
            assert!(table.has(text.as_bytes()));
        }
        assert!(!table.has(b"aaaaaaaaxbbbbbbbb"));
        // Too many of them would make each look-up long.
        let texts: Vec<String> = (10..50).map(|n| format!("aaaaaaaa{n}bbbbbbbb")).collect();
        let members = list(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(TextTable::new(&members, 100).is_none());
    }

    #[test]
    fn lists_that_are_longer_than_what_is_looked_up_get_no_table() {
        let members = list(&["a", "b", "c"]);
        assert!(TextTable::new(&members, 2).is_none());
        assert!(!TextTable::new(&[], 2).unwrap().has(b""));
    }
}
