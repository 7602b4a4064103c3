//! Reads into buffers of any size return the cells of a plain read, in its order.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

use std::sync::Arc;

use crate::support::{Golden, place};
use tdb_array::{Array, OpenOptions};
use tdb_cells::{Batch, FieldInfo, Session, SessionOptions};
use tdb_query::{
    BufferedRead, FieldBuffers, FilledBytes, OffsetFormat, QueryError, ReadOptions, Reader,
};

/// Maximum number of cells of an array that is read.
const MOST: usize = 5_000;

/// The cells of a field: the bytes of each; `None` if null.
type FieldCells = Vec<Option<Vec<u8>>>;

/// Memory for a field.
struct Memory {
    values: Vec<u8>,
    offsets: Option<Vec<u8>>,
    validity: Option<Vec<u8>>,
}

impl Memory {
    fn of(field: &FieldInfo, bytes: usize, format: OffsetFormat) -> Self {
        let offset = if format.narrow { 4 } else { 8 };
        let rows = bytes / 3 + usize::from(format.has_end);
        Self {
            values: vec![0xa5; bytes],
            offsets: field
                .cell_size()
                .is_none()
                .then(|| vec![0xa5; rows * offset]),
            validity: field.nullable.then(|| vec![0xa5; bytes / 2]),
        }
    }

    fn buffers<'a>(&'a mut self, name: &'a str) -> FieldBuffers<'a> {
        FieldBuffers {
            name,
            values: &mut self.values,
            offsets: self.offsets.as_deref_mut(),
            validity: self.validity.as_deref_mut(),
        }
    }

    /// Adds the cells that were filled in.
    fn take(
        &self,
        field: &FieldInfo,
        rows: usize,
        filled: FilledBytes,
        format: OffsetFormat,
        cells: &mut FieldCells,
    ) {
        let offset = |row: usize| -> usize {
            let offsets = self.offsets.as_ref().unwrap();
            let number = if format.narrow {
                u64::from(u32::from_le_bytes(
                    offsets[row * 4..][..4].try_into().unwrap(),
                ))
            } else {
                u64::from_le_bytes(offsets[row * 8..][..8].try_into().unwrap())
            };
            let unit = if format.counts_values {
                field.datatype.size()
            } else {
                1
            };
            usize::try_from(number).unwrap() * unit
        };
        for row in 0..rows {
            let (start, end) = match field.cell_size() {
                Some(size) => (row * size, (row + 1) * size),
                None if row + 1 < rows || format.has_end => (offset(row), offset(row + 1)),
                None => (offset(row), filled.values),
            };
            let is_valid = self.validity.as_ref().is_none_or(|valid| valid[row] == 1);
            cells.push(is_valid.then(|| self.values[start..end].to_vec()));
        }
        if let Some(validity) = &self.validity {
            assert_eq!(filled.validity, rows);
            assert!(
                validity[rows..].iter().all(|byte| *byte == 0xa5),
                "written beyond the cells"
            );
        }
    }
}

fn session() -> Session {
    Session::new(SessionOptions::default().threads(std::num::NonZeroUsize::new(1)))
}

/// Returns the cells of a plain read, by field; `None` if there are too many.
fn plain(array: &Arc<Array>, options: &ReadOptions) -> Result<Option<Vec<FieldCells>>, QueryError> {
    let reader = Reader::open(&session(), array, options)?;
    let mut fields = vec![FieldCells::new(); reader.fields().len()];
    for batch in reader {
        let Batch { rows, columns } = batch?;
        for (cells, column) in fields.iter_mut().zip(&columns) {
            cells.extend((0..rows).map(|row| {
                let value = || column.cell(row).unwrap().to_vec();
                column.is_valid(row).then(value)
            }));
        }
        if fields.first().is_some_and(|cells| cells.len() > MOST) {
            return Ok(None);
        }
    }
    Ok(Some(fields))
}

/// Returns the cells of a read into buffers of these sizes in turn. A buffer into which no cell fits grows.
fn buffered(
    array: &Arc<Array>,
    options: &ReadOptions,
    sizes: &[usize],
    format: OffsetFormat,
) -> Vec<FieldCells> {
    let reader = Reader::open(&session(), array, options).unwrap();
    let infos = reader.fields().to_vec();
    let mut read = BufferedRead::new(reader, format);
    let mut fields = vec![FieldCells::new(); infos.len()];
    let mut growth = 1;
    for size in sizes.iter().cycle() {
        let mut memory: Vec<Memory> = infos
            .iter()
            .map(|info| Memory::of(info, size * growth, format))
            .collect();
        let mut buffers: Vec<FieldBuffers<'_>> = memory
            .iter_mut()
            .zip(&infos)
            .map(|(memory, info)| memory.buffers(&info.name))
            .collect();
        let filled = read.fill(&mut buffers).unwrap();
        let rows = usize::try_from(filled.rows).unwrap();
        for (((memory, info), bytes), cells) in memory
            .iter()
            .zip(&infos)
            .zip(&filled.fields)
            .zip(&mut fields)
        {
            memory.take(info, rows, *bytes, format, cells);
        }
        if filled.is_complete {
            break;
        }
        growth = if rows == 0 { growth * 2 } else { 1 };
        assert!(growth < 1 << 24, "no cell fits");
    }
    fields
}

#[test]
fn buffers_of_any_size_hold_the_cells_of_a_plain_read() {
    let formats = [
        OffsetFormat::WIDE,
        OffsetFormat {
            narrow: true,
            counts_values: false,
            has_end: true,
        },
        OffsetFormat {
            narrow: false,
            counts_values: true,
            has_end: true,
        },
        OffsetFormat {
            narrow: true,
            counts_values: true,
            has_end: false,
        },
    ];
    let sizes = [
        [16, 40, 7, 300],
        [1, 2, 3, 100],
        [1_000, 33, 5_000, 64],
        [64_000; 4],
    ];
    let (mut arrays, mut compared) = (0, 0);
    for golden in Golden::all() {
        let location = place(Arc::new(golden.store()), golden.key.as_ref());
        let Ok(array) = Array::open_location(&location, OpenOptions::default()) else {
            continue;
        };
        let array = Arc::new(array);
        let mut options = ReadOptions::default().enumeration_codes(true);
        if let (true, Some(domain)) = (array.schema().is_dense(), array.non_empty_domain()) {
            let names = array.schema().dimensions.iter().map(|d| d.name.clone());
            options.ranges = names.zip(domain).collect();
        }
        // Some arrays are damaged on purpose, some have too many cells.
        let Ok(Some(expected)) = plain(&array, &options) else {
            continue;
        };
        arrays += 1;
        for (format, sizes) in formats.iter().zip(&sizes) {
            let found = buffered(&array, &options, sizes, *format);
            assert_eq!(found, expected, "{} {format:?} {sizes:?}", golden.name);
            compared += expected.iter().map(Vec::len).sum::<usize>();
        }
        // One field alone is decoded right into the buffer where it can be.
        for attribute in &array.schema().attributes {
            let one = options
                .clone()
                .attributes(Some(vec![attribute.name.clone()]))
                .dimensions(Some(Vec::new()));
            let Ok(Some(expected)) = plain(&array, &one) else {
                continue;
            };
            let found = buffered(&array, &one, &[4_096, 8, 100], OffsetFormat::WIDE);
            assert_eq!(
                found, expected,
                "{} {:?} alone",
                golden.name, attribute.name
            );
        }
    }
    assert!(arrays > 100, "only {arrays} arrays were compared");
    assert!(compared > 50_000, "only {compared} cells were compared");
}
