use bytes::Bytes;

use crate::describe::Description;
use crate::{Decode, Encode, Exact, FormatVersion, Limits, Size, Walk, WireError, WireErrorKind};

/// A stored record: one description of its fields, in stored order, serves to decode, encode,
/// measure and dump it.
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
/// assert_eq!(error.unwrap_err().to_string(), "Point.x at byte 0: needs 4 bytes, but the data ends after 3");
/// # Ok::<(), WireError>(())
/// ```
pub trait Record: Clone + Default {
    /// The name of the record in the format's documentation and in errors.
    const NAME: &'static str;
    /// The fewest bytes that one record takes; it bounds how many records can follow.
    const MIN_SIZE: usize = 1;
    /// The facts from outside the record that its layout depends on.
    type Cx: ?Sized;

    /// Visits every field in stored order.
    ///
    /// # Errors
    /// Passes on the errors of the walker.
    fn walk<W: Walk>(&mut self, w: &mut W, cx: &Self::Cx) -> Result<(), WireError>;

    /// Decodes a record that fills `bytes`.
    ///
    /// # Errors
    /// Fails if the bytes break the format, exceed `limits`, or continue after the record.
    fn decode(
        bytes: &Bytes,
        version: FormatVersion,
        cx: &Self::Cx,
        limits: &Limits,
    ) -> Result<Self, WireError> {
        let (record, end) = Self::decode_prefix(bytes, version, cx, limits)?;
        let fail = |kind| WireError::new(Self::NAME, "end", end, kind);
        match bytes.len().exact_sub(end) {
            Ok(0) => Ok(record),
            Ok(left) => Err(fail(WireErrorKind::Trailing { left: left as u64 })),
            Err(bug) => Err(fail(bug.into())),
        }
    }

    /// Decodes a record at the start of `bytes`; also returns the offset of its end.
    ///
    /// # Errors
    /// Fails if the bytes break the format or exceed `limits`.
    fn decode_prefix(
        bytes: &Bytes,
        version: FormatVersion,
        cx: &Self::Cx,
        limits: &Limits,
    ) -> Result<(Self, usize), WireError> {
        Self::decode_at(bytes, 0, version, cx, limits)
    }

    /// Decodes a record that begins at byte `start`; also returns the offset of its end. Other
    /// bytes may follow.
    ///
    /// # Errors
    /// Fails if the bytes break the format or exceed `limits`; offsets in errors count from the
    /// start of `bytes`.
    fn decode_at(
        bytes: &Bytes,
        start: usize,
        version: FormatVersion,
        cx: &Self::Cx,
        limits: &Limits,
    ) -> Result<(Self, usize), WireError> {
        let mut walker = Decode::new(Self::NAME, bytes, version, limits, ()).from(start);
        let mut record = Self::default();
        record.walk(&mut walker, cx)?;
        Ok((record, walker.offset()))
    }

    /// Encodes the record.
    ///
    /// # Errors
    /// [`WireErrorKind::NotBefore`] if a field is set that the version lacks; other errors if
    /// lengths do not agree.
    fn encode(&self, version: FormatVersion, cx: &Self::Cx) -> Result<Vec<u8>, WireError> {
        let mut walker = Encode::new(Self::NAME, version);
        self.clone().walk(&mut walker, cx)?;
        Ok(walker.into_bytes())
    }

    /// Encodes the record as parts whose concatenation is the result of [`Record::encode`]; long
    /// runs of bytes become parts of their own and are not copied.
    ///
    /// # Errors
    /// As for [`Record::encode`].
    fn encode_parts(&self, version: FormatVersion, cx: &Self::Cx) -> Result<Vec<Bytes>, WireError> {
        let mut walker = Encode::in_parts(Self::NAME, version);
        self.clone().walk(&mut walker, cx)?;
        Ok(walker.into_parts())
    }

    /// The encoded size of this record in bytes.
    ///
    /// The length of an array comes from `cx`, not from the record. A reader can therefore measure
    /// a default record to find the start of the next record without reading a byte.
    ///
    /// # Errors
    /// As for [`Record::encode`].
    fn size(&self, version: FormatVersion, cx: &Self::Cx) -> Result<u64, WireError> {
        let mut walker = Size::new(Self::NAME, version);
        self.clone().walk(&mut walker, cx)?;
        Ok(walker.size())
    }

    /// Describes `bytes` as text, one line per field; also returns the record or the error that
    /// ended decoding.
    ///
    /// The text holds every field before the first error.
    fn describe(
        bytes: &Bytes,
        version: FormatVersion,
        cx: &Self::Cx,
        limits: &Limits,
    ) -> (String, Result<Self, WireError>) {
        let mut walker = Decode::new(Self::NAME, bytes, version, limits, Description::default());
        let mut record = Self::default();
        let result = record.walk(&mut walker, cx).map(|()| record);
        (walker.into_observer().into_text(), result)
    }
}
