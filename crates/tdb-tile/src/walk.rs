//! The walkers: each does one thing with the fields that a record describes.

mod decode;
mod encode;
mod size;

pub use decode::Decode;
pub use encode::Encode;
pub use size::Size;

use bytes::Bytes;

use crate::{Code, FormatVersion, Limits, Record, Scalar, WireError, WireErrorKind};

/// A visitor of the fields of a [`Record`]: decodes, encodes or measures them.
pub trait Walk: Sized {
    /// The format version that determines the layout of the fields.
    fn version(&self) -> FormatVersion;

    /// Uses another version for the fields that follow; for records that begin with their own
    /// version.
    fn set_version(&mut self, version: FormatVersion);

    /// The caps that apply to this walk.
    fn limits(&self) -> &Limits;

    /// Creates an error at the current offset.
    fn fail(&self, field: &'static str, kind: WireErrorKind) -> WireError;

    /// Visits one number.
    ///
    /// # Errors
    /// Fails if the bytes end.
    fn scalar<T: Scalar>(&mut self, field: &'static str, v: &mut T) -> Result<(), WireError>;

    /// Visits `n` raw bytes.
    ///
    /// # Errors
    /// Fails if the bytes end, or if the length of `v` is not `n` when encoding.
    fn raw(&mut self, field: &'static str, n: u64, v: &mut Bytes) -> Result<(), WireError>;

    /// Visits an array of `n` numbers.
    ///
    /// # Errors
    /// Fails if the bytes end, or if the length of `v` is not `n` when encoding.
    fn array<T: Scalar>(
        &mut self,
        field: &'static str,
        n: u64,
        v: &mut Vec<T>,
    ) -> Result<(), WireError>;

    /// Visits a member of an enumeration, stored as one byte.
    ///
    /// # Errors
    /// [`WireErrorKind::UnknownCode`] when decoding; otherwise as for [`Walk::scalar`].
    fn code<E: Code>(&mut self, field: &'static str, v: &mut E) -> Result<(), WireError>;

    /// Visits `n` bytes of UTF-8.
    ///
    /// # Errors
    /// [`WireErrorKind::NotUtf8`] when decoding; otherwise as for [`Walk::raw`].
    fn text(&mut self, field: &'static str, n: u64, v: &mut String) -> Result<(), WireError>;

    /// Visits a nested record.
    ///
    /// # Errors
    /// Passes on the errors of the nested record's walk.
    fn nested<R: Record>(
        &mut self,
        field: &'static str,
        v: &mut R,
        cx: &R::Cx,
    ) -> Result<(), WireError>;

    /// Visits `n` records, one after the other.
    ///
    /// # Errors
    /// Fails if `n` records cannot fit in the bytes left, if the length of `v` is not `n` when
    /// encoding or measuring, or if the walk of a record fails.
    fn list<R: Record>(
        &mut self,
        field: &'static str,
        n: u64,
        v: &mut Vec<R>,
        cx: &R::Cx,
    ) -> Result<(), WireError>;

    /// Visits a count: `len` when encoding, the stored number when decoding; returns the count.
    ///
    /// # Errors
    /// Fails if the bytes end, or if `len` does not fit the stored width `T`.
    fn count<T>(&mut self, field: &'static str, len: usize) -> Result<u64, WireError>
    where
        T: Scalar + TryFrom<u64> + Into<u64>,
    {
        let mut v = T::try_from(len as u64).map_err(|_| {
            self.fail(
                field,
                WireErrorKind::Invalid("there are more than the stored form can count"),
            )
        })?;
        self.scalar(field, &mut v)?;
        Ok(v.into())
    }

    /// Visits a boolean, stored as one byte; anything but zero is true.
    ///
    /// # Errors
    /// Fails if the bytes end.
    fn flag(&mut self, field: &'static str, v: &mut bool) -> Result<(), WireError> {
        let mut byte = u8::from(*v);
        self.scalar(field, &mut byte)?;
        *v = byte != 0;
        Ok(())
    }

    /// Visits a number that versions before `min` lack; in those versions `v` must be the default.
    ///
    /// # Errors
    /// [`WireErrorKind::NotBefore`] if the version lacks the field and `v` is not the default;
    /// otherwise as for [`Walk::scalar`].
    fn since<T: Scalar>(
        &mut self,
        min: u32,
        field: &'static str,
        v: &mut T,
    ) -> Result<(), WireError> {
        if self.version().number() >= min {
            return self.scalar(field, v);
        }
        if *v != T::default() {
            return Err(self.fail(field, WireErrorKind::NotBefore(min)));
        }
        Ok(())
    }

    /// Visits a boolean that versions before `min` lack; in those versions `v` must be false.
    ///
    /// # Errors
    /// As for [`Walk::since`].
    fn flag_since(&mut self, min: u32, field: &'static str, v: &mut bool) -> Result<(), WireError> {
        if self.version().number() >= min {
            return self.flag(field, v);
        }
        if *v {
            return Err(self.fail(field, WireErrorKind::NotBefore(min)));
        }
        Ok(())
    }

    /// Visits `n` numbers that versions before `min` lack; in those versions `v` must be empty.
    ///
    /// # Errors
    /// As for [`Walk::array`] and [`Walk::since`].
    fn array_since<T: Scalar>(
        &mut self,
        min: u32,
        field: &'static str,
        n: u64,
        v: &mut Vec<T>,
    ) -> Result<(), WireError> {
        if self.version().number() >= min {
            return self.array(field, n, v);
        }
        if !v.is_empty() {
            return Err(self.fail(field, WireErrorKind::NotBefore(min)));
        }
        Ok(())
    }

    /// Visits bytes preceded by their length as `u32`.
    ///
    /// # Errors
    /// As for [`Walk::raw`].
    fn bytes32(&mut self, field: &'static str, v: &mut Bytes) -> Result<(), WireError> {
        let n = self.count::<u32>(field, v.len())?;
        self.raw(field, n, v)
    }

    /// Visits bytes preceded by their length as `u64`.
    ///
    /// # Errors
    /// As for [`Walk::raw`].
    fn bytes64(&mut self, field: &'static str, v: &mut Bytes) -> Result<(), WireError> {
        let n = self.count::<u64>(field, v.len())?;
        self.raw(field, n, v)
    }

    /// Visits a name preceded by its length as `u32`.
    ///
    /// # Errors
    /// Fails if the name is longer than [`Limits::name_len`]; otherwise as for [`Walk::text`].
    fn text32(&mut self, field: &'static str, v: &mut String) -> Result<(), WireError> {
        let n = self.count::<u32>(field, v.len())?;
        check_name(self, field, n)?;
        self.text(field, n, v)
    }

    /// Visits a name preceded by its length as `u64`.
    ///
    /// # Errors
    /// Fails if the name is longer than [`Limits::name_len`]; otherwise as for [`Walk::text`].
    fn text64(&mut self, field: &'static str, v: &mut String) -> Result<(), WireError> {
        let n = self.count::<u64>(field, v.len())?;
        check_name(self, field, n)?;
        self.text(field, n, v)
    }
}

fn check_name<W: Walk>(w: &W, field: &'static str, n: u64) -> Result<(), WireError> {
    Limits::check("name length", "name_len", n, w.limits().name_len)
        .map_err(|limit| w.fail(field, limit.into()))
}

fn length_mismatch(wanted: u64, found: usize) -> WireErrorKind {
    WireErrorKind::Mismatch {
        what: "length",
        wanted,
        found: found as u64,
    }
}
