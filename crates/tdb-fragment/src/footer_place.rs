use std::ops::Range;

use bytes::Bytes;
use tdb_schema::ArraySchema;
use tdb_tile::{FormatVersion, Limits, Scalar, WireError, WireErrorKind};

use crate::{FieldLayout, Footer, FragmentError, FragmentMetadata};

/// A step that needs bytes it could not name before, or is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next<T> {
    /// These bytes of the same object are wanted.
    Need(Range<u64>),
    /// The result.
    Done(T),
}

/// Where the footer is, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FooterBytes {
    /// Offset of the footer in the metadata file: what is before are generic tiles.
    pub start: u64,
    /// The footer, without its length.
    pub bytes: Bytes,
}

const LENGTH_SIZE: u64 = 8;

impl FooterBytes {
    /// Finds the footer in the last bytes of a metadata file.
    ///
    /// `tail` is any number of them, `file_size` the size of the whole, `name_version` the
    /// version that the fragment's name tells. Before format 10 the size of the footer follows from
    /// the array's one schema (`old_layout`), unless a dimension is of strings; the file
    /// ends with the length otherwise. When `tail` is too short, the bytes from the start of
    /// the footer (or of its length) to the end of the file are asked for; call again with them.
    ///
    /// # Errors
    /// A length that does not fit the file; a version without a footer.
    pub fn locate(
        tail: &Bytes,
        file_size: u64,
        name_version: FormatVersion,
        old_layout: Option<&FieldLayout>,
    ) -> Result<Next<Self>, WireError> {
        let behind = if name_version.always_stores_footer_length() {
            None
        } else {
            let layout = old_layout.ok_or_else(|| fail("schema", 0, "not given"))?;
            layout.has_fixed_dimensions().then_some(layout)
        };
        let (length, end) = match behind {
            Some(layout) => (Footer::fixed_size(name_version, layout)?, file_size),
            None => match stored_length(tail, file_size)? {
                Next::Need(range) => return Ok(Next::Need(range)),
                Next::Done(length) => (length, file_size.saturating_sub(LENGTH_SIZE)),
            },
        };
        let start =
            end.checked_sub(length)
                .filter(|_| length != 0)
                .ok_or_else(|| match behind {
                    Some(_) => fail("footer", 0, "the file is too short to hold it"),
                    None => fail(
                        "length",
                        end,
                        "is zero, or more than the file has before it",
                    ),
                })?;
        Ok(match slice_of_tail(tail, file_size, start..end) {
            Some(bytes) => Next::Done(Self { start, bytes }),
            None => Next::Need(start..file_size),
        })
    }
}

impl FragmentMetadata {
    /// Finds, decodes and checks the footer of a metadata file that is in memory as a whole.
    ///
    /// `name_version` is the version that the fragment's name ends with, `schema` the one that [`FooterStart`] names.
    ///
    /// # Errors
    /// As for [`FooterBytes::locate`] and [`FragmentMetadata::read`].
    ///
    /// [`FooterStart`]: crate::FooterStart
    pub fn read_file(
        file: &Bytes,
        name_version: FormatVersion,
        schema: &ArraySchema,
        limits: &Limits,
    ) -> Result<Self, FragmentError> {
        let layout = FieldLayout::of(schema);
        let size = file.len() as u64;
        match FooterBytes::locate(file, size, name_version, Some(&layout))? {
            Next::Done(FooterBytes { start, bytes }) => Self::read(&bytes, start, schema, limits),
            Next::Need(_) => Err(fail("footer", 0, "passes the end of the file").into()),
        }
    }
}

fn stored_length(tail: &Bytes, file_size: u64) -> Result<Next<u64>, WireError> {
    let start = file_size
        .checked_sub(LENGTH_SIZE)
        .ok_or_else(|| fail("length", 0, "the file is too short to hold it"))?;
    Ok(match slice_of_tail(tail, file_size, start..file_size) {
        Some(bytes) => {
            let length = u64::read(&bytes);
            Next::Done(length.ok_or_else(|| fail("length", start, "is cut short"))?)
        }
        None => Next::Need(start..file_size),
    })
}

/// The bytes of a range of the file, where they are among its last ones.
fn slice_of_tail(tail: &Bytes, file_size: u64, range: Range<u64>) -> Option<Bytes> {
    let tail_start = file_size.checked_sub(tail.len() as u64)?;
    let at = |offset: u64| usize::try_from(offset.checked_sub(tail_start)?).ok();
    let (start, end) = (at(range.start)?, at(range.end)?);
    (start <= end && end <= tail.len()).then(|| tail.slice(start..end))
}

/// What is wrong with a field that begins at `offset` in the file.
fn fail(field: &'static str, offset: u64, why: &'static str) -> WireError {
    // Only shown.
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    WireError::new("FragmentFooter", field, offset, WireErrorKind::Invalid(why))
}
