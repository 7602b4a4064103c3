//! The binary form of groups in the temporary folder.

use tdb_tile::Bug;

use crate::accumulator::{Accumulator, Extreme};
use crate::field_states::FieldStates;
use crate::groups::Key;
use crate::number::Number;
use crate::states::{GroupState, States};

/// Tags of a minimum or maximum: absent, integer, float, bytes. `NONE` also represents a null key.
const NONE: u8 = 0;
const WHOLE: u8 = 1;
const FLOAT: u8 = 2;
const BYTES: u8 = 3;

/// Bytes of the length in front of each group.
const LENGTH: usize = 8;

/// Appends a group: its length, its keys, its number of cells, and its state for each field.
#[expect(clippy::arithmetic_side_effects, reason = "a length of 64 bits in 128")]
pub(crate) fn write<'s>(
    out: &mut Vec<u8>,
    key: &Key,
    cells: u64,
    fields: impl Iterator<Item = (&'s FieldStates, &'s Accumulator)>,
) -> Result<(), Bug> {
    let start = out.len();
    out.extend_from_slice(&[0; LENGTH]);
    for value in key.iter() {
        match value {
            None => out.push(NONE),
            Some(bytes) => {
                write_number(out, bytes.len() as u128 + 1);
                out.extend_from_slice(bytes);
            }
        }
    }
    write_number(out, cells.into());
    for (field, known) in fields {
        write_number(out, known.count.into());
        write_number(out, known.nulls.into());
        if field.needs_sum {
            write_signed(out, known.whole);
            out.extend_from_slice(&known.float.to_le_bytes());
        }
        if field.needs_extremes {
            write_extreme(out, known.least.as_ref());
            write_extreme(out, known.greatest.as_ref());
        }
    }
    let (length, group) = out
        .get_mut(start..)
        .and_then(|group| group.split_at_mut_checked(LENGTH))
        .ok_or_else(|| Bug::new("a group without room for its length"))?;
    length.copy_from_slice(&(group.len() as u64).to_le_bytes());
    Ok(())
}

fn write_extreme(out: &mut Vec<u8>, extreme: Option<&Extreme>) {
    match extreme {
        None => out.push(NONE),
        Some(Extreme::Number(Number::Whole(value))) => {
            out.push(WHOLE);
            write_signed(out, *value);
        }
        Some(Extreme::Number(Number::Float(value))) => {
            out.push(FLOAT);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Some(Extreme::Bytes(text)) => {
            out.push(BYTES);
            write_number(out, text.len() as u128);
            out.extend_from_slice(text);
        }
    }
}

/// Writes a number as a varint: seven bits per byte, lowest first; the high bit means that more follow.
fn write_number(out: &mut Vec<u8>, mut number: u128) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            out.push(low & 0x7f);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Writes a signed number in zigzag form, so that small numbers of either sign take few bytes.
fn write_signed(out: &mut Vec<u8>, number: i128) {
    write_number(
        out,
        (number.cast_unsigned() << 1) ^ (number >> 127).cast_unsigned(),
    );
}

/// Decoder for the groups of a block. Its methods return `None` if the bytes are damaged.
#[derive(Clone, Debug)]
pub(crate) struct Unpacking<'a>(pub(crate) &'a [u8]);

impl<'a> Unpacking<'a> {
    /// Returns the bytes of the next group.
    pub(crate) fn group(&mut self) -> Option<&'a [u8]> {
        let len = u64::from_le_bytes(self.array()?);
        self.bytes(usize::try_from(len).ok()?)
    }

    /// Returns the next key of a group; `Some(None)` is null.
    pub(crate) fn value(&mut self) -> Option<Option<&'a [u8]>> {
        match usize::try_from(self.number()?).ok()?.checked_sub(1) {
            None => Some(None),
            Some(len) => Some(Some(self.bytes(len)?)),
        }
    }

    /// Returns the state of a group, and checks that no bytes are left.
    pub(crate) fn state(&mut self, states: &States) -> Option<GroupState> {
        let cells = u64::try_from(self.number()?).ok()?;
        let fields = states
            .fields
            .iter()
            .map(|field| {
                let mut known = Accumulator {
                    count: u64::try_from(self.number()?).ok()?,
                    nulls: u64::try_from(self.number()?).ok()?,
                    ..Accumulator::default()
                };
                if field.needs_sum {
                    known.whole = self.signed()?;
                    known.float = f64::from_le_bytes(self.array()?);
                }
                if field.needs_extremes {
                    known.least = self.extreme()?;
                    known.greatest = self.extreme()?;
                }
                Some(known)
            })
            .collect::<Option<Vec<_>>>()?;
        self.0.is_empty().then_some(GroupState { cells, fields })
    }

    fn extreme(&mut self) -> Option<Option<Extreme>> {
        let [kind] = self.array()?;
        Some(match kind {
            NONE => None,
            WHOLE => Some(Extreme::Number(Number::Whole(self.signed()?))),
            FLOAT => {
                let value = f64::from_le_bytes(self.array()?);
                Some(Extreme::Number(Number::Float(value)))
            }
            BYTES => {
                let len = usize::try_from(self.number()?).ok()?;
                Some(Extreme::Bytes(self.bytes(len)?.to_vec()))
            }
            _ => return None,
        })
    }

    fn number(&mut self) -> Option<u128> {
        let mut number = 0_u128;
        for place in (0..u128::BITS).step_by(7) {
            let [byte] = self.array()?;
            number |= u128::from(byte & 0x7f) << place;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i128> {
        let number = self.number()?;
        let sign = if number & 1 == 0 { 0 } else { -1 };
        Some((number >> 1).cast_signed() ^ sign)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in proptest::collection::vec(any::<i128>(), 0..20)) {
            let numbers: Vec<i128> = numbers.into_iter().chain([0, -1, i128::MIN, i128::MAX]).collect();
            let mut bytes = Vec::new();
            numbers.iter().for_each(|number| write_signed(&mut bytes, *number));
            let mut unpacking = Unpacking(&bytes);
            for number in numbers {
                prop_assert_eq!(unpacking.signed(), Some(number));
            }
            prop_assert!(unpacking.0.is_empty() && unpacking.number().is_none());
        }
    }
}
