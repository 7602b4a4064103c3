//! The walkers: each does one thing with the fields that a record describes.

mod decode;
mod encode;
mod size;

pub use decode::Decode;
pub use encode::Encode;
pub use size::Size;

use bytes::Bytes;

use crate::{Code, FormatVersion, Limits, Record, Scalar, WireError, WireErrorKind};

/// Visits the fields of a [`Record`]; see there.
pub trait Walk: Sized {
    /// The version that the fields are laid out by.
    fn version(&self) -> FormatVersion;

    /// Lays out what follows by another version: for records that begin with their own.
    fn set_version(&mut self, version: FormatVersion);

    /// The caps in force.
    fn limits(&self) -> &Limits;

    /// An error at the present place.
    fn fail(&self, field: &'static str, kind: WireErrorKind) -> WireError;

    /// One number.
    ///
    /// # Errors
    /// Where the bytes end.
    fn scalar<T: Scalar>(&mut self, field: &'static str, v: &mut T) -> Result<(), WireError>;

    /// `n` bytes as they are.
    ///
    /// # Errors
    /// Where the bytes end, or `v` has another length when encoding.
    fn raw(&mut self, field: &'static str, n: u64, v: &mut Bytes) -> Result<(), WireError>;

    /// `n` numbers.
    ///
    /// # Errors
    /// Where the bytes end, or `v` has another length when encoding.
    fn array<T: Scalar>(
        &mut self,
        field: &'static str,
        n: u64,
        v: &mut Vec<T>,
    ) -> Result<(), WireError>;

    /// A member of an enumeration, stored as one byte.
    ///
    /// # Errors
    /// [`WireErrorKind::UnknownCode`].
    fn code<E: Code>(&mut self, field: &'static str, v: &mut E) -> Result<(), WireError>;

    /// Bytes that hold UTF-8.
    ///
    /// # Errors
    /// [`WireErrorKind::NotUtf8`], and as for [`Walk::raw`].
    fn text(&mut self, field: &'static str, n: u64, v: &mut String) -> Result<(), WireError>;

    /// A record within this one.
    ///
    /// # Errors
    /// What its own walk finds.
    fn nested<R: Record>(
        &mut self,
        field: &'static str,
        v: &mut R,
        cx: &R::Cx,
    ) -> Result<(), WireError>;

    /// `n` records, one after the other.
    ///
    /// # Errors
    /// Where `n` cannot fit in the bytes left, and what the walks of the records find.
    fn list<R: Record>(
        &mut self,
        field: &'static str,
        n: u64,
        v: &mut Vec<R>,
        cx: &R::Cx,
    ) -> Result<(), WireError>;

    /// The number of things that follow: `len` when encoding, what is stored when decoding.
    ///
    /// # Errors
    /// Where the bytes end, or `len` does not fit the stored width `T`.
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

    /// A truth value, stored as one byte; anything but zero is true.
    ///
    /// # Errors
    /// Where the bytes end.
    fn flag(&mut self, field: &'static str, v: &mut bool) -> Result<(), WireError> {
        let mut byte = u8::from(*v);
        self.scalar(field, &mut byte)?;
        *v = byte != 0;
        Ok(())
    }

    /// A field that older versions lack; there it must hold its default.
    ///
    /// # Errors
    /// [`WireErrorKind::NotBefore`] when encoding a value that the version has no place for.
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

    /// A truth value that older versions lack; there it must be false.
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

    /// `n` numbers that older versions lack; there must be none.
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

    /// Bytes behind their length as `u32`.
    ///
    /// # Errors
    /// As for [`Walk::raw`].
    fn bytes32(&mut self, field: &'static str, v: &mut Bytes) -> Result<(), WireError> {
        let n = self.count::<u32>(field, v.len())?;
        self.raw(field, n, v)
    }

    /// Bytes behind their length as `u64`.
    ///
    /// # Errors
    /// As for [`Walk::raw`].
    fn bytes64(&mut self, field: &'static str, v: &mut Bytes) -> Result<(), WireError> {
        let n = self.count::<u64>(field, v.len())?;
        self.raw(field, n, v)
    }

    /// A name behind its length as `u32`.
    ///
    /// # Errors
    /// A name over [`Limits::name_len`], and as for [`Walk::text`].
    fn text32(&mut self, field: &'static str, v: &mut String) -> Result<(), WireError> {
        let n = self.count::<u32>(field, v.len())?;
        check_name(self, field, n)?;
        self.text(field, n, v)
    }

    /// A name behind its length as `u64`.
    ///
    /// # Errors
    /// A name over [`Limits::name_len`], and as for [`Walk::text`].
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
