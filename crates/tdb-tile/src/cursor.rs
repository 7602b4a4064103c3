use bytes::Bytes;

use crate::{Bug, Exact, Scalar, WireError, WireErrorKind};

/// Reads fields one after the other and never beyond the end.
///
/// For records that are not a fixed list of fields; most records are described by a
/// [`Walk`](crate::Walk) instead.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    record: &'static str,
    bytes: &'a Bytes,
    offset: usize,
    left: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor over all of `bytes`; errors name `record`.
    #[must_use]
    pub fn new(record: &'static str, bytes: &'a Bytes) -> Self {
        Self {
            record,
            bytes,
            offset: 0,
            left: bytes.len(),
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
        self.left
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
        let start = self.offset;
        self.skip(field, n)?;
        Ok(self.bytes.slice(start..self.offset))
    }

    /// Moves on by `n` bytes, all of which must be left.
    fn skip(&mut self, field: &'static str, n: u64) -> Result<(), WireError> {
        let left = usize::try_from(n)
            .ok()
            .and_then(|n| self.left.checked_sub(n))
            .ok_or_else(|| {
                let left = self.left as u64;
                self.fail(field, WireErrorKind::Truncated { needs: n, left })
            })?;
        self.offset = self
            .bytes
            .len()
            .exact_sub(left)
            .map_err(|bug| self.fail(field, bug.into()))?;
        self.left = left;
        Ok(())
    }

    /// Reads the next number.
    ///
    /// # Errors
    /// [`WireErrorKind::Truncated`] if too few bytes are left.
    pub fn scalar<T: Scalar>(&mut self, field: &'static str) -> Result<T, WireError> {
        let value = self.bytes.get(self.offset..).and_then(T::read);
        self.skip(field, T::SIZE as u64)?;
        value.ok_or_else(|| self.fail(field, Bug::new("a number that is cut short").into()))
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
