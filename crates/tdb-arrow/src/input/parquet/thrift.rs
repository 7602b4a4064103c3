//! Walks through Thrift's compact encoding, in which Parquet's metadata is stored, to check all lengths before a
//! reader allocates memory for them.

use std::io::{self, ErrorKind, Read};

/// Maximum nesting of structures; Parquet's own have fewer than ten levels.
const DEPTH: usize = 32;

const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// Reason why a structure cannot be parsed.
#[derive(Debug)]
pub(super) enum Fault {
    /// The input ends within the structure.
    Ends,
    /// The structure is invalid.
    Damaged(&'static str),
    /// The input cannot be read.
    Input(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::UnexpectedEof {
            Self::Ends
        } else {
            Self::Input(error)
        }
    }
}

/// Expected type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A truth value.
    Truth,
    /// A number of any width.
    Number,
    /// Bytes or text.
    Binary,
    /// A structure.
    Structure,
}

impl Kind {
    fn is(self, kind: u8) -> bool {
        match self {
            Self::Truth => matches!(kind, TRUE | FALSE),
            Self::Number => matches!(kind, I16 | I32 | I64),
            Self::Binary => kind == BINARY,
            Self::Structure => kind == STRUCT,
        }
    }
}

/// Walks through one structure.
pub(super) struct Walker<'a, R> {
    input: R,
    /// Number of bytes left.
    left: u64,
    /// Returns the expected type of the field at a path of field numbers, because Parquet's reader does not check it.
    known: fn(&[i16]) -> Option<Kind>,
    /// Called with each number that is a field of its own, and the field numbers that lead to it.
    see: &'a mut dyn FnMut(&[i16], i64),
    path: Vec<i16>,
}

impl<'a, R: Read> Walker<'a, R> {
    /// Creates a walker over `left` bytes; `see` is called with each number that is a field of its own.
    pub(super) fn new(input: R, left: u64, see: &'a mut dyn FnMut(&[i16], i64)) -> Self {
        Self {
            input,
            left,
            known: |_| None,
            see,
            path: Vec::new(),
        }
    }

    /// Sets the expected types of fields; another type is an error.
    pub(super) fn knowing(self, known: fn(&[i16]) -> Option<Kind>) -> Self {
        Self { known, ..self }
    }

    /// Walks through a structure; returns the number of bytes left after it.
    pub(super) fn walk(mut self) -> Result<u64, Fault> {
        self.structure(0)?;
        Ok(self.left)
    }

    fn structure(&mut self, depth: usize) -> Result<(), Fault> {
        if depth > DEPTH {
            return Err(Fault::Damaged("its structures are nested too deeply"));
        }
        let mut last = 0_i16;
        loop {
            let head = self.byte()?;
            let kind = head & 0x0f;
            if kind == STOP {
                return Ok(());
            }
            last = match i16::from(head >> 4) {
                0 => i16::try_from(self.number()?).ok(),
                step => last.checked_add(step),
            }
            .ok_or(Fault::Damaged("a field has a number that none can have"))?;
            self.path.push(last);
            if (self.known)(&self.path).is_some_and(|known| !known.is(kind)) {
                return Err(Fault::Damaged(
                    "a field is of another type than it should be",
                ));
            }
            match kind {
                TRUE | FALSE => {}
                BYTE => {
                    self.byte()?;
                }
                I16 | I32 | I64 => {
                    let number = self.number()?;
                    (self.see)(&self.path, number);
                }
                kind => self.value(kind, depth)?,
            }
            self.path.pop();
        }
    }

    /// Walks over a value that is in a list, or takes more than a few bytes.
    fn value(&mut self, kind: u8, depth: usize) -> Result<(), Fault> {
        match kind {
            // Parquet's reader consumes no byte per truth value in a list, so a few bytes could keep it busy forever.
            TRUE | FALSE => Err(Fault::Damaged(
                "a list of truth values, which Parquet does not use",
            )),
            BYTE => self.byte().map(drop),
            I16 | I32 | I64 => self.number().map(drop),
            DOUBLE => self.skip(8),
            BINARY => {
                let len = self.varint()?;
                self.skip(len)
            }
            LIST | SET => self.list(depth),
            STRUCT => self.structure(depth + 1),
            _ => Err(Fault::Damaged(
                "a field has a type that Parquet does not use",
            )),
        }
    }

    fn list(&mut self, depth: usize) -> Result<(), Fault> {
        let head = self.byte()?;
        let count = match head >> 4 {
            0x0f => self.varint()?,
            count => u64::from(count),
        };
        // Every value takes at least one byte.
        if count > self.left {
            return Err(Fault::Damaged(
                "a list has more values than there are bytes",
            ));
        }
        if depth > DEPTH {
            return Err(Fault::Damaged("its lists are nested too deeply"));
        }
        (0..count).try_for_each(|_| self.value(head & 0x0f, depth + 1))
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        self.left = self.left.checked_sub(1).ok_or(Fault::Ends)?;
        let mut byte = [0];
        self.input.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn varint(&mut self) -> Result<u64, Fault> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Fault::Damaged("a number takes more than 64 bits"))
    }

    /// Reads a zigzag-encoded number, whose lowest bit is the sign.
    fn number(&mut self) -> Result<i64, Fault> {
        let value = self.varint()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    fn skip(&mut self, len: u64) -> Result<(), Fault> {
        let left = self.left.checked_sub(len);
        self.left = left.ok_or(Fault::Damaged(
            "a value is longer than what is left of the file",
        ))?;
        let read = io::copy(&mut self.input.by_ref().take(len), &mut io::sink())?;
        if read == len {
            Ok(())
        } else {
            Err(Fault::Ends)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers, and the field numbers that lead to them.
    type Seen = Vec<(Vec<i16>, i64)>;

    fn walk(bytes: &[u8]) -> (Result<u64, Fault>, Seen) {
        let mut seen = Vec::new();
        let mut see = |path: &[i16], number| seen.push((path.to_vec(), number));
        let left = Walker::new(bytes, bytes.len() as u64, &mut see).walk();
        (left, seen)
    }

    #[test]
    fn numbers_are_told_by_the_fields_that_lead_to_them() {
        // 1: 0, 3: -150, 5: { 1: 7 }, 6: "ab", 7: [1, 2], and two more bytes.
        let bytes = [
            0x15, 0, 0x25, 0xab, 0x02, 0x2c, 0x15, 14, 0, 0x18, 2, b'a', b'b', 0x19, 0x25, 2, 4, 0,
            9, 9,
        ];
        let (left, seen) = walk(&bytes);
        assert_eq!(left.unwrap(), 2);
        assert_eq!(seen, [(vec![1], 0), (vec![3], -150), (vec![5, 1], 7)]);
    }

    #[test]
    fn field_numbers_beyond_their_type_are_refused() {
        // Field 32767, given as a number, and one 2 behind it.
        let bytes = [0x05, 0xfe, 0xff, 0x03, 2, 0x25, 4, 0];
        let (walked, seen) = walk(&bytes);
        assert!(matches!(walked, Err(Fault::Damaged(why)) if why.contains("number that none")));
        assert_eq!(seen, [(vec![i16::MAX], 1)]);
    }

    #[test]
    fn lengths_beyond_the_bytes_are_refused() {
        let long_list = walk(&[0x19, 0xf5, 0xff, 0xff, 0xff, 0x7f, 1]).0;
        assert!(matches!(long_list, Err(Fault::Damaged(why)) if why.contains("list")));
        let long_text = walk(&[0x18, 0xff, 0xff, 0xff, 0xff, 0x7f, 1]).0;
        assert!(matches!(long_text, Err(Fault::Damaged(why)) if why.contains("value is longer")));
        let truths = walk(&[0x19, 0xf1, 0x03, 1, 1, 1, 0]).0;
        assert!(matches!(truths, Err(Fault::Damaged(why)) if why.contains("truth")));
        let deep = walk(&[0x1c; 100]).0;
        assert!(matches!(deep, Err(Fault::Damaged(why)) if why.contains("deeply")));
        assert!(matches!(walk(&[0x15]).0, Err(Fault::Ends)));
        let number = [0x15, 0, 0];
        let known = |path: &[i16]| (path == [1]).then_some(Kind::Structure);
        let other = Walker::new(&number[..], 3, &mut |_, _| {})
            .knowing(known)
            .walk();
        assert!(matches!(other, Err(Fault::Damaged(why)) if why.contains("another type")));
    }
}
