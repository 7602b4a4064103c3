use bytes::Bytes;

use crate::{Scalar, WireError, WireErrorKind};

/// Reads fields one after the other and never beyond the end.
///
/// For records that are not a fixed list of fields; most records are described by a
/// [`Walk`](crate::Walk) instead.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    record: &'static str,
    bytes: &'a Bytes,
    offset: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor over all of `bytes`; errors name `record`.
    #[must_use]
    pub fn new(record: &'static str, bytes: &'a Bytes) -> Self {
        Self {
            record,
            bytes,
            offset: 0,
            end: bytes.len(),
        }
    }

    /// The number of bytes consumed so far.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of bytes left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.end.saturating_sub(self.offset)
    }

    /// Creates an error at the current offset.
    #[must_use]
    pub fn fail(&self, field: &'static str, kind: WireErrorKind) -> WireError {
        WireError::new(self.record, field, self.offset, kind)
    }

    /// Returns the next `n` bytes without copying them.
    ///
    /// # Errors
    /// [`WireErrorKind::Truncated`] if fewer bytes are left.
    pub fn bytes(&mut self, field: &'static str, n: u64) -> Result<Bytes, WireError> {
        let left = self.left();
        let end = usize::try_from(n)
            .ok()
            .filter(|&n| n <= left)
            .and_then(|n| self.offset.checked_add(n))
            .ok_or_else(|| {
                self.fail(
                    field,
                    WireErrorKind::Truncated {
                        needs: n,
                        left: left as u64,
                    },
                )
            })?;
        let piece = self.bytes.slice(self.offset..end);
        self.offset = end;
        Ok(piece)
    }

    /// Reads the next number.
    ///
    /// # Errors
    /// [`WireErrorKind::Truncated`] if too few bytes are left.
    pub fn scalar<T: Scalar>(&mut self, field: &'static str) -> Result<T, WireError> {
        let end = self.offset.checked_add(T::SIZE);
        let read = end.filter(|end| *end <= self.end).and_then(|end| {
            let value = T::read(self.bytes.get(self.offset..end)?)?;
            Some((value, end))
        });
        let (value, end) = read.ok_or_else(|| {
            let (needs, left) = (T::SIZE as u64, self.left() as u64);
            self.fail(field, WireErrorKind::Truncated { needs, left })
        })?;
        self.offset = end;
        Ok(value)
    }

    /// Fails unless everything was consumed.
    ///
    /// # Errors
    /// [`WireErrorKind::Trailing`] if bytes are left.
    pub fn finish(&self, field: &'static str) -> Result<(), WireError> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.fail(field, WireErrorKind::Trailing { left: left as u64 })),
        }
    }
}
