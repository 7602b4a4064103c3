//! Reads into memory of the caller, part by part.

use tdb_cells::{Batch, Column};
use tdb_tile::{Bug, Exact};

use crate::{NextCells, QueryError, Reader};

/// How the offsets of cells of variable size are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetFormat {
    /// Offsets of 4 bytes instead of 8.
    pub narrow: bool,
    /// Offsets count values instead of bytes.
    pub counts_values: bool,
    /// The end of the last cell follows the offsets.
    pub has_end: bool,
}

impl OffsetFormat {
    /// Offsets of 8 bytes that count bytes, without an end.
    pub const WIDE: Self = Self {
        narrow: false,
        counts_values: false,
        has_end: false,
    };

    fn size(self) -> usize {
        if self.narrow { 4 } else { 8 }
    }

    /// Converts an offset in bytes, for values of `size` bytes.
    fn offset(self, bytes: u64, size: usize) -> u64 {
        match bytes.checked_div(size as u64) {
            Some(values) if self.counts_values => values,
            _ => bytes,
        }
    }
}

/// Memory for the cells of a field. Values and offsets are little-endian.
#[derive(Debug)]
pub struct FieldBuffers<'a> {
    /// Name of the field.
    pub name: &'a str,
    /// Memory for the values.
    pub values: &'a mut [u8],
    /// Memory for the offsets of a field of variable size.
    pub offsets: Option<&'a mut [u8]>,
    /// Memory for the validity of a nullable field: a byte per cell, 0 for null, else 1.
    pub validity: Option<&'a mut [u8]>,
}

/// The numbers of bytes that were written for a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilledBytes {
    /// Bytes of values.
    pub values: usize,
    /// Bytes of offsets, with the end if there is one.
    pub offsets: usize,
    /// Bytes of validity: the number of cells.
    pub validity: usize,
}

/// Result of [`BufferedRead::fill`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilledCells {
    /// Number of cells.
    pub rows: u64,
    /// What was written for each field, in the order of the buffers.
    pub fields: Vec<FilledBytes>,
    /// Whether these were the last cells. Otherwise the next cell did not fit into the buffers.
    pub is_complete: bool,
}

/// A read into memory of the caller. Each call fills the caller's buffers with as many whole cells as fit, and the next
/// one goes on after them, with the same buffers or with others.
///
/// ```
/// # use std::sync::Arc;
/// # use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
/// # use tdb_cells::Session;
/// # use tdb_query::{BufferedRead, FieldBuffers, OffsetFormat, ReadOptions, Reader};
/// # use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
/// # use tdb_store::MemoryStore;
/// # use tdb_tile::Datatype::Int32;
/// # let day = Dimension::numbers("day", Int32, (1, 7), 7);
/// # let schema = ArraySchema::new(ArrayType::Dense, vec![day], vec![Attribute::new("rain", Int32)]);
/// # let location = Location::new(Arc::new(MemoryStore::new()), "weather");
/// # Array::create(&location, &schema, &[], &ChangeOptions::at(1))?;
/// # let weather = Arc::new(Array::open_location(&location, OpenOptions::default())?);
/// let reader = Reader::open(&Session::default(), &weather, &ReadOptions::default())?;
/// let mut read = BufferedRead::new(reader, OffsetFormat::WIDE);
/// let mut memory = [0; 20];
/// let mut rows = 0;
/// loop {
///     let rain = FieldBuffers { name: "rain", values: &mut memory, offsets: None, validity: None };
///     let filled = read.fill(&mut [rain])?;
///     rows += filled.rows;
///     if filled.is_complete {
///         break;
///     }
/// }
/// assert_eq!(rows, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BufferedRead {
    source: Source,
    format: OffsetFormat,
    /// The size of a value of each field.
    value_sizes: Vec<(String, usize)>,
    /// Cells that did not fit yet, and the number of those before them in the batch that did.
    waiting: Option<(Batch, usize)>,
    is_done: bool,
}

/// Where the cells come from.
#[derive(Debug)]
enum Source {
    Reader(Box<Reader>),
    /// Cells that were put in another order in memory.
    Batch(Option<Batch>),
}

impl BufferedRead {
    /// Begins with the cells of a reader.
    #[must_use]
    pub fn new(reader: Reader, format: OffsetFormat) -> Self {
        let fields = reader.fields().iter();
        let sizes = fields
            .map(|field| (field.name.clone(), field.datatype.size()))
            .collect();
        Self::of(Source::Reader(Box::new(reader)), format, sizes)
    }

    /// Begins with cells in memory; `None` stands for no cells.
    #[must_use]
    pub fn of_batch(batch: Option<Batch>, format: OffsetFormat) -> Self {
        let columns = batch.iter().flat_map(|batch| &batch.columns);
        let sizes = columns
            .map(|column| (column.name.clone(), column.datatype.size()))
            .collect();
        Self::of(Source::Batch(batch), format, sizes)
    }

    fn of(source: Source, format: OffsetFormat, value_sizes: Vec<(String, usize)>) -> Self {
        Self {
            source,
            format,
            value_sizes,
            waiting: None,
            is_done: false,
        }
    }

    /// Writes the next cells into the buffers, as many as fit. If not even one fits, there are 0 cells, and the read is
    /// not complete: the caller needs larger buffers.
    ///
    /// # Errors
    /// Those of reading; [`QueryError::Bug`] for buffers that do not suit the fields of the read.
    pub fn fill(&mut self, buffers: &mut [FieldBuffers<'_>]) -> Result<FilledCells, QueryError> {
        let mut filled = FilledCells {
            rows: 0,
            fields: vec![FilledBytes::default(); buffers.len()],
            is_complete: false,
        };
        loop {
            let Some((batch, start)) = self.next(buffers, &mut filled)? else {
                filled.is_complete = true;
                break;
            };
            let rows = fitting(&batch, start, buffers, &filled.fields, self.format)?;
            let part = Part {
                batch: &batch,
                start,
                end: start.exact_add(rows)?,
            };
            part.copy(buffers, &mut filled, self.format)?;
            if part.end < batch.rows {
                let end = part.end;
                self.waiting = Some((batch, end));
                break;
            }
        }
        // Without cells there is no end of the last one.
        if self.format.has_end && filled.rows > 0 {
            self.write_ends(buffers, &mut filled)?;
        }
        Ok(filled)
    }

    /// Writes the end of the last cell of each field of variable size.
    fn write_ends(
        &self,
        buffers: &mut [FieldBuffers<'_>],
        filled: &mut FilledCells,
    ) -> Result<(), QueryError> {
        for (buffer, used) in buffers.iter_mut().zip(&mut filled.fields) {
            let Some(offsets) = &mut buffer.offsets else {
                continue;
            };
            let end = used.offsets.exact_add(self.format.size())?;
            let Some(place) = offsets.get_mut(used.offsets..end) else {
                return Err(does_not_fit().into());
            };
            let mut sizes = self.value_sizes.iter();
            let known = sizes.find(|(name, _)| name == buffer.name);
            let size = known.map_or(1, |(_, size)| *size);
            write_offset(place, self.format.offset(used.values as u64, size))?;
            used.offsets = end;
        }
        Ok(())
    }

    /// Returns the next cells, and the number of those before them in their batch. Values that can be decoded right
    /// into the buffer are.
    fn next(
        &mut self,
        buffers: &mut [FieldBuffers<'_>],
        filled: &mut FilledCells,
    ) -> Result<Option<(Batch, usize)>, QueryError> {
        if let Some(waiting) = self.waiting.take() {
            return Ok(Some(waiting));
        }
        let reader = match &mut self.source {
            Source::Batch(batch) => return Ok(batch.take().map(|batch| (batch, 0))),
            Source::Reader(reader) => reader,
        };
        while !self.is_done {
            let mut none: [u8; 0] = [];
            let (memory, size): (&mut [u8], _) = match (&mut *buffers, filled.fields.first()) {
                ([only], Some(used)) if only.offsets.is_none() && only.validity.is_none() => {
                    let size = reader.fields().first().and_then(|field| field.cell_size());
                    let free = only.values.get_mut(used.values..);
                    (free.ok_or_else(does_not_fit)?, size)
                }
                _ => (&mut none, None),
            };
            match reader.next_into(memory)? {
                Some(NextCells::Batch(batch)) if batch.rows == 0 => {}
                Some(NextCells::Batch(batch)) => return Ok(Some((batch, 0))),
                Some(NextCells::Written(bytes)) => {
                    let (Some(size), Some(field)) = (size, filled.fields.first_mut()) else {
                        return Err(Bug::new("values were written without a place for them").into());
                    };
                    field.values = field.values.exact_add(bytes)?;
                    let rows = bytes.checked_div(size).ok_or_else(does_not_fit)?;
                    filled.rows = filled.rows.exact_add(rows as u64)?;
                }
                None => self.is_done = true,
            }
        }
        Ok(None)
    }
}

/// Returns the column of a buffer.
fn column_of<'a>(batch: &'a Batch, name: &str) -> Result<&'a Column, Bug> {
    let column = batch.column(name);
    column.ok_or_else(|| Bug::new("a buffer for a field that is not read"))
}

/// Returns the number of cells from `start` on that fit into all buffers behind what they hold.
fn fitting(
    batch: &Batch,
    start: usize,
    buffers: &[FieldBuffers<'_>],
    used: &[FilledBytes],
    format: OffsetFormat,
) -> Result<usize, Bug> {
    let mut rows = batch.rows.exact_sub(start)?;
    for (buffer, used) in buffers.iter().zip(used) {
        let column = column_of(batch, buffer.name)?;
        let free = buffer.values.len().exact_sub(used.values)?;
        rows = rows.min(match column.cell_size() {
            Some(size) => free.checked_div(size).ok_or_else(does_not_fit)?,
            None => fitting_offsets(column, start, free),
        });
        if let Some(offsets) = &buffer.offsets {
            // Room for the end is kept. Sizes that are no multiple of an offset's leave a rest.
            let end = if format.has_end { format.size() } else { 0 };
            let taken = used.offsets.exact_add(end)?;
            let free = offsets.len().checked_sub(taken);
            rows = rows.min(
                free.and_then(|free| free.checked_div(format.size()))
                    .unwrap_or(0),
            );
        }
        if let Some(validity) = &buffer.validity {
            rows = rows.min(validity.len().exact_sub(used.validity)?);
        }
    }
    Ok(rows)
}

/// Returns the number of cells of variable size from `start` on whose values take no more than `free` bytes.
fn fitting_offsets(column: &Column, start: usize, free: usize) -> usize {
    let offsets = column.offset_values().get(start..);
    let Some((first, ends)) = offsets.and_then(<[_]>::split_first) else {
        return 0;
    };
    let fits = |end: u64| {
        end.checked_sub(first.get())
            .is_some_and(|size| size <= free as u64)
    };
    ends.partition_point(|end| fits(end.get()))
}

/// Cells of a batch that are copied into buffers.
struct Part<'a> {
    batch: &'a Batch,
    start: usize,
    end: usize,
}

impl Part<'_> {
    fn copy(
        &self,
        buffers: &mut [FieldBuffers<'_>],
        filled: &mut FilledCells,
        format: OffsetFormat,
    ) -> Result<(), QueryError> {
        for (buffer, used) in buffers.iter_mut().zip(&mut filled.fields) {
            let column = column_of(self.batch, buffer.name)?;
            let (first, last) = match column.cell_size() {
                Some(size) => (self.start.exact_mul(size)?, self.end.exact_mul(size)?),
                None => self.copy_offsets(column, buffer, used, format)?,
            };
            let end = used.values.exact_add(last.exact_sub(first)?)?;
            copy_bytes(&column.values, first..last, buffer.values, used.values..end)?;
            used.values = end;
            if let Some(validity) = &mut buffer.validity {
                let end = used.validity.exact_add(self.end.exact_sub(self.start)?)?;
                let place = validity
                    .get_mut(used.validity..end)
                    .ok_or_else(does_not_fit)?;
                for (byte, row) in place.iter_mut().zip(self.start..self.end) {
                    *byte = u8::from(column.is_valid(row));
                }
                used.validity = end;
            }
        }
        let rows = self.end.exact_sub(self.start)? as u64;
        filled.rows = filled.rows.exact_add(rows)?;
        Ok(())
    }

    /// Writes the offsets of the cells, and returns where their values begin and end in the column.
    fn copy_offsets(
        &self,
        column: &Column,
        buffer: &mut FieldBuffers<'_>,
        used: &mut FilledBytes,
        format: OffsetFormat,
    ) -> Result<(usize, usize), QueryError> {
        let ends = column
            .offset_values()
            .get(self.start..self.end.exact_add(1)?);
        let Some((last, starts)) = ends.and_then(<[_]>::split_last) else {
            return Err(does_not_fit().into());
        };
        let first = starts.first().unwrap_or(last).get();
        let size = column.datatype.size();
        let offsets = buffer
            .offsets
            .as_deref_mut()
            .ok_or_else(|| Bug::new("a field of variable size without memory for offsets"))?;
        let end = used
            .offsets
            .exact_add(starts.len().exact_mul(format.size())?)?;
        let place = offsets
            .get_mut(used.offsets..end)
            .ok_or_else(does_not_fit)?;
        for (place, start) in place.chunks_exact_mut(format.size()).zip(starts) {
            let offset = start
                .get()
                .exact_sub(first)?
                .exact_add(used.values as u64)?;
            write_offset(place, format.offset(offset, size))?;
        }
        used.offsets = end;
        let byte = |offset: u64| usize::try_from(offset).map_err(|_| does_not_fit());
        Ok((byte(first)?, byte(last.get())?))
    }
}

fn write_offset(place: &mut [u8], offset: u64) -> Result<(), QueryError> {
    if place.len() == 4 {
        let narrow = u32::try_from(offset).map_err(|_| QueryError::NarrowOffsets)?;
        place.copy_from_slice(&narrow.to_le_bytes());
    } else {
        place.copy_from_slice(&offset.to_le_bytes());
    }
    Ok(())
}

fn copy_bytes(
    from: &[u8],
    part: std::ops::Range<usize>,
    to: &mut [u8],
    place: std::ops::Range<usize>,
) -> Result<(), Bug> {
    let (from, to) = (from.get(part), to.get_mut(place));
    let (Some(from), Some(to)) = (from, to) else {
        return Err(does_not_fit());
    };
    to.copy_from_slice(from);
    Ok(())
}

fn does_not_fit() -> Bug {
    Bug::new("cells that were counted do not fit into their buffers")
}
