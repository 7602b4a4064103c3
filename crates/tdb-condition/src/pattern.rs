use std::fmt;

use crate::padding::unpadded;

/// A pattern of `like`: `%` matches any text, `_` matches one character, and everything else matches itself.
///
/// With an escape character, `%`, `_` or the escape character match themselves if they follow it. As in SQL, there is
/// none by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    escape: Option<char>,
}

impl Pattern {
    /// Creates a pattern without an escape character.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            escape: None,
        }
    }

    /// Sets the escape character.
    #[must_use]
    pub fn escaped_by(self, escape: char) -> Self {
        Self {
            escape: Some(escape),
            ..self
        }
    }

    /// Compiles the pattern. `_` matches one UTF-8 character if `by_character`, else one byte. With `is_padded`, NUL
    /// bytes at the end of a cell are not part of its text.
    ///
    /// `None` if the escape character is at the end, or before anything else than `%`, `_` or itself.
    pub(crate) fn compile(&self, by_character: bool, is_padded: bool) -> Option<Matcher> {
        let mut parts = Vec::new();
        let mut characters = self.text.chars();
        while let Some(c) = characters.next() {
            let literal = if Some(c) == self.escape {
                let meant = characters.next()?;
                (matches!(meant, '%' | '_') || Some(meant) == self.escape).then_some(meant)?
            } else if c == '%' {
                // Several in a row match the same as one.
                if parts.last() != Some(&Part::Any) {
                    parts.push(Part::Any);
                }
                continue;
            } else if c == '_' {
                parts.push(Part::One);
                continue;
            } else {
                c
            };
            let mut buffer = [0; 4];
            let bytes = literal.encode_utf8(&mut buffer).bytes();
            parts.extend(bytes.map(Part::Byte));
        }
        Some(Matcher {
            parts,
            by_character,
            is_padded,
        })
    }
}

impl From<&str> for Pattern {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Pattern {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// Prints the pattern as it follows `like`.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.text.replace('\'', "''"))?;
        match self.escape {
            Some('\'') => f.write_str(" escape ''''"),
            Some(escape) => write!(f, " escape '{escape}'"),
            None => Ok(()),
        }
    }
}

/// A compiled [`Pattern`], to be matched with cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matcher {
    parts: Vec<Part>,
    by_character: bool,
    /// Whether NUL bytes at the end of a cell are not part of its text.
    is_padded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Byte(u8),
    One,
    Any,
}

impl Matcher {
    /// The literal prefix, and whether any text may follow; `None` if the pattern is not of this simple form.
    pub(crate) fn prefix(&self) -> Option<(Vec<u8>, bool)> {
        let (parts, open) = match self.parts.split_last() {
            Some((Part::Any, parts)) => (parts, true),
            _ => (&self.parts[..], false),
        };
        let byte = |part: &Part| match part {
            Part::Byte(byte) => Some(*byte),
            _ => None,
        };
        Some((parts.iter().map(byte).collect::<Option<_>>()?, open))
    }

    /// Whether the whole cell matches. Takes time at most proportional to cell size times pattern size, and no
    /// recursion: after a mismatch, only the last `%` needs to be extended.
    pub(crate) fn matches(&self, cell: &[u8]) -> bool {
        let cell = if self.is_padded { unpadded(cell) } else { cell };
        let (mut rest, mut parts) = (cell, &self.parts[..]);
        let mut last_any: Option<(&[u8], &[Part])> = None;
        loop {
            let next = match parts.split_first() {
                None if rest.is_empty() => return true,
                None => None,
                Some((Part::Any, behind)) => {
                    if behind.is_empty() {
                        return true;
                    }
                    last_any = Some((rest, behind));
                    parts = behind;
                    continue;
                }
                Some((Part::One, behind)) => self.skip(rest).map(|rest| (rest, behind)),
                Some((Part::Byte(byte), behind)) => match rest.split_first() {
                    Some((first, rest)) if first == byte => Some((rest, behind)),
                    _ => None,
                },
            };
            if let Some(next) = next {
                (rest, parts) = next;
                continue;
            }
            let Some((taken, behind)) = last_any else {
                return false;
            };
            let Some(more) = self.skip(taken) else {
                return false;
            };
            last_any = Some((more, behind));
            (rest, parts) = (more, behind);
        }
    }

    /// Returns the rest after the first character; a byte that is not the start of a UTF-8 character counts as one.
    fn skip<'a>(&self, cell: &'a [u8]) -> Option<&'a [u8]> {
        let (first, rest) = cell.split_first()?;
        if !self.by_character {
            return Some(rest);
        }
        let more = match first {
            0xc2..=0xdf => 1,
            0xe0..=0xef => 2,
            0xf0..=0xf4 => 3,
            _ => 0,
        };
        match rest.split_at_checked(more) {
            Some((character, behind)) if character.iter().all(|byte| byte & 0xc0 == 0x80) => {
                Some(behind)
            }
            _ => Some(rest),
        }
    }
}
