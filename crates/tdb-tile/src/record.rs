use bytes::Bytes;

use crate::describe::Description;
use crate::{Decode, Encode, FormatVersion, Limits, Size, Walk, WireError, WireErrorKind};

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
/// assert_eq!(error.unwrap_err().to_string(), "Point.x at byte 0: needs 4 bytes, but the data ends after 3");
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
        Self::decode_at(bytes, 0, version, cx, limits)
    }

    /// Decodes a record from this byte on, with whatever follows it, and tells where it ended.
    ///
    /// # Errors
    /// Where the bytes break the format or exceed `limits`; its place is one in all of the bytes.
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

    /// The bytes of the record.
    ///
    /// # Errors
    /// [`WireErrorKind::NotBefore`] where the version lacks a field that is set; lengths that do not agree.
    fn encode(&self, version: FormatVersion, cx: &Self::Cx) -> Result<Vec<u8>, WireError> {
        let mut walker = Encode::new(Self::NAME, version);
        self.clone().walk(&mut walker, cx)?;
        Ok(walker.into_bytes())
    }

    /// The bytes of the record, in parts that together are what [`Record::encode`] gives: long runs of bytes are not
    /// copied.
    ///
    /// # Errors
    /// As for [`Record::encode`].
    fn encode_parts(&self, version: FormatVersion, cx: &Self::Cx) -> Result<Vec<Bytes>, WireError> {
        let mut walker = Encode::in_parts(Self::NAME, version);
        self.clone().walk(&mut walker, cx)?;
        Ok(walker.into_parts())
    }

    /// How many bytes this record takes; arrays have the lengths that `cx` gives them, so
    /// the default record tells where the next one starts before a byte is read.
    ///
    /// # Errors
    /// As for [`Record::encode`].
    fn size(&self, version: FormatVersion, cx: &Self::Cx) -> Result<u64, WireError> {
        let mut walker = Size::new(Self::NAME, version);
        self.clone().walk(&mut walker, cx)?;
        Ok(walker.size())
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
        (walker.into_observer().into_text(), result)
    }
}
