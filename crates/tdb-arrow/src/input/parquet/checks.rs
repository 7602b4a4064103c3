//! Checks the lengths in a Parquet file before its reader allocates memory for them.

use std::io::{BufReader, Read, Seek};
use std::ops::Range;

use parquet::basic::Type;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::Length;
use tdb_cells::files::InputError;
use tdb_tile::{LimitError, Limits};

use super::chunks::{Chunks, FORMAT, READ_AHEAD};
use super::thrift::{Fault, Kind, Walker};

/// Size of the footer's length and the magic bytes after it, in bytes.
const TRAILER: u64 = 8;

/// Bytes per value of a list for its levels and offsets.
const LEVELS: u64 = 4;

/// Bytes per var-sized cell, without its contents.
const VIEW: u64 = 16;

fn damaged(what: &'static str) -> InputError {
    InputError::Library {
        format: FORMAT,
        source: what.into(),
    }
}

fn check_memory(asked: u64, memory: u64) -> Result<(), LimitError> {
    Limits::check_memory("memory", asked, memory)
}

impl<R: Read + Seek + Send> Chunks<R> {
    /// Checks that lengths in the footer stay within it.
    pub(super) fn check_footer(&self) -> Result<(), InputError> {
        let start = self
            .len()
            .checked_sub(TRAILER)
            .ok_or_else(|| damaged("the file is too short"))?;
        let mut size = [0; 4];
        self.chunk(start).read_exact(&mut size)?;
        let size = u64::from(u32::from_le_bytes(size));
        let footer = start
            .checked_sub(size)
            .ok_or_else(|| damaged("the footer is longer than the file"))?;
        let input = BufReader::new(self.chunk(footer));
        match Walker::new(input, size, &mut |_, _| {}).walk() {
            Ok(_) => Ok(()),
            Err(Fault::Ends) => Err(damaged("the footer ends early")),
            Err(Fault::Damaged(what)) => Err(damaged(what)),
            Err(Fault::Input(error)) => Err(error.into()),
        }
    }

    /// Checks that each page, and its decoded values, stay within the memory limit.
    pub(super) fn check_pages(
        &self,
        metadata: &ParquetMetaData,
        memory: u64,
    ) -> Result<(), InputError> {
        let groups = metadata.row_groups().iter();
        for column in groups.flat_map(|group| group.columns()) {
            self.check_column(column, memory)?;
        }
        Ok(())
    }

    fn check_column(&self, column: &ColumnChunkMetaData, memory: u64) -> Result<(), InputError> {
        let Range { start: mut at, end } = byte_range(column)?;
        if end > self.len() {
            return Err(damaged("a column chunk ends beyond the file"));
        }
        let is_list = column.column_descr().max_rep_level() > 0;
        let value = LEVELS.saturating_add(value_size(column)?);
        while at < end {
            let Some(page) = self.page(at)? else {
                // The reader will not find a page there either.
                return Ok(());
            };
            check_memory(page.unpacked, memory)?;
            if is_list {
                check_memory(page.values.saturating_mul(value), memory)?;
            }
            at = page.end;
        }
        Ok(())
    }

    /// Reads the header of a page; `None` if there is none.
    fn page(&self, at: u64) -> Result<Option<Page>, InputError> {
        let (mut unpacked, mut stored, mut values) = (0, 0, 0);
        let mut see = |path: &[i16], number: i64| match path {
            [2] => unpacked = number,
            [3] => stored = number,
            // Data pages of both versions, and dictionary pages.
            [5 | 7 | 8, 1] => values = number.max(values),
            _ => {}
        };
        let input = BufReader::with_capacity(READ_AHEAD, self.chunk(at));
        // Both are within the file: `check_column` does not go beyond its end, and what is left was there.
        let left = self.len() - at;
        let walker = Walker::new(input, left, &mut see).knowing(of_page_header);
        let left = match walker.walk() {
            Ok(left) => left,
            Err(Fault::Ends) => return Ok(None),
            Err(Fault::Damaged(what)) => return Err(damaged(what)),
            Err(Fault::Input(error)) => return Err(error.into()),
        };
        let length =
            |length: i64| u64::try_from(length).map_err(|_| damaged("a page has a length below 0"));
        let end = (self.len() - left).checked_add(length(stored)?);
        Ok(Some(Page {
            end: end.ok_or_else(|| damaged("a page ends beyond the file"))?,
            unpacked: length(unpacked)?,
            values: length(values)?,
        }))
    }
}

/// Returns the bytes of a column chunk; the function of `parquet` panics where one of the numbers is negative.
fn byte_range(column: &ColumnChunkMetaData) -> Result<Range<u64>, InputError> {
    let start = column.dictionary_page_offset();
    let start = u64::try_from(start.unwrap_or_else(|| column.data_page_offset()));
    let len = u64::try_from(column.compressed_size());
    let range = start
        .ok()
        .zip(len.ok())
        .and_then(|(start, len)| Some(start..start.checked_add(len)?));
    range.ok_or_else(|| damaged("a column chunk has a position or length that none can have"))
}

/// Expected types of the fields of a page header, by their field numbers.
fn of_page_header(path: &[i16]) -> Option<Kind> {
    Some(match path {
        [1..=4] => Kind::Number,
        [5..=8] => Kind::Structure,
        // A data page, a dictionary page and a data page of version 2, then the statistics of both.
        [5, 1..=4] | [7, 1..=2] | [8, 1..=6] => Kind::Number,
        [7, 3] | [8, 7] => Kind::Truth,
        [5, 5] | [8, 8] => Kind::Structure,
        [5, 5, field] | [8, 8, field] => match field {
            1 | 2 | 5 | 6 => Kind::Binary,
            3 | 4 => Kind::Number,
            7 | 8 => Kind::Truth,
            _ => return None,
        },
        _ => return None,
    })
}

/// Facts in a page header.
struct Page {
    /// End of the page in the file.
    end: u64,
    /// Uncompressed size of the page, in bytes.
    unpacked: u64,
    values: u64,
}

/// Minimum number of bytes that a row takes in memory, however little of it is stored.
///
/// # Errors
/// A column declares values of negative length.
pub(super) fn row_size(metadata: &ParquetMetaData) -> Result<u64, InputError> {
    let mut most = 0;
    for group in metadata.row_groups() {
        let mut size = 0_u64;
        for column in group.columns() {
            size = size.saturating_add(value_size(column)?);
        }
        most = most.max(size);
    }
    Ok(most)
}

/// Bytes of a value in memory, without the contents of var-sized ones.
fn value_size(column: &ColumnChunkMetaData) -> Result<u64, InputError> {
    Ok(match column.column_type() {
        Type::BOOLEAN => 1,
        Type::INT32 | Type::FLOAT => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::BYTE_ARRAY => VIEW,
        Type::FIXED_LEN_BYTE_ARRAY => {
            let size = u64::try_from(column.column_descr().type_length());
            size.map_err(|_| damaged("a column of values of a negative length"))?
        }
    })
}

/// Checks that a single row is within the memory limit.
pub(super) fn check_row(size: u64, memory: u64) -> Result<(), InputError> {
    Ok(check_memory(size, memory)?)
}
