use std::ops::Range;

use bytes::Bytes;
use tdb_schema::ArraySchema;
use tdb_tile::{FormatVersion, Limits, Scalar, WireError, WireErrorKind};

use crate::{FieldLayout, Footer, FragmentError, FragmentMetadata};

/// The result of a step that may need more bytes than it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next<T> {
    /// The step needs these bytes of the same object.
    Need(Range<u64>),
    /// The step is done, with this result.
    Done(T),
}

/// The bytes of a footer, and its offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FooterBytes {
    /// Offset of the footer in the metadata file; generic tiles precede it.
    pub start: u64,
    /// The bytes of the footer, without its stored length.
    pub bytes: Bytes,
}

const LENGTH_SIZE: u64 = 8;

impl FooterBytes {
    /// Finds the footer in the last bytes of a metadata file.
    ///
    /// `tail` is any number of these bytes, `file_size` the size of the whole file, `name_version`
    /// the version in the fragment's name. Before format 10, the size of the footer follows from
    /// the array's only schema (`old_layout`) unless a dimension is a string; otherwise the file
    /// ends with the length. If `tail` is too short, the result is the range from the start of the
    /// footer (or of its length) to the end of the file; call again with these bytes.
    ///
    /// # Errors
    /// Fails if the length does not fit the file, or if the version has no footer.
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
                Next::Done(length) => {
                    let end = file_size.checked_sub(LENGTH_SIZE);
                    (
                        length,
                        end.ok_or_else(|| fail("length", 0, "the file is too short"))?,
                    )
                }
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
    /// Finds, decodes and checks the footer of a metadata file that is wholly in memory.
    ///
    /// `name_version` is the version at the end of the fragment's name, `schema` the schema that
    /// [`FooterStart`] names.
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

/// Returns the bytes of a range of the file; `None` if `tail` does not contain all of them.
fn slice_of_tail(tail: &Bytes, file_size: u64, range: Range<u64>) -> Option<Bytes> {
    let tail_start = file_size.checked_sub(tail.len() as u64)?;
    let at = |offset: u64| usize::try_from(offset.checked_sub(tail_start)?).ok();
    let (start, end) = (at(range.start)?, at(range.end)?);
    (start <= end && end <= tail.len()).then(|| tail.slice(start..end))
}

/// Creates an error for a field at byte `offset` of the file.
fn fail(field: &'static str, offset: u64, why: &'static str) -> WireError {
    // Clamped, since the offset is only shown.
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    WireError::new("FragmentFooter", field, offset, WireErrorKind::Invalid(why))
}
