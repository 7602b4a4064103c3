use bytes::Bytes;

use super::Walk;
use crate::describe::Observer;
use crate::{Bug, Code, Exact, FormatVersion, Limits, Record, Scalar, WireError, WireErrorKind};

/// The walker that fills a record from bytes.
#[derive(Debug)]
pub struct Decode<'a, O = ()> {
    record: &'static str,
    bytes: &'a Bytes,
    offset: usize,
    /// The bytes from `offset` on.
    rest: &'a [u8],
    version: FormatVersion,
    limits: &'a Limits,
    observer: O,
}

impl<'a, O: Observer> Decode<'a, O> {
    pub(crate) fn new(
        record: &'static str,
        bytes: &'a Bytes,
        version: FormatVersion,
        limits: &'a Limits,
        observer: O,
    ) -> Self {
        Self {
            record,
            bytes,
            offset: 0,
            rest: bytes,
            version,
            limits,
            observer,
        }
    }

    /// Starts the walk at byte `offset`.
    pub(crate) fn from(mut self, offset: usize) -> Self {
        self.offset = offset;
        // Beyond the end no bytes are left, which fails the first field.
        self.rest = self.bytes.get(offset..).unwrap_or(&[]);
        self
    }

    /// The offset of the next byte to read.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    pub(crate) fn into_observer(self) -> O {
        self.observer
    }

    fn left(&self) -> u64 {
        self.rest.len() as u64
    }

    /// Returns the next `n` bytes as a slice; only [`Walk::raw`] makes a counted reference to the
    /// whole buffer.
    fn take(&mut self, field: &'static str, n: u64) -> Result<&'a [u8], WireError> {
        let parts = usize::try_from(n)
            .ok()
            .and_then(|n| self.rest.split_at_checked(n));
        let (piece, rest) = parts.ok_or_else(|| {
            let left = self.left();
            self.fail(field, WireErrorKind::Truncated { needs: n, left })
        })?;
        self.offset = self
            .offset
            .exact_add(piece.len())
            .map_err(|bug| self.fail(field, bug.into()))?;
        self.rest = rest;
        Ok(piece)
    }

    fn within<R: Record>(
        &mut self,
        field: &'static str,
        index: Option<u64>,
        v: &mut R,
        cx: &R::Cx,
    ) -> Result<(), WireError> {
        let outer = std::mem::replace(&mut self.record, R::NAME);
        self.observer.enter(field, index);
        v.walk(self, cx)?;
        self.observer.leave();
        self.record = outer;
        Ok(())
    }
}

impl<O: Observer> Walk for Decode<'_, O> {
    fn version(&self) -> FormatVersion {
        self.version
    }

    fn set_version(&mut self, version: FormatVersion) {
        self.version = version;
    }

    fn limits(&self) -> &Limits {
        self.limits
    }

    fn fail(&self, field: &'static str, kind: WireErrorKind) -> WireError {
        WireError::new(self.record, field, self.offset, kind)
    }

    fn scalar<T: Scalar>(&mut self, field: &'static str, v: &mut T) -> Result<(), WireError> {
        let start = self.offset;
        let read = T::read(self.take(field, T::SIZE as u64)?);
        *v = read.ok_or_else(|| self.fail(field, Bug::new("a number of another size").into()))?;
        self.observer.field(start..self.offset, field, v);
        Ok(())
    }

    fn raw(&mut self, field: &'static str, n: u64, v: &mut Bytes) -> Result<(), WireError> {
        let start = self.offset;
        self.take(field, n)?;
        *v = self.bytes.slice(start..self.offset);
        self.observer.bytes(start..self.offset, field, v);
        Ok(())
    }

    fn array<T: Scalar>(
        &mut self,
        field: &'static str,
        n: u64,
        v: &mut Vec<T>,
    ) -> Result<(), WireError> {
        let start = self.offset;
        let size = WireErrorKind::check_items(n, T::SIZE, self.left())
            .map_err(|kind| self.fail(field, kind))?;
        let bytes = self.take(field, size)?;
        *v = bytes.chunks_exact(T::SIZE).filter_map(T::read).collect();
        self.observer.array(start..self.offset, field, v);
        Ok(())
    }

    fn code<E: Code>(&mut self, field: &'static str, v: &mut E) -> Result<(), WireError> {
        let start = self.offset;
        let &[code] = self.take(field, 1)? else {
            let kind = Bug::new("one byte that is not one").into();
            return Err(WireError::new(self.record, field, start, kind));
        };
        *v = E::from_code(code).ok_or_else(|| {
            let kind = WireErrorKind::UnknownCode {
                what: E::WHAT,
                code: u64::from(code),
            };
            WireError::new(self.record, field, start, kind)
        })?;
        self.observer.field(
            start..self.offset,
            field,
            &format_args!("{} ({code})", v.name()),
        );
        Ok(())
    }

    fn text(&mut self, field: &'static str, n: u64, v: &mut String) -> Result<(), WireError> {
        let start = self.offset;
        let bytes = self.take(field, n)?;
        *v = std::str::from_utf8(bytes)
            .map_err(|_| WireError::new(self.record, field, start, WireErrorKind::NotUtf8))?
            .to_owned();
        self.observer
            .field(start..self.offset, field, &format_args!("{v:?}"));
        Ok(())
    }

    fn nested<R: Record>(
        &mut self,
        field: &'static str,
        v: &mut R,
        cx: &R::Cx,
    ) -> Result<(), WireError> {
        self.within(field, None, v, cx)
    }

    fn list<R: Record>(
        &mut self,
        field: &'static str,
        n: u64,
        v: &mut Vec<R>,
        cx: &R::Cx,
    ) -> Result<(), WireError> {
        WireErrorKind::check_items(n, R::MIN_SIZE.max(1), self.left())
            .map_err(|kind| self.fail(field, kind))?;
        v.clear();
        for index in 0..n {
            let mut record = R::default();
            self.within(field, Some(index), &mut record, cx)?;
            v.push(record);
        }
        Ok(())
    }
}
