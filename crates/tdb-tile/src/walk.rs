use bytes::Bytes;

use crate::describe::{Description, Observer};
use crate::{Code, FormatVersion, Limits, Scalar, WireError, WireErrorKind};

/// A record as it is stored: one description of its fields, in stored order, serves
/// to decode, encode, measure and dump it.
///
/// ```
/// use bytes::Bytes;
/// use tdb_tile::{FormatVersion, Limits, Record, Walk, WireError};
///
/// #[derive(Clone, Default, Debug, PartialEq)]
/// struct Point {
///     x: i32,
///     name: String,
/// }
///
/// impl Record for Point {
///     const NAME: &'static str = "Point";
///     type Cx = ();
///
///     fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
///         let Self { x, name } = self;
///         w.scalar("x", x)?;
///         w.text32("name", name)
///     }
/// }
///
/// let point = Point { x: 7, name: "here".into() };
/// let bytes = Bytes::from(point.encode(FormatVersion::WRITTEN, &())?);
/// assert_eq!(Point::decode(&bytes, FormatVersion::WRITTEN, &(), &Limits::default())?, point);
///
/// let error = Point::decode(&bytes.slice(..3), FormatVersion::WRITTEN, &(), &Limits::default());
/// assert_eq!(error.unwrap_err().to_string(), "Point.x at byte 0: needs 4 bytes, 3 left");
/// # Ok::<(), WireError>(())
/// ```
pub trait Record: Clone + Default {
    /// What the format calls the record.
    const NAME: &'static str;
    /// The fewest bytes that one record takes: bounds how many can follow.
    const MIN_SIZE: usize = 1;
    /// Facts from outside that the layout depends on, and no more than needed.
    type Cx: ?Sized;

    /// Visits every field in stored order.
    ///
    /// # Errors
    /// What the walker finds wrong.
    fn walk<W: Walk>(&mut self, w: &mut W, cx: &Self::Cx) -> Result<(), WireError>;

    /// Decodes a record that fills `bytes`.
    ///
    /// # Errors
    /// Where the bytes break the format, exceed `limits`, or go on after the record.
    fn decode(
        bytes: &Bytes,
        version: FormatVersion,
        cx: &Self::Cx,
        limits: &Limits,
    ) -> Result<Self, WireError> {
        let (record, end) = Self::decode_prefix(bytes, version, cx, limits)?;
        match bytes.len().saturating_sub(end) {
            0 => Ok(record),
            left => Err(WireError::new(
                Self::NAME,
                "end",
                end,
                WireErrorKind::Trailing { left: left as u64 },
            )),
        }
    }

    /// Decodes a record at the start of `bytes`, and says where it ends.
    ///
    /// # Errors
    /// Where the bytes break the format or exceed `limits`.
    fn decode_prefix(
        bytes: &Bytes,
        version: FormatVersion,
        cx: &Self::Cx,
        limits: &Limits,
    ) -> Result<(Self, usize), WireError> {
        let mut walker = Decode::new(Self::NAME, bytes, version, limits, ());
        let mut record = Self::default();
        record.walk(&mut walker, cx)?;
        Ok((record, walker.offset))
    }

    /// The bytes of the record.
    ///
    /// # Errors
    /// [`WireErrorKind::NotBefore`] where the version lacks a field that is set; lengths that do not agree.
    fn encode(&self, version: FormatVersion, cx: &Self::Cx) -> Result<Vec<u8>, WireError> {
        let mut walker = Encode {
            record: Self::NAME,
            version,
            limits: Limits::default(),
            out: Vec::new(),
        };
        self.clone().walk(&mut walker, cx)?;
        Ok(walker.out)
    }

    /// How many bytes this record takes; arrays have the lengths that `cx` gives them, so
    /// the default record tells where the next one starts before a byte is read.
    ///
    /// # Errors
    /// As for [`Record::encode`].
    fn size(&self, version: FormatVersion, cx: &Self::Cx) -> Result<u64, WireError> {
        let mut walker = Size {
            record: Self::NAME,
            version,
            limits: Limits::default(),
            size: 0,
        };
        self.clone().walk(&mut walker, cx)?;
        Ok(walker.size)
    }

    /// The bytes of `bytes`, field by field, as text; and the record or what is wrong with it.
    ///
    /// The text holds every field up to the first error.
    fn describe(
        bytes: &Bytes,
        version: FormatVersion,
        cx: &Self::Cx,
        limits: &Limits,
    ) -> (String, Result<Self, WireError>) {
        let mut walker = Decode::new(Self::NAME, bytes, version, limits, Description::default());
        let mut record = Self::default();
        let result = record.walk(&mut walker, cx).map(|()| record);
        (walker.observer.into_text(), result)
    }
}

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
                WireErrorKind::Invalid("too many for the stored width"),
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

/// Fills a record from bytes.
#[derive(Debug)]
pub struct Decode<'a, O = ()> {
    record: &'static str,
    bytes: &'a Bytes,
    offset: usize,
    version: FormatVersion,
    limits: &'a Limits,
    observer: O,
}

impl<'a, O: Observer> Decode<'a, O> {
    fn new(
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
            version,
            limits,
            observer,
        }
    }

    fn left(&self) -> u64 {
        self.bytes.len().saturating_sub(self.offset) as u64
    }

    fn take(&mut self, field: &'static str, n: u64) -> Result<Bytes, WireError> {
        let end = usize::try_from(n)
            .ok()
            .and_then(|n| self.offset.checked_add(n))
            .filter(|&end| end <= self.bytes.len())
            .ok_or_else(|| {
                self.fail(
                    field,
                    WireErrorKind::Truncated {
                        needs: n,
                        left: self.left(),
                    },
                )
            })?;
        let piece = self.bytes.slice(self.offset..end);
        self.offset = end;
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
        *v = self.bytes.get(start..).and_then(T::read).ok_or_else(|| {
            self.fail(
                field,
                WireErrorKind::Truncated {
                    needs: T::SIZE as u64,
                    left: self.left(),
                },
            )
        })?;
        self.offset = start.saturating_add(T::SIZE);
        self.observer.field(start..self.offset, field, v);
        Ok(())
    }

    fn raw(&mut self, field: &'static str, n: u64, v: &mut Bytes) -> Result<(), WireError> {
        let start = self.offset;
        *v = self.take(field, n)?;
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
        let bytes = self.take(field, n.saturating_mul(T::SIZE as u64))?;
        *v = bytes.chunks_exact(T::SIZE).filter_map(T::read).collect();
        self.observer.array(start..self.offset, field, v);
        Ok(())
    }

    fn code<E: Code>(&mut self, field: &'static str, v: &mut E) -> Result<(), WireError> {
        let start = self.offset;
        let code = self.take(field, 1)?.first().copied().unwrap_or_default();
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
        *v = std::str::from_utf8(&bytes)
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
        let needs = n.saturating_mul(R::MIN_SIZE.max(1) as u64);
        if needs > self.left() {
            return Err(self.fail(
                field,
                WireErrorKind::Truncated {
                    needs,
                    left: self.left(),
                },
            ));
        }
        v.clear();
        for index in 0..n {
            let mut record = R::default();
            self.within(field, Some(index), &mut record, cx)?;
            v.push(record);
        }
        Ok(())
    }
}

/// Writes a record as bytes.
#[derive(Debug)]
pub struct Encode {
    record: &'static str,
    version: FormatVersion,
    limits: Limits,
    out: Vec<u8>,
}

/// Measures a record.
#[derive(Debug)]
pub struct Size {
    record: &'static str,
    version: FormatVersion,
    limits: Limits,
    size: u64,
}

fn length_mismatch(wanted: u64, found: usize) -> WireErrorKind {
    WireErrorKind::Mismatch {
        what: "length",
        wanted,
        found: found as u64,
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
        WireError::new(self.record, field, self.out.len(), kind)
    }

    fn scalar<T: Scalar>(&mut self, _: &'static str, v: &mut T) -> Result<(), WireError> {
        v.write(&mut self.out);
        Ok(())
    }

    fn raw(&mut self, field: &'static str, n: u64, v: &mut Bytes) -> Result<(), WireError> {
        if v.len() as u64 != n {
            return Err(self.fail(field, length_mismatch(n, v.len())));
        }
        self.out.extend_from_slice(v);
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

impl Size {
    fn add(&mut self, n: u64) {
        self.size = self.size.saturating_add(n);
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
        WireError::new(
            self.record,
            field,
            usize::try_from(self.size).unwrap_or(usize::MAX),
            kind,
        )
    }

    fn scalar<T: Scalar>(&mut self, _: &'static str, _: &mut T) -> Result<(), WireError> {
        self.add(T::SIZE as u64);
        Ok(())
    }

    fn raw(&mut self, _: &'static str, n: u64, _: &mut Bytes) -> Result<(), WireError> {
        self.add(n);
        Ok(())
    }

    fn array<T: Scalar>(
        &mut self,
        _: &'static str,
        n: u64,
        _: &mut Vec<T>,
    ) -> Result<(), WireError> {
        self.add(n.saturating_mul(T::SIZE as u64));
        Ok(())
    }

    fn code<E: Code>(&mut self, _: &'static str, _: &mut E) -> Result<(), WireError> {
        self.add(1);
        Ok(())
    }

    fn text(&mut self, _: &'static str, n: u64, _: &mut String) -> Result<(), WireError> {
        self.add(n);
        Ok(())
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
