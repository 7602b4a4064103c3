use bytes::Bytes;

use super::{Walk, length_mismatch};
use crate::{Code, FormatVersion, Limits, Record, Scalar, WireError, WireErrorKind};

/// The walker that writes a record as bytes.
#[derive(Debug)]
pub struct Encode {
    record: &'static str,
    version: FormatVersion,
    limits: Limits,
    out: Vec<u8>,
    /// The finished parts, which precede `out`; `None` if long runs of bytes are copied.
    parts: Option<Vec<Bytes>>,
}

/// Runs of at least this many bytes become parts of their own.
const LONG: usize = 64 << 10;

impl Encode {
    pub(crate) fn new(record: &'static str, version: FormatVersion) -> Self {
        Self {
            record,
            version,
            limits: Limits::default(),
            out: Vec::new(),
            parts: None,
        }
    }

    /// Creates a walker that does not copy long runs of bytes but makes them parts of their own.
    pub(crate) fn in_parts(record: &'static str, version: FormatVersion) -> Self {
        Self {
            parts: Some(Vec::new()),
            ..Self::new(record, version)
        }
    }

    pub(crate) fn into_parts(self) -> Vec<Bytes> {
        let parts = self.parts.into_iter().flatten();
        parts.chain([self.out.into()]).collect()
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.out
    }
}

impl Walk for Encode {
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
        // All parts are in memory, and so have fewer bytes than memory has addresses.
        let parts = self.parts.iter().flatten().map(Bytes::len);
        let offset = parts.chain([self.out.len()]).sum();
        WireError::new(self.record, field, offset, kind)
    }

    fn scalar<T: Scalar>(&mut self, _: &'static str, v: &mut T) -> Result<(), WireError> {
        v.write(&mut self.out);
        Ok(())
    }

    fn raw(&mut self, field: &'static str, n: u64, v: &mut Bytes) -> Result<(), WireError> {
        if v.len() as u64 != n {
            return Err(self.fail(field, length_mismatch(n, v.len())));
        }
        match &mut self.parts {
            Some(parts) if v.len() >= LONG => {
                let out = std::mem::take(&mut self.out);
                parts.extend([out.into(), v.clone()]);
            }
            _ => self.out.extend_from_slice(v),
        }
        Ok(())
    }

    fn array<T: Scalar>(
        &mut self,
        field: &'static str,
        n: u64,
        v: &mut Vec<T>,
    ) -> Result<(), WireError> {
        if v.len() as u64 != n {
            return Err(self.fail(field, length_mismatch(n, v.len())));
        }
        for value in v {
            value.write(&mut self.out);
        }
        Ok(())
    }

    fn code<E: Code>(&mut self, _: &'static str, v: &mut E) -> Result<(), WireError> {
        self.out.push(v.code());
        Ok(())
    }

    fn text(&mut self, field: &'static str, n: u64, v: &mut String) -> Result<(), WireError> {
        if v.len() as u64 != n {
            return Err(self.fail(field, length_mismatch(n, v.len())));
        }
        self.out.extend_from_slice(v.as_bytes());
        Ok(())
    }

    fn nested<R: Record>(
        &mut self,
        _: &'static str,
        v: &mut R,
        cx: &R::Cx,
    ) -> Result<(), WireError> {
        let outer = std::mem::replace(&mut self.record, R::NAME);
        v.walk(self, cx)?;
        self.record = outer;
        Ok(())
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
        v.iter_mut()
            .try_for_each(|record| self.nested(field, record, cx))
    }
}
