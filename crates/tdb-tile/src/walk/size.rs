use bytes::Bytes;

use super::{Walk, length_mismatch};
use crate::{Code, FormatVersion, Limits, Record, Scalar, WireError, WireErrorKind};

/// The walker that measures a record.
#[derive(Debug)]
pub struct Size {
    record: &'static str,
    version: FormatVersion,
    limits: Limits,
    size: u64,
}

impl Size {
    pub(crate) fn new(record: &'static str, version: FormatVersion) -> Self {
        Self {
            record,
            version,
            limits: Limits::default(),
            size: 0,
        }
    }

    /// The size of the fields visited so far, in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    fn add(&mut self, field: &'static str, n: Option<u64>) -> Result<(), WireError> {
        let size = n.and_then(|n| self.size.checked_add(n));
        let too_large = WireErrorKind::Invalid("the record ends beyond 2^64 bytes");
        self.size = size.ok_or_else(|| self.fail(field, too_large))?;
        Ok(())
    }
}

impl Walk for Size {
    fn version(&self) -> FormatVersion {
        self.version
    }

    fn set_version(&mut self, version: FormatVersion) {
        self.version = version;
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn fail(&self, field: &'static str, kind: WireErrorKind) -> WireError {
        // Clamped, since the offset is only shown: a measured size need not fit into memory.
        WireError::new(
            self.record,
            field,
            usize::try_from(self.size).unwrap_or(usize::MAX),
            kind,
        )
    }

    fn scalar<T: Scalar>(&mut self, field: &'static str, _: &mut T) -> Result<(), WireError> {
        self.add(field, Some(T::SIZE as u64))
    }

    fn raw(&mut self, field: &'static str, n: u64, _: &mut Bytes) -> Result<(), WireError> {
        self.add(field, Some(n))
    }

    fn array<T: Scalar>(
        &mut self,
        field: &'static str,
        n: u64,
        _: &mut Vec<T>,
    ) -> Result<(), WireError> {
        self.add(field, n.checked_mul(T::SIZE as u64))
    }

    fn code<E: Code>(&mut self, field: &'static str, _: &mut E) -> Result<(), WireError> {
        self.add(field, Some(1))
    }

    fn text(&mut self, field: &'static str, n: u64, _: &mut String) -> Result<(), WireError> {
        self.add(field, Some(n))
    }

    fn nested<R: Record>(
        &mut self,
        _: &'static str,
        v: &mut R,
        cx: &R::Cx,
    ) -> Result<(), WireError> {
        v.walk(self, cx)
    }

    fn list<R: Record>(
        &mut self,
        field: &'static str,
        n: u64,
        v: &mut Vec<R>,
        cx: &R::Cx,
    ) -> Result<(), WireError> {
        if v.len() as u64 != n {
            return Err(self.fail(field, length_mismatch(n, v.len())));
        }
        v.iter_mut().try_for_each(|record| record.walk(self, cx))
    }
}
